import { normalCdf } from '../../../../domain/probability.ts';
import { hashedNormal } from '../../../hashed-chance.ts';
import type { Process } from './listing.ts';

/** Halvings of a life: the walk is drawn anew for each 65,536th of it and straight in between. */
const HALVINGS = 16;
/** No trader is surer than with this part of the life left. */
const LEAST_LEFT = 1e-4;

/**
 * Which moment of a life to read: its seed and stream of chance, and the part of it that has
 * passed, 0 to 1.
 */
export interface WalkPlace {
  readonly seed: number;
  readonly stream: number;
  readonly part: number;
}

/**
 * A Brownian walk from 0 over one life, at any moment of it, in any order: P. Lévy's construction
 * by midpoints, each drawn from the seed by its place.
 */
export function walkAt({ seed, stream, part }: WalkPlace): number {
  const at = Math.min(1, Math.max(0, part));
  let [from, to] = [0, 1];
  let [low, high] = [0, hashedNormal(seed, stream, 1)];
  if (at === 1) return high;
  for (let depth = 0, node = 2; depth < HALVINGS; depth += 1) {
    const middle = (from + to) / 2;
    const value = (low + high) / 2 + (Math.sqrt(to - from) / 2) * hashedNormal(seed, stream, node);
    if (at < middle) [to, high, node] = [middle, value, node * 2];
    else [from, low, node] = [middle, value, node * 2 + 1];
  }
  return low + ((high - low) * (at - from)) / (to - from);
}

/**
 * Chance that the walk ends between the bounds, seen from a moment of it: what comes true as often
 * as it says.
 */
export function walkChance(
  { low, high }: Extract<Process, { kind: 'walk' }>,
  place: WalkPlace,
): number {
  const value = walkAt(place);
  const left = Math.sqrt(Math.max(LEAST_LEFT, 1 - place.part));
  const below = (bound: number): number => normalCdf((bound - value) / left);
  return (high === null ? 1 : below(high)) - (low === null ? 0 : below(low));
}

/** Reports whether the walk ended between the bounds. */
export function walkEndsInside(
  { low, high, stream }: Extract<Process, { kind: 'walk' }>,
  seed: number,
): boolean {
  const end = walkAt({ seed, stream, part: 1 });
  return (low === null || end >= low) && (high === null || end < high);
}

import type { IntentId } from './ids.ts';

/** How long a venue's door stays shut before one order is tried, how that grows, and how often the venue is asked meanwhile. */
export interface DoorLimits {
  readonly coolFirstMs: number;
  readonly coolMaximumMs: number;
  readonly probeMs: number;
  readonly askEveryMs: number;
}

/** Whether a venue takes orders from where we are. */
export type DoorState =
  | { readonly kind: 'open' }
  /** Open by the venue's word alone: no order has been looked at since. `doubtMs`: how long that word was not believed before; 0 when it always was. */
  | { readonly kind: 'promised'; readonly doubtMs: number }
  | ShutDoor;

/** A door that is shut. */
export interface ShutDoor {
  readonly kind: 'shut';
  /** Since when orders are turned away. */
  readonly sinceMs: number;
  /** No order is sent for `pauseMs` after `pausedAtMs`. */
  readonly pausedAtMs: number;
  readonly pauseMs: number;
  /** The order that was let through after the pause to see whether the venue takes them again. */
  readonly probe: { readonly intentId: IntentId; readonly atMs: number } | null;
  /** The venue's word that it takes orders counts if it was asked for from here on. */
  readonly heedsFromMs: number;
  /** How long its word is not believed, because it was given and the next order turned away; 0 before that ever happened. */
  readonly doubtMs: number;
}

/** Nobody has been turned away. */
export const OPEN_DOOR: DoorState = { kind: 'open' };

/** How a venue met a submission: it looked at the order, whatever it made of it, or turned us away for where we are. */
export interface DoorAnswer {
  readonly intentId: IntentId;
  readonly isTurnedAway: boolean;
  readonly atMs: number;
}

/** What a venue says of itself when it is asked whether it takes orders from where we are. */
export interface DoorWord {
  readonly isBlocked: boolean;
  readonly askedAtMs: number;
}

/**
 * The door after one more answer to an order. One refusal for where we are shuts it, for the next order would meet the same. While
 * shut only its probe counts, for the others left before: looked at, it opens the door; turned away, it doubles the pause. An order
 * turned away at a door that the venue's word had opened shuts it and puts that word in doubt, twice as long each time.
 */
export function afterDoorAnswer(
  door: DoorState,
  { intentId, isTurnedAway, atMs }: DoorAnswer,
  { coolFirstMs, coolMaximumMs }: DoorLimits,
): DoorState {
  const doubled = (ms: number) => Math.min(Math.max(ms * 2, coolFirstMs), coolMaximumMs);
  switch (door.kind) {
    case 'open':
      return isTurnedAway
        ? {
            kind: 'shut',
            sinceMs: atMs,
            pausedAtMs: atMs,
            pauseMs: coolFirstMs,
            probe: null,
            heedsFromMs: atMs,
            doubtMs: 0,
          }
        : door;
    case 'promised': {
      if (!isTurnedAway) return OPEN_DOOR;
      const doubtMs = doubled(door.doubtMs);
      return {
        kind: 'shut',
        sinceMs: atMs,
        pausedAtMs: atMs,
        pauseMs: doubtMs,
        probe: null,
        heedsFromMs: atMs + doubtMs,
        doubtMs,
      };
    }
    case 'shut':
      if (door.probe?.intentId !== intentId) return door;
      return isTurnedAway
        ? {
            ...door,
            pausedAtMs: atMs,
            pauseMs: doubled(door.pauseMs),
            probe: null,
            heedsFromMs: Math.max(door.heedsFromMs, atMs),
          }
        : OPEN_DOOR;
  }
}

/**
 * The door after the venue's own word. That it takes orders opens a shut door, unless it was asked before the last order was turned
 * away or is in doubt. That it does not makes the pause the longest: an order is then tried only in case the word is wrong.
 */
export function afterDoorWord(
  door: DoorState,
  { isBlocked, askedAtMs }: DoorWord,
  { coolMaximumMs }: DoorLimits,
): DoorState {
  if (door.kind !== 'shut') return door;
  if (isBlocked) return door.pauseMs === coolMaximumMs ? door : { ...door, pauseMs: coolMaximumMs };
  return askedAtMs < door.heedsFromMs ? door : { kind: 'promised', doubtMs: door.doubtMs };
}

/** How long no order may be sent: 0 when one may, as a probe if the door is shut. */
export function doorShutForMs(door: DoorState, atMs: number, { probeMs }: DoorLimits): number {
  if (door.kind !== 'shut') return 0;
  const probeUntilMs = door.probe === null ? 0 : door.probe.atMs + probeMs;
  return Math.max(0, door.pausedAtMs + door.pauseMs - atMs, probeUntilMs - atMs);
}

/** When it is worth coming back to a shut door: an order is tried then, or the venue has been asked again by then and its word counts. */
export function doorAskAgainMs(door: ShutDoor, atMs: number, limits: DoorLimits): number {
  return Math.min(
    doorShutForMs(door, atMs, limits),
    Math.max(0, door.heedsFromMs - atMs) + limits.askEveryMs,
  );
}

/** Lets an order through: the probe where the door is shut. Ask `doorShutForMs` first. */
export function withProbe(door: DoorState, intentId: IntentId, atMs: number): DoorState {
  return door.kind === 'shut' ? { ...door, probe: { intentId, atMs } } : door;
}

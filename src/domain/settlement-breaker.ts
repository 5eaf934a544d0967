import type { IntentId } from './ids.ts';

/** When a breaker opens, and how it heals. */
export interface BreakerLimits {
  readonly windowMs: number;
  readonly stepMs: number;
  /**
   * It opens at this many failures in the window, if they are at least this share of all
   * settlements there, in millionths.
   */
  readonly failures: number;
  readonly shareMicros: number;
  readonly coolFirstMs: number;
  readonly coolMaximumMs: number;
  readonly probeMs: number;
}

/** Settlements of one step of the window. */
interface BreakerCount {
  /** Start of the step. */
  readonly atMs: number;
  readonly settled: number;
  readonly failed: number;
}

/** What is remembered of settlements. */
export interface BreakerState {
  /** Steps of the window, oldest first; those without a settlement are left out. */
  readonly counts: readonly BreakerCount[];
  /** Since when it is open; null while it is closed. */
  readonly openedAtMs: number | null;
  /** How long it stays shut before a probe. */
  readonly coolMs: number;
  /** The entry that was let through to see whether trades settle again. */
  readonly probe: { readonly intentId: IntentId; readonly atMs: number } | null;
}

/** Nothing has settled or failed yet. */
export const CLOSED_BREAKER: BreakerState = {
  counts: [],
  openedAtMs: null,
  coolMs: 0,
  probe: null,
};

/** How a trade ended. */
export interface Settlement {
  readonly intentId: IntentId;
  readonly hasFailed: boolean;
  readonly atMs: number;
}

/**
 * Counts how a trade ended. While closed it opens when too many fail. While open only its probe
 * counts, for the others are of before: a probe that settles closes it with a clean sheet, one that
 * fails keeps it open twice as long.
 */
export function afterSettlement(
  state: BreakerState,
  settlement: Settlement,
  limits: BreakerLimits,
): BreakerState {
  const { intentId, hasFailed, atMs } = settlement;
  if (state.openedAtMs !== null) {
    if (state.probe?.intentId !== intentId) return state;
    return hasFailed
      ? {
          ...state,
          openedAtMs: atMs,
          coolMs: Math.min(state.coolMs * 2, limits.coolMaximumMs),
          probe: null,
        }
      : CLOSED_BREAKER;
  }
  const counts = counted(state.counts, settlement, limits);
  const failed = sum(counts, ({ failed: each }) => each);
  const all = failed + sum(counts, ({ settled }) => settled);
  const isBroken = failed >= limits.failures && failed * 1_000_000 >= all * limits.shareMicros;
  return isBroken
    ? { counts: [], openedAtMs: atMs, coolMs: limits.coolFirstMs, probe: null }
    : { ...state, counts };
}

/** How long no entry may be made: 0 when one may, as a probe if the breaker is open. */
export function shutForMs(
  state: BreakerState,
  atMs: number,
  limits: Pick<BreakerLimits, 'probeMs'>,
): number {
  if (state.openedAtMs === null) return 0;
  const coolUntilMs = state.openedAtMs + state.coolMs;
  const probeUntilMs = state.probe === null ? 0 : state.probe.atMs + limits.probeMs;
  return Math.max(0, coolUntilMs - atMs, probeUntilMs - atMs);
}

/** Lets an entry through: the probe where the breaker is open. Ask `shutForMs` first. */
export function withEntry(state: BreakerState, intentId: IntentId, atMs: number): BreakerState {
  return state.openedAtMs === null ? state : { ...state, probe: { intentId, atMs } };
}

function counted(
  counts: readonly BreakerCount[],
  { hasFailed, atMs }: Settlement,
  { windowMs, stepMs }: BreakerLimits,
): readonly BreakerCount[] {
  const stepAtMs = atMs - (atMs % stepMs);
  const kept = counts.filter((count) => count.atMs > atMs - windowMs && count.atMs !== stepAtMs);
  const now = counts.find((count) => count.atMs === stepAtMs) ?? {
    atMs: stepAtMs,
    settled: 0,
    failed: 0,
  };
  return [
    ...kept,
    {
      ...now,
      settled: now.settled + (hasFailed ? 0 : 1),
      failed: now.failed + (hasFailed ? 1 : 0),
    },
  ];
}

function sum(counts: readonly BreakerCount[], of: (count: BreakerCount) => number): number {
  return counts.reduce((total, count) => total + of(count), 0);
}

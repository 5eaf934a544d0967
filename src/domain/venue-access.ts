import type { IntentId } from './ids.ts';

/**
 * How long a venue's access gate stays shut before one order is tried, how that grows, and how
 * often the venue is asked meanwhile.
 */
export interface AccessLimits {
  readonly coolFirstMs: number;
  readonly coolMaximumMs: number;
  readonly probeMs: number;
  readonly askEveryMs: number;
}

/** Whether a venue takes orders from where we are. */
export type AccessState =
  | { readonly kind: 'open' }
  /**
   * Open by the venue's word alone: no order has been looked at since. `doubtMs`: how long that
   * word was not believed before; 0 when it always was.
   */
  | { readonly kind: 'promised'; readonly doubtMs: number }
  | ClosedAccess;

/** An access gate that is shut. */
export interface ClosedAccess {
  readonly kind: 'shut';
  /** Since when orders are turned away. */
  readonly sinceMs: number;
  /** No order is sent for `pauseMs` after `pausedAtMs`. */
  readonly pausedAtMs: number;
  readonly pauseMs: number;
  /** The order that was let through after the pause to see whether the venue takes them again. */
  readonly probe: { readonly intentId: IntentId; readonly atMs: number } | null;
  /** The venue's word that it takes orders counts if it was asked for from here on. */
  readonly appliesFromMs: number;
  /**
   * How long its word is not believed, because it was given and the next order turned away; 0
   * before that ever happened.
   */
  readonly doubtMs: number;
}

/** No order has been turned away. */
export const OPEN_ACCESS: AccessState = { kind: 'open' };

/**
 * How a venue met a submission: it looked at the order, whatever it made of it, or turned us away
 * for where we are.
 */
export interface AccessAnswer {
  readonly intentId: IntentId;
  readonly isTurnedAway: boolean;
  readonly atMs: number;
}

/** What a venue says of itself when it is asked whether it takes orders from where we are. */
export interface AccessReading {
  readonly isBlocked: boolean;
  readonly askedAtMs: number;
}

/**
 * The access gate after one more answer to an order. One refusal for where we are shuts it, for the
 * next order would meet the same. While shut only its probe counts, for the others left before:
 * looked at, it opens the access gate; turned away, it doubles the pause. An order turned away at
 * an access gate that the venue's word had opened shuts it and withholds belief from that word,
 * twice as long each time.
 */
export function afterAccessAnswer(
  access: AccessState,
  { intentId, isTurnedAway, atMs }: AccessAnswer,
  { coolFirstMs, coolMaximumMs }: AccessLimits,
): AccessState {
  const doubled = (ms: number) => Math.min(Math.max(ms * 2, coolFirstMs), coolMaximumMs);
  switch (access.kind) {
    case 'open':
      return isTurnedAway
        ? {
            kind: 'shut',
            sinceMs: atMs,
            pausedAtMs: atMs,
            pauseMs: coolFirstMs,
            probe: null,
            appliesFromMs: atMs,
            doubtMs: 0,
          }
        : access;
    case 'promised': {
      if (!isTurnedAway) return OPEN_ACCESS;
      const doubtMs = doubled(access.doubtMs);
      return {
        kind: 'shut',
        sinceMs: atMs,
        pausedAtMs: atMs,
        pauseMs: doubtMs,
        probe: null,
        appliesFromMs: atMs + doubtMs,
        doubtMs,
      };
    }
    case 'shut':
      if (access.probe?.intentId !== intentId) return access;
      return isTurnedAway
        ? {
            ...access,
            pausedAtMs: atMs,
            pauseMs: doubled(access.pauseMs),
            probe: null,
            appliesFromMs: Math.max(access.appliesFromMs, atMs),
          }
        : OPEN_ACCESS;
  }
}

/**
 * The access gate after the venue's own word. That it takes orders opens a closed venue access,
 * unless it was asked before the last order was turned away or is in doubt. That it does not makes
 * the pause the longest: an order is then tried only in case the word is wrong.
 */
export function afterAccessReading(
  access: AccessState,
  { isBlocked, askedAtMs }: AccessReading,
  { coolMaximumMs }: AccessLimits,
): AccessState {
  if (access.kind !== 'shut') return access;
  if (isBlocked)
    return access.pauseMs === coolMaximumMs ? access : { ...access, pauseMs: coolMaximumMs };
  return askedAtMs < access.appliesFromMs ? access : { kind: 'promised', doubtMs: access.doubtMs };
}

/** How long no order may be sent: 0 when one may, as a probe if the access is closed. */
export function accessClosedForMs(
  access: AccessState,
  atMs: number,
  { probeMs }: AccessLimits,
): number {
  if (access.kind !== 'shut') return 0;
  const probeUntilMs = access.probe === null ? 0 : access.probe.atMs + probeMs;
  return Math.max(0, access.pausedAtMs + access.pauseMs - atMs, probeUntilMs - atMs);
}

/**
 * When it is worth coming back to a closed venue access: an order is tried then, or the venue has
 * been asked again by then and its word counts.
 */
export function accessAskAgainMs(access: ClosedAccess, atMs: number, limits: AccessLimits): number {
  return Math.min(
    accessClosedForMs(access, atMs, limits),
    Math.max(0, access.appliesFromMs - atMs) + limits.askEveryMs,
  );
}

/** Lets an order through: the probe where the access is closed. Ask `accessClosedForMs` first. */
export function withProbe(access: AccessState, intentId: IntentId, atMs: number): AccessState {
  return access.kind === 'shut' ? { ...access, probe: { intentId, atMs } } : access;
}

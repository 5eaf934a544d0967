/**
 * The market clock beside the wall's: in a sandbox it runs faster. Every moment of the interface
 * is wall time, so this serves countdowns alone, and says how fast they run.
 */
export interface MarketClock {
  /** Milliseconds of market time in one of wall time. */
  readonly speed: number;
  /** What the daemon's wall clock shows beyond this device's, ms. */
  readonly skewMs: number;
}

/** Reads both clocks. `sentAtMs` and `receivedAtMs` are this device's around the call. */
export function marketClockOf(
  answer: { readonly wallAtMs: number; readonly speed: number },
  sentAtMs: number,
  receivedAtMs: number,
): MarketClock {
  return {
    speed: answer.speed,
    skewMs: Math.round(answer.wallAtMs - (sentAtMs + receivedAtMs) / 2),
  };
}

/** The daemon's wall time, epoch ms, when this device shows `deviceMs`. */
export function daemonNowMs(clock: MarketClock, deviceMs: number): number {
  return deviceMs + clock.skewMs;
}

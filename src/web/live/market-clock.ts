/**
 * The market clock beside the wall's: in a sandbox it runs faster. Every moment and countdown of
 * the interface is wall time; only a market's own text names its market's time.
 */
export interface MarketClock {
  /** Milliseconds of market time in one of wall time. */
  readonly speed: number;
  /** What the daemon's wall clock shows beyond this device's, ms. */
  readonly skewMs: number;
  /** What the market clock shows beyond the daemon's wall clock at `readAtMs` of that, ms. */
  readonly aheadMs: number;
  readonly readAtMs: number;
}

/** Reads both clocks. `sentAtMs` and `receivedAtMs` are this device's around the call. */
export function marketClockOf(
  answer: { readonly wallAtMs: number; readonly marketAtMs: number; readonly speed: number },
  sentAtMs: number,
  receivedAtMs: number,
): MarketClock {
  return {
    speed: answer.speed,
    skewMs: Math.round(answer.wallAtMs - (sentAtMs + receivedAtMs) / 2),
    aheadMs: answer.marketAtMs - answer.wallAtMs,
    readAtMs: answer.wallAtMs,
  };
}

/** What the market clock shows when the daemon's wall clock shows `wallMs`. */
export function marketNowMs({ speed, aheadMs, readAtMs }: MarketClock, wallMs: number): number {
  return readAtMs + aheadMs + (wallMs - readAtMs) * speed;
}

/** The daemon's wall time, epoch ms, when this device shows `deviceMs`. */
export function daemonNowMs(clock: MarketClock, deviceMs: number): number {
  return deviceMs + clock.skewMs;
}

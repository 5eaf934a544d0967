/** Writes a span of a receipt in seconds, as its criteria do: `0.63 s`, `7.6 s`, `900 s`. */
export function spanText(ms: number): string {
  const seconds = ms / 1_000;
  const places = seconds < 1 ? 2 : seconds < 100 ? 1 : 0;
  return `${seconds.toFixed(places).replace(/\.0+$/, '')} s`;
}

/**
 * Says by which clock a receipt counts where that is another than the wall's: spans are of the
 * market clock, moments of the reader's. Null where both run alike.
 */
export function receiptClockNote(speed: number): string | null {
  return speed === 1
    ? null
    : `Seconds in this receipt, ages too, are market time: ${speed} of them pass in one of yours. Dates and times of day are yours.`;
}

/** What the books say of one account, and what is on its way. All in micros. */
export interface BookedAmount {
  readonly settled: number;
  /** Net of what is not final: in less out. */
  readonly provisional: number;
  /** What is not final and goes out, as a positive number. */
  readonly outgoing: number;
  /** What a redemption under way will bring, or above zero takes away: USDC comes, shares go. */
  readonly redeemed: { readonly brings: number; readonly takes: number };
}

/** The amounts a chain may show for an account whose books are right. */
interface ExplainedRange {
  readonly low: number;
  readonly high: number;
}

/** A difference between books and chain that nothing on its way explains. */
export interface Mismatch {
  readonly asset: string;
  readonly range: ExplainedRange;
  readonly onChain: number;
}

/** What the chain may show: each thing on its way has happened there or has not. */
function explainedRange({
  settled,
  provisional,
  outgoing,
  redeemed,
}: BookedAmount): ExplainedRange {
  return {
    low: settled - outgoing - redeemed.takes,
    high: settled + provisional + outgoing + redeemed.brings,
  };
}

/** The mismatch of one account; null when the chain's amount is explained. */
export function mismatchOf(asset: string, booked: BookedAmount, onChain: number): Mismatch | null {
  const range = explainedRange(booked);
  return onChain >= range.low && onChain <= range.high ? null : { asset, range, onChain };
}

/** Returns how far what is on the chain is from all that would explain it, in micros. */
export function distanceOf({ range, onChain }: Mismatch): number {
  return Math.max(range.low - onChain, onChain - range.high, 0);
}

import { sellable, shares, spendable } from '../../format/money.ts';

/** What an order can be of at most; null where it is not known. */
export interface AmountLimits {
  /** USD at the venue. */
  readonly available: string | null;
  /** Shares held of the outcome, and those of them that can be sold now. */
  readonly held: string | null;
  readonly sellableShares: string | null;
}

/**
 * Says that an order is of more than there is, and how much there is; null where it is not. A sale
 * of exactly what is held is the daemon's to judge: it leaves what the venue's step cannot take.
 */
export function beyondLimits(
  action: 'buy' | 'sell',
  amount: string,
  { available, held, sellableShares }: AmountLimits,
  venue: string,
): string | null {
  const wanted = Number(amount);
  if (!Number.isFinite(wanted)) return null;
  if (action === 'buy')
    return available === null || wanted <= Number(available)
      ? null
      : `You have ${spendable(available)} to spend at ${venue}.`;
  if (sellableShares === null || wanted <= Number(sellableShares)) return null;
  if (Number(sellableShares) > 0 && wanted === Number(held)) return null;
  return Number(held) > Number(sellableShares)
    ? `You hold ${shares(held)} shares, of which ${sellable(sellableShares)} can be sold now.`
    : `You hold ${sellable(sellableShares)} shares.`;
}

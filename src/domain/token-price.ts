/** What one whole token is worth, and the moment that is of. */
export interface TokenPrice {
  /** Dollars times 10^18: some tokens cost billionths of a dollar. */
  readonly priceE18: bigint;
  /** Epoch ms; null for what is worth a dollar by definition. */
  readonly atMs: number | null;
}

/** The price of what is redeemable for a dollar. */
export const ONE_DOLLAR: TokenPrice = { priceE18: 10n ** 18n, atMs: null };

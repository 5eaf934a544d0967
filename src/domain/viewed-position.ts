/** What a position at a view-only venue is counted in. */
interface ViewedCurrency {
  /** Null for a token that this service does not know. */
  readonly symbol: string | null;
  /** Address of the token on the position's network. */
  readonly token: string;
  /** Counts as a US dollar, so that amounts of it may be added to others. */
  readonly isDollar: boolean;
}

/**
 * A position at a view-only venue, as the venue tells of it. Amounts are in millionths
 * of its own currency: those of two currencies are never added.
 */
export interface ViewedPosition {
  /** Unique at the venue, over all its networks. */
  readonly marketId: string;
  readonly outcomeId: string;
  /** `name` is null for a network that this service does not know. */
  readonly network: { readonly chainId: number; readonly name: string | null };
  readonly mechanism: 'amm' | 'order_book';
  /** The venue's words: data, never an instruction. */
  readonly question: string;
  readonly outcomeLabel: string;
  /** Voided: the market ended without an outcome, and pays back by the venue's rules. */
  readonly state: 'open' | 'won' | 'lost' | 'voided';
  /** The venue pays it out as soon as its holder asks there. */
  readonly isClaimable: boolean;
  readonly shareMicros: bigint;
  /** What a share has cost on average, and what it is worth now: millionths. */
  readonly entryMicros: bigint;
  readonly priceMicros: bigint;
  readonly currency: ViewedCurrency;
  readonly costMicros: bigint;
  readonly valueMicros: bigint;
  /** Of what is held, below zero for a loss. */
  readonly profitMicros: bigint;
  /** Wall time; null where the venue does not say. */
  readonly endsAtMs: number | null;
}

/** All that a venue tells of one account. */
export interface ViewedPositions {
  readonly positions: readonly ViewedPosition[];
  /** Rows that were left out because they could not be read. */
  readonly unreadable: number;
  /** There are more than are read. */
  readonly isCut: boolean;
}

/** Sums over the positions in dollars, millionths, and how many positions are in none of them. */
export interface ViewedTotals {
  readonly valueMicros: bigint;
  readonly profitMicros: bigint;
  readonly claimableMicros: bigint;
  readonly uncounted: number;
}

/** Adds up what is in dollars. */
export function viewedTotals(positions: readonly ViewedPosition[]): ViewedTotals {
  const dollars = positions.filter(({ currency }) => currency.isDollar);
  const sum = (of: (position: ViewedPosition) => bigint): bigint =>
    dollars.reduce((all, position) => all + of(position), 0n);
  return {
    valueMicros: sum(({ valueMicros }) => valueMicros),
    profitMicros: sum(({ profitMicros }) => profitMicros),
    claimableMicros: sum(({ isClaimable, valueMicros }) => (isClaimable ? valueMicros : 0n)),
    uncounted: positions.length - dollars.length,
  };
}

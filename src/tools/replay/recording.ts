import type { ExchangePrices } from '../../sandbox/feeds/prices/exchange-prices.ts';
import type { ChainIds } from '../../sandbox/chains/evm/outcome-ids.ts';
import type { SettlementPrices } from '../../sandbox/feeds/prices/settlement-prices.ts';

/** One level of a recorded book: price in ticks of 0.0001, size in micro-shares. */
export interface RecordedLevel {
  readonly price: number;
  readonly size: number;
}

/** The book of a round's first outcome as it was seen. */
export interface RecordedBook {
  readonly atMs: number;
  readonly bids: readonly RecordedLevel[];
  readonly asks: readonly RecordedLevel[];
}

/** One recorded 5-minute round. */
export interface RecordedRound {
  readonly slug: string;
  readonly startsAtMs: number;
  readonly endsAtMs: number;
  /** Null where the recording does not name them. */
  readonly ids: ChainIds | null;
  /** What the venue paid, in ticks; null where the recording does not say. */
  readonly payoutTicks: readonly [number, number] | null;
  /** From the end to the announcement; null where the recording does not say. */
  readonly resolvedAfterMs: number | null;
}

/** A recording made ready for a replay. */
export interface Recording {
  readonly name: string;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly settlement: SettlementPrices;
  /** Null where the exchange was not recorded: then the model's is used. */
  readonly exchange: ExchangePrices | null;
  /** Of the only round; null where books were not recorded: then the makers' are used. */
  readonly books: readonly RecordedBook[] | null;
  readonly rounds: readonly RecordedRound[];
  /** What is recorded and what is modelled, for the reader. */
  readonly notes: readonly string[];
}

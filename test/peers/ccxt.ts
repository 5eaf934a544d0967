// ccxt's class of the exchange, as published. It is installed beside this file, which is where
// tests find it. Its own types are those of a hundred exchanges: what is used is written down here.
import { createRequire } from 'node:module';

/** An outcome of a market. */
interface CcxtOutcome {
  readonly outcomeId: string;
  readonly label: string;
  readonly winner?: boolean;
}

/** A market; `id` is its ticker. */
interface CcxtMarket {
  readonly id: string;
  readonly market: string;
  readonly active: boolean;
  readonly resolved: boolean;
  readonly precision: { readonly price: number };
  readonly outcomes: readonly CcxtOutcome[];
}

/** An event; `id` is its ticker. */
interface CcxtEvent {
  readonly id: string;
  readonly markets: readonly CcxtMarket[];
}

type Level = readonly [price: number, contracts: number];

/** What is used of the class. Outcomes are asked for by ticker, the second one with `-NO`. */
export interface CcxtExchange {
  urls: { api: Record<string, string> };
  fetchStatus(): Promise<{ readonly status: string }>;
  fetchMarkets(): Promise<readonly CcxtMarket[]>;
  fetchEvents(params: Readonly<Record<string, unknown>>): Promise<readonly CcxtEvent[]>;
  fetchOrderBook(
    outcome: string,
  ): Promise<{ readonly bids: readonly Level[]; readonly asks: readonly Level[] }>;
  fetchTicker(outcome: string): Promise<unknown>;
  fetchTickers(outcomes: readonly string[]): Promise<Readonly<Record<string, unknown>>>;
  fetchTrades(
    outcome: string,
    since: undefined,
    limit: number,
  ): Promise<
    readonly {
      readonly id: string;
      readonly timestamp: number;
      readonly side: string;
      readonly price: number;
      readonly amount: number;
    }[]
  >;
  /** Candles as time of opening (ms), open, high, low, close, volume. */
  fetchOHLCV(
    outcome: string,
    timeframe: '1m' | '1h' | '1d',
    since: undefined,
    limit: undefined,
    params: { readonly start_ts: number; readonly end_ts: number },
  ): Promise<readonly (readonly number[])[]>;
}

/** A scoped token, and the key that signs orders. */
interface CcxtKeys {
  readonly apiKey: string;
  readonly secret: string;
  readonly privateKey: string;
  readonly walletAddress: string;
}

/** What is used of the class of the venue of order books and pools. */
export interface CcxtPools {
  urls: { api: Record<string, string> };
  fetchMarkets(params?: Readonly<Record<string, unknown>>): Promise<
    readonly {
      readonly market: string;
      readonly active: boolean;
      readonly outcomes: readonly { readonly outcome: string; readonly outcomeId: string }[];
    }[]
  >;
  fetchOrderBook(
    outcome: string,
  ): Promise<{ readonly bids: readonly Level[]; readonly asks: readonly Level[] }>;
  createOrder(
    outcome: string,
    type: 'limit' | 'market',
    side: 'buy' | 'sell',
    amount: number,
    price?: number,
  ): Promise<{ readonly id: string; readonly status: string }>;
  cancelOrder(id: string): Promise<unknown>;
  /** Has markets remembered, by which positions and trades are recognised. */
  loadMarkets(): Promise<unknown>;
  fetchEvent(slug: string): Promise<{
    readonly title: string;
    readonly markets: readonly { readonly id: string }[];
  }>;
  fetchOpenOrders(
    outcome: string,
  ): Promise<
    readonly { readonly id: string; readonly price: number; readonly remaining: number }[]
  >;
  fetchMyTrades(
    outcome: string,
  ): Promise<readonly { readonly side: string; readonly amount: number }[]>;
  fetchPositions(outcomes: readonly string[]): Promise<
    readonly {
      readonly outcomeId: string;
      readonly contracts: number;
      readonly entryPrice: number;
      readonly collateral: number;
    }[]
  >;
}

/** What is used of the class of the view-only venue. */
export interface CcxtPositions {
  urls: { api: Record<string, string> };
  fetchPositions(
    outcomes?: undefined,
    params?: Readonly<Record<string, unknown>>,
  ): Promise<readonly { readonly info: Readonly<Record<string, unknown>> }[]>;
}

const library = createRequire(import.meta.url)('ccxt') as {
  readonly prediction: {
    readonly kalshi: new (options: { readonly enableRateLimit: boolean }) => CcxtExchange;
    readonly limitless: new (
      options: { readonly enableRateLimit: boolean } & CcxtKeys,
    ) => CcxtPools;
    readonly myriad: new (options: {
      readonly enableRateLimit: boolean;
      readonly walletAddress: string;
    }) => CcxtPositions;
  };
  readonly BadSymbol: new () => Error;
};
export const { BadSymbol } = library;

/** The class over this server of the exchange's interface and of its website's search. */
export function ccxtExchange(url: string): CcxtExchange {
  const exchange = new library.prediction.kalshi({ enableRateLimit: false });
  exchange.urls.api = {
    ...exchange.urls.api,
    kalshi: `${url}/trade-api/v2`,
    elections: `${url}/v1`,
  };
  return exchange;
}

/** The class of the venue of order books and pools over this server. */
export function ccxtPools(url: string, keys: CcxtKeys): CcxtPools {
  const exchange = new library.prediction.limitless({ enableRateLimit: false, ...keys });
  exchange.urls.api = { ...exchange.urls.api, limitless: url };
  return exchange;
}

/** The class of the view-only venue over this server, for one wallet. */
export function ccxtPositions(url: string, walletAddress: string): CcxtPositions {
  const exchange = new library.prediction.myriad({ enableRateLimit: false, walletAddress });
  exchange.urls.api = { ...exchange.urls.api, myriad: url };
  return exchange;
}

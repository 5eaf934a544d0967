import { loadPeer } from '../../bench/peer.ts';
import { DOWN, OTHER_ADDRESS, OTHER_KEY, UP } from '../../conformance/venue-a-fixture.ts';
import type { Caller, Peer, Reader, ShownBook, Reported } from './caller.ts';

interface CcxtOrder {
  readonly id?: string;
  readonly status?: string;
  readonly info?: unknown;
}

interface CcxtBook {
  readonly bids: readonly (readonly number[])[];
  readonly asks: readonly (readonly number[])[];
}

/** What is used of ccxt's venue class. */
interface CcxtVenue {
  urls: { api: Record<string, string> };
  privateKey: string;
  walletAddress: string;
  options: Record<string, unknown>;
  outcomes: Record<string, unknown>;
  outcomes_by_id: Record<string, unknown>;
  readonly orderbooks: Readonly<Record<string, CcxtBook>>;
  createOrder(
    outcome: string,
    type: 'limit',
    side: 'buy',
    amount: number,
    price: number,
  ): Promise<CcxtOrder>;
  createOrders(orders: readonly object[]): Promise<readonly CcxtOrder[]>;
  cancelOrder(id: string): Promise<unknown>;
  fetchOrder(id: string): Promise<CcxtOrder>;
  fetchMyTrades(outcome: string): Promise<unknown>;
  loadHttpProxyAgent(): Promise<unknown>;
  watchOrderBook(outcome: string): Promise<CcxtBook>;
  close(): Promise<void>;
}

/**
 * ccxt's venue class with its addresses set to the sandbox's. Its list of outcomes is given, as its
 * documents allow: nothing here lists markets.
 */
export const ccxt: Peer = {
  name: 'ccxt',
  version: '4.5.84',
  async open(fixture): Promise<Caller> {
    const venue = make(fixture.rest, fixture.sockets.marketUrl);
    return {
      buy: async (price, shares) =>
        reportedOf(await venue.createOrder(UP, 'limit', 'buy', shares, price / 100)),
      buyAll: async (prices) =>
        (
          await venue.createOrders(
            prices.map((price) => ({
              outcome: UP,
              type: 'limit',
              side: 'buy',
              amount: 10,
              price: price / 100,
            })),
          )
        ).map(reportedOf),
      cancel: (id) => venue.cancelOrder(id),
      order: async (id) => reportedOf(await venue.fetchOrder(id)),
      trades: async () => JSON.stringify(await venue.fetchMyTrades(UP)),
      close: () => venue.close(),
    };
  },
  async read(fixture): Promise<Reader> {
    const venue = make(fixture.rest, fixture.sockets.marketUrl);
    // Its own error message asks for this where a socket is not encrypted.
    await venue.loadHttpProxyAgent();
    const state = { isOpen: true, hasComplained: false };
    const follow = async (): Promise<void> => {
      while (state.isOpen) {
        await venue.watchOrderBook(UP).catch(() => {
          if (state.isOpen) state.hasComplained = true;
        });
        if (state.hasComplained) return;
      }
    };
    void follow();
    return {
      book: () => shown(venue.orderbooks['UP']),
      hasComplained: () => state.hasComplained,
      async close() {
        state.isOpen = false;
        await venue.close();
      },
    };
  },
};

function make(rest: string, marketUrl: string): CcxtVenue {
  // The pinned version exports exactly this.
  const library = loadPeer('ccxt') as { prediction: { polymarket: new () => CcxtVenue } } | null;
  if (library === null) throw new Error('ccxt is not installed');
  const venue = new library.prediction.polymarket();
  venue.urls.api = { ...venue.urls.api, gamma: rest, clob: rest, data: rest, ws: marketUrl };
  venue.privateKey = OTHER_KEY;
  venue.walletAddress = OTHER_ADDRESS;
  venue.options = { ...venue.options, signatureType: 0 };
  const outcome = (id: string, name: string) => ({
    outcome: name,
    outcomeId: id,
    negRisk: false,
    precision: { price: 0.01, amount: 0.01 },
    info: {},
  });
  venue.outcomes = { UP: outcome(UP, 'UP'), DOWN: outcome(DOWN, 'DOWN') };
  venue.outcomes_by_id = { [UP]: venue.outcomes['UP'], [DOWN]: venue.outcomes['DOWN'] };
  return venue;
}

function reportedOf({ id = '', status = '', info }: CcxtOrder): Reported {
  const error: unknown =
    typeof info === 'object' && info !== null && 'errorMsg' in info ? info.errorMsg : '';
  return { id, status: status.toLowerCase(), error: typeof error === 'string' ? error : '' };
}

function shown(book: CcxtBook | undefined): ShownBook | null {
  if (book === undefined) return null;
  const rows = (levels: readonly (readonly number[])[]) =>
    levels.map(
      ([price = 0, size = 0]) => [Math.round(price * 10_000) / 100, Math.round(size)] as const,
    );
  return { bids: rows(book.bids), asks: rows(book.asks) };
}

import { WebSocket } from 'ws';
import { loadPeer } from '../../bench/peer.ts';
import { OTHER_ADDRESS, OTHER_KEY, UP } from '../../conformance/venue-a-fixture.ts';
import type { Caller, Peer, Reader, ShownBook, Reported } from './caller.ts';

interface PmxtOrder {
  readonly id?: string;
  readonly status?: string;
}

/** What is used of pmxt's venue class. */
interface PmxtVenue {
  createOrder(order: object): Promise<PmxtOrder>;
  cancelOrder(id: string): Promise<unknown>;
  fetchOrder(id: string): Promise<PmxtOrder>;
}

interface PmxtEvent {
  readonly event_type?: string;
}

interface PmxtBook {
  readonly bids: readonly { readonly price: number; readonly size: number }[];
  readonly asks: readonly { readonly price: number; readonly size: number }[];
}

interface PmxtSocket {
  readonly orderBooks: ReadonlyMap<string, PmxtBook>;
  handleBookSnapshot(event: PmxtEvent): void;
  handlePriceChange(event: PmxtEvent): void;
}

/**
 * pmxt's venue class: orders go through the official client it carries. The package does not bring
 * the socket library its live books need, so its own handlers are given the sandbox's frames by a
 * plain socket.
 */
export const pmxt: Peer = {
  name: 'pmxt-core',
  version: '2.41.0',
  async open({ rest }): Promise<Caller> {
    const library = loadPeer('pmxt-core/dist/exchanges/polymarket/index.js') as {
      PolymarketExchange: new (credentials: object) => PmxtVenue;
    } | null; // As in the pinned version.
    if (library === null) throw new Error('pmxt-core is not installed');
    const venue = new library.PolymarketExchange({
      privateKey: OTHER_KEY,
      baseUrl: rest,
      signatureType: 0,
      funderAddress: OTHER_ADDRESS,
    });
    return {
      buy: async (price, shares) =>
        reportedOf(
          await venue.createOrder({
            marketId: 'any',
            outcomeId: UP,
            side: 'buy',
            type: 'limit',
            amount: shares,
            price: price / 100,
            tickSize: 0.01,
            negRisk: false,
          }),
        ),
      buyAll: null,
      cancel: (id) => venue.cancelOrder(id),
      order: async (id) => reportedOf(await venue.fetchOrder(id)),
      trades: null,
      close: async () => undefined,
    };
  },
  async read({ sockets }): Promise<Reader> {
    const library = loadPeer('pmxt-core/dist/exchanges/polymarket/websocket.js') as {
      PolymarketWebSocket: new (callApi: () => void) => PmxtSocket;
    } | null; // As in the pinned version.
    if (library === null) throw new Error('pmxt-core is not installed');
    const handlers = new library.PolymarketWebSocket(() => undefined);
    const socket = new WebSocket(sockets.marketUrl, { skipUTF8Validation: true });
    let hasComplained = false;
    socket.on('error', () => (hasComplained = true));
    socket.on('open', () => socket.send(JSON.stringify({ assets_ids: [UP], type: 'market' })));
    socket.on('message', (data) => {
      try {
        for (const event of eventsOf(String(data))) {
          if (event.event_type === 'book') handlers.handleBookSnapshot(event);
          if (event.event_type === 'price_change') handlers.handlePriceChange(event);
        }
      } catch {
        // What it throws is its sign that something is wrong.
        hasComplained = true;
      }
    });
    return {
      book: () => shown(handlers.orderBooks.get(UP)),
      hasComplained: () => hasComplained,
      async close() {
        socket.terminate();
      },
    };
  },
};

function eventsOf(text: string): readonly PmxtEvent[] {
  try {
    const value: unknown = JSON.parse(text);
    // A frame of the venue is an event or a list of them; its field is looked at before it is used.
    return Array.isArray(value) ? value : [value as PmxtEvent];
  } catch {
    return [];
  }
}

function reportedOf({ id = '', status = '' }: PmxtOrder): Reported {
  return { id, status: String(status).toLowerCase(), error: '' };
}

function shown(book: PmxtBook | undefined): ShownBook | null {
  if (book === undefined) return null;
  const rows = (levels: PmxtBook['bids']) =>
    levels.map(({ price, size }) => [Math.round(price * 10_000) / 100, Math.round(size)] as const);
  return { bids: rows(book.bids), asks: rows(book.asks) };
}

import type { HttpCalls } from '../../../../adapters/wire/http-calls.ts';
import type { Transport } from '../../../../adapters/wire/transport.ts';
import { assert } from '../../../../domain/errors.ts';
import type { Random } from '../../../../ports/random.ts';
import type { VenueModel } from '../../../engine/exchange.ts';
import { createHeartbeats, type Heartbeats } from '../../../engine/heartbeats.ts';
import { callerTimes } from '../../../wire/caller-times.ts';
import { keyRoutes } from '../clob/clob-keys.ts';
import { publicRoutes } from '../clob/clob-public.ts';
import { tradingRoutes } from '../clob/clob-trading.ts';
import { createEventVolumes } from '../data/event-volumes.ts';
import { dataRoutes } from '../data/data-api.ts';
import { gateReply } from '../clob/engine-modes.ts';
import { respond } from '../../../feeds/feed-host.ts';
import { answerCatalogue, type CatalogueOptions } from '../gamma/gamma.ts';
import { siteRoutes } from '../site.ts';
import { createMarketChannel } from '../clob/market-channel.ts';
import { createUserChannel } from '../clob/user-channel.ts';
import { callFeed, callRoutes, type DirectLine } from '../../../wire/direct-calls.ts';
import { directSockets } from '../../../wire/direct-sockets.ts';

/** Where the model venue's interfaces are found by its transport. */
const DIRECT_URLS = {
  clobRest: 'direct:clob',
  clobMarketSocket: 'direct:market',
  clobUserSocket: 'direct:user',
  gamma: 'direct:gamma',
  dataApi: 'direct:data',
  site: 'direct:site',
  rtds: 'direct:prices',
  faucet: null,
} as const;

/**
 * The model venue for callers in the same process: all of its interfaces, and none of the network.
 */
export interface DirectVenue {
  readonly id: 'venue_a';
  readonly urls: typeof DIRECT_URLS;
  readonly transport: Transport;
  /** Stops listening to the exchange. */
  close(): void;
}

/**
 * Puts the venue's routes and channels in reach. Orders are checked, signatures included, as they
 * are over the wire.
 */
export function createDirectVenue({
  exchange,
  random,
  catalogue,
  ...line
}: DirectLine & {
  readonly exchange: VenueModel;
  /** Chance for heartbeat ids. */
  readonly random: Random;
  /** Null where markets are not asked for. */
  readonly catalogue: CatalogueOptions | null;
}): DirectVenue {
  const { faults } = exchange;
  const times = callerTimes(exchange.clock, null);
  const heartbeats: Heartbeats = createHeartbeats(exchange.clock, random, (owner) => {
    for (const { order } of exchange.openOrders(new Set([owner])))
      exchange.cancel(owner, order.orderId);
  });
  const before = (request: { readonly method: string; readonly path: string }) =>
    gateReply(faults, request);
  const user = createUserChannel(exchange);
  const market = createMarketChannel(exchange);
  const hosts: Readonly<Record<string, HttpCalls>> = {
    [DIRECT_URLS.clobRest]: callRoutes(line, {
      routes: [
        ...publicRoutes(exchange),
        ...keyRoutes(exchange, times),
        ...tradingRoutes({ exchange, heartbeats, times }),
      ],
      before,
    }),
    [DIRECT_URLS.dataApi]: callRoutes(line, {
      routes: dataRoutes(exchange, ...(catalogue === null ? [] : [createEventVolumes(catalogue)])),
      before,
    }),
    [DIRECT_URLS.site]: callRoutes(line, { routes: siteRoutes(faults), before }),
    [DIRECT_URLS.gamma]: callFeed(line, (request) =>
      catalogue === null
        ? { status: 404, body: '{}' }
        : respond(request, faults, { answer: (asked) => answerCatalogue(asked, catalogue) }),
    ),
  };
  const sockets: Readonly<Record<string, Transport['openSocket']>> = {
    [DIRECT_URLS.clobUserSocket]: directSockets(line, user.channel),
    [DIRECT_URLS.clobMarketSocket]: directSockets(line, market.channel),
  };
  return {
    id: 'venue_a',
    urls: DIRECT_URLS,
    transport: {
      calls: ({ baseUrl }) => inReach(hosts, baseUrl),
      openSocket: (options, listener) => inReach(sockets, options.url)(options, listener),
    },
    close() {
      heartbeats.close();
      user.close();
      market.close();
    },
  };
}

function inReach<T>(all: Readonly<Record<string, T>>, url: string): T {
  const found = all[url];
  assert(found !== undefined, `${url} is an interface of the model venue`);
  return found;
}

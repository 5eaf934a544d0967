import type { HttpCalls } from '../../../../adapters/wire/http-calls.ts';
import type { openSocket } from '../../../../adapters/wire/socket-frames.ts';
import type { Random } from '../../../../ports/random.ts';
import type { VenueModel } from '../../../engine/exchange.ts';
import type { Heartbeats } from '../../../engine/heartbeats.ts';
import { createHeartbeats } from '../../../engine/heartbeats.ts';
import { callerTimes } from '../../../wire/caller-times.ts';
import { keyRoutes } from '../clob/clob-keys.ts';
import { publicRoutes } from '../clob/clob-public.ts';
import { tradingRoutes } from '../clob/clob-trading.ts';
import { createEventVolumes } from '../data/event-volumes.ts';
import { dataRoutes } from '../data/data-api.ts';
import { gateReply } from '../clob/engine-modes.ts';
import { respond } from '../../../feeds/feed-host.ts';
import type { CatalogueOptions } from '../gamma/gamma.ts';
import { answerCatalogue } from '../gamma/gamma.ts';
import { siteRoutes } from '../site.ts';
import { createMarketChannel } from '../clob/market-channel.ts';
import { createUserChannel } from '../clob/user-channel.ts';
import type { DirectLine } from '../../../wire/direct-calls.ts';
import { callFeed, callRoutes } from '../../../wire/direct-calls.ts';
import { directSockets } from '../../../wire/direct-sockets.ts';

/** What a venue within the process is made of. */
export interface DirectVenueParts extends DirectLine {
  readonly exchange: VenueModel;
  /** Chance for heartbeat ids. */
  readonly random: Random;
  /** Null where nobody asks for markets. */
  readonly catalogue: CatalogueOptions | null;
}

/** The model venue for callers in the same process: all of its interfaces, and none of the network. */
export interface DirectVenue {
  readonly hosts: {
    readonly clob: HttpCalls;
    readonly gamma: HttpCalls;
    readonly data: HttpCalls;
    readonly site: HttpCalls;
  };
  readonly openUserSocket: typeof openSocket;
  readonly openMarketSocket: typeof openSocket;
  /** Stops listening to the exchange. */
  close(): void;
}

/** Puts the venue's routes and channels in reach. Orders are checked, signatures included, as they are over the wire. */
export function createDirectVenue({
  exchange,
  random,
  catalogue,
  ...line
}: DirectVenueParts): DirectVenue {
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
  return {
    hosts: {
      clob: callRoutes(line, {
        routes: [
          ...publicRoutes(exchange),
          ...keyRoutes(exchange, times),
          ...tradingRoutes({ exchange, heartbeats, times }),
        ],
        before,
      }),
      data: callRoutes(line, {
        routes: dataRoutes(
          exchange,
          ...(catalogue === null ? [] : [createEventVolumes(catalogue)]),
        ),
        before,
      }),
      site: callRoutes(line, { routes: siteRoutes(faults), before }),
      gamma: callFeed(line, (request) =>
        catalogue === null
          ? { status: 404, body: '{}' }
          : respond(request, faults, { answer: (asked) => answerCatalogue(asked, catalogue) }),
      ),
    },
    openUserSocket: directSockets(line, user.channel),
    openMarketSocket: directSockets(line, market.channel),
    close() {
      heartbeats.close();
      user.close();
      market.close();
    },
  };
}

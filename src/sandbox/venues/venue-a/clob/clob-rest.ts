import type { VenueModel } from '../../../engine/exchange.ts';
import { createHeartbeats, type Heartbeats } from '../../../engine/heartbeats.ts';
import type { Random } from '../../../../ports/random.ts';
import { callerTimes, type WallTime } from '../../../wire/caller-times.ts';
import { keyRoutes } from './clob-keys.ts';
import { publicRoutes } from './clob-public.ts';
import { tradingRoutes } from './clob-trading.ts';
import { gateReply } from './engine-modes.ts';
import {
  serveHttp,
  type Listening,
  type SlowRoute,
  type VenueRoute,
} from '../../../wire/http-server.ts';

/**
 * Serves the order-book REST interface of the model venue on loopback (venue_a.md sections 2 to 8).
 */
export async function startClobRest({
  exchange,
  random,
  wall,
  caughtUp,
  port,
}: {
  readonly exchange: VenueModel;
  /** Chance for heartbeat ids. */
  readonly random: Random;
  /**
   * The wall's time, which callers may go by as well; absent where the venue's clock is the wall's.
   */
  readonly wall?: WallTime;
  /** Resolves when the venue knows what the chain under it says now; absent without one. */
  readonly caughtUp?: () => Promise<void>;
  /** 0 or absent: any free port. */
  readonly port?: number;
}): Promise<Listening> {
  const times = callerTimes(exchange.clock, wall ?? null);
  const heartbeats: Heartbeats = createHeartbeats(exchange.clock, random, (owner) => {
    for (const { order } of exchange.openOrders(new Set([owner])))
      exchange.cancel(owner, order.orderId);
  });
  const server = await serveHttp({
    clock: exchange.clock,
    ...(port === undefined ? {} : { port }),
    before: (request) => gateReply(exchange.faults, request),
    routes: [
      ...publicRoutes(exchange),
      ...keyRoutes(exchange, times),
      ...tradingRoutes({ exchange, heartbeats, times }).map((route) =>
        caughtUp !== undefined && route.path === '/balance-allowance/update'
          ? afterChain(route, caughtUp)
          : route,
      ),
    ],
  });
  return {
    url: server.url,
    close() {
      heartbeats.close();
      return server.close();
    },
  };
}

/** A refresh reads the chain again before it is answered. */
function afterChain(route: VenueRoute, caughtUp: () => Promise<void>): SlowRoute {
  return { ...route, run: async (call) => caughtUp().then(() => route.run(call)) };
}

import type { VenueModel } from '../../models/engine/exchange.ts';
import type { Heartbeats } from '../../models/engine/heartbeats.ts';
import { createHeartbeats } from '../../models/engine/heartbeats.ts';
import type { Random } from '../../../ports/random.ts';
import { callerTimes, type WallTime } from '../caller-times.ts';
import { keyRoutes } from './clob-keys.ts';
import { publicRoutes } from './clob-public.ts';
import { tradingRoutes } from './clob-trading.ts';
import { gateReply } from './engine-modes.ts';
import type { Listening } from '../venue-http.ts';
import { serveHttp } from '../venue-http.ts';

/** What the order-book REST server needs. */
export interface ClobRestOptions {
  readonly exchange: VenueModel;
  /** Chance for heartbeat ids. */
  readonly random: Random;
  /** The wall's time, which callers may go by as well; absent where the venue's clock is the wall's. */
  readonly wall?: WallTime;
  /** 0 or absent: any free port. */
  readonly port?: number;
}

/** Serves the order-book REST interface of the model venue on loopback (venue_a.md sections 2 to 8). */
export async function startClobRest({ exchange, random, wall, port }: ClobRestOptions): Promise<Listening> {
  const times = callerTimes(exchange.clock, wall ?? null);
  const heartbeats: Heartbeats = createHeartbeats(exchange.clock, random, (owner) => {
    for (const { order } of exchange.openOrders(new Set([owner]))) exchange.cancel(owner, order.orderId);
  });
  const server = await serveHttp({
    clock: exchange.clock,
    ...(port === undefined ? {} : { port }),
    before: (request) => gateReply(exchange.faults, request),
    routes: [...publicRoutes(exchange), ...keyRoutes(exchange, times), ...tradingRoutes({ exchange, heartbeats, times })],
  });
  return {
    url: server.url,
    close() {
      heartbeats.close();
      return server.close();
    },
  };
}

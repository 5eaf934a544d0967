import type { VenueModel } from '../../models/engine/exchange.ts';
import type { Heartbeats } from '../../models/engine/heartbeats.ts';
import { createHeartbeats } from '../../models/engine/heartbeats.ts';
import type { Random } from '../../../ports/random.ts';
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
  /** 0 or absent: any free port. */
  readonly port?: number;
}

/** Serves the order-book REST interface of the model venue on loopback (venue_a.md sections 2 to 8). */
export async function startClobRest({ exchange, random, port }: ClobRestOptions): Promise<Listening> {
  const heartbeats: Heartbeats = createHeartbeats(exchange.clock, random, (owner) => {
    for (const { order } of exchange.openOrders(new Set([owner]))) exchange.cancel(owner, order.orderId);
  });
  const server = await serveHttp({
    clock: exchange.clock,
    ...(port === undefined ? {} : { port }),
    before: (request) => gateReply(exchange.faults, request),
    routes: [...publicRoutes(exchange), ...keyRoutes(exchange), ...tradingRoutes(exchange, heartbeats)],
  });
  return {
    url: server.url,
    close() {
      heartbeats.close();
      return server.close();
    },
  };
}

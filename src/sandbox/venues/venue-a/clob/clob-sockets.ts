import type { VenueModel } from '../../../engine/exchange.ts';
import { createMarketChannel } from './market-channel.ts';
import { createUserChannel } from './user-channel.ts';
import { serveSockets } from '../../../wire/socket-server.ts';

/** The venue's two channels on loopback. */
export interface ClobSockets {
  readonly marketUrl: string;
  readonly userUrl: string;
  close(): Promise<void>;
}

/** Serves market and user channel of the model venue (venue_a.md section 9). */
export async function startClobSockets({
  exchange,
  port,
}: {
  readonly exchange: VenueModel;
  readonly port?: number;
}): Promise<ClobSockets> {
  const market = createMarketChannel(exchange);
  const user = createUserChannel(exchange);
  const server = await serveSockets(
    { '/ws/market': market.channel, '/ws/user': user.channel },
    port,
  );
  return {
    marketUrl: `${server.url}/ws/market`,
    userUrl: `${server.url}/ws/user`,
    close() {
      market.close();
      user.close();
      return server.close();
    },
  };
}

import { join } from 'node:path';
import { isAddress, getAddress } from 'viem';
import { z } from 'zod';
import { POOL_VENUE } from '../../../../config/limits/sandbox-pools.ts';
import { createSeededRandom } from '../../../adapters/random/seeded-random.ts';
import { ONE_TIME } from '../../../ports/market-time.ts';
import { openRecordStore } from '../../storage/record-store.ts';
import { callerTimes } from '../../wire/caller-times.ts';
import { ok, readJson, serveHttp, type SlowRoute } from '../../wire/http-server.ts';
import { serveSockets } from '../../wire/socket-server.ts';
import type { OpenVenue, SandboxVenue, VenueParts } from '../contract.ts';
import { createCatalogue } from './model/catalogue.ts';
import { openExchange, type BookExchange } from './model/exchange.ts';
import { openModelBank, type KeptHolding, type ModelBank } from './model/model-bank.ts';
import type { Ending } from './model/market.ts';
import type { VenueOrder, VenueTrade } from './model/order.ts';
import { NO_QUOTES, startQuotes } from './model/quotes.ts';
import { createValues } from './model/values.ts';
import { createAccess, type ApiToken, type Profile } from './wire/access.ts';
import { authRoutes } from './wire/auth-routes.ts';
import { gateReply } from './wire/gate.ts';
import { marketRoutes } from './wire/market-routes.ts';
import { createMarketsNamespace } from './wire/markets-namespace.ts';
import { orderRoutes } from './wire/order-routes.ts';
import { portfolioRoutes } from './wire/portfolio.ts';
import { refused } from './wire/replies.ts';
import { socketIoChannel } from './wire/socket-io.ts';

/** Addresses of the venue's servers, without trailing slashes, and the sandbox's own endowment. */
export type VenueCUrls = Readonly<
  Record<'poolRest' | 'poolSocket' | 'poolIdentityUrl' | 'poolEndowmentUrl', string>
>;

/** The venue as it runs, with its order books. */
export interface OpenVenueC extends OpenVenue<VenueCUrls> {
  readonly exchange: BookExchange;
}

/** The venue: order books in dollars of Base. */
export const venueC: SandboxVenue<VenueCUrls, OpenVenueC> = { contracts: {}, open: openVenue };

async function openVenue({ options, shared, foundedAtMs }: VenueParts): Promise<OpenVenueC> {
  const { seed, dataDir, wallClock } = options;
  const { clock, faults } = shared;
  const records = <T>(name: string) =>
    openRecordStore<T>(dataDir === null ? null : join(dataDir, `pools-${name}.jsonl`), 1);
  const stores = {
    orders: records<VenueOrder>('orders'),
    trades: records<VenueTrade>('trades'),
    endings: records<Ending>('endings'),
    holdings: records<KeptHolding>('holdings'),
    profiles: records<Profile>('profiles'),
    tokens: records<ApiToken>('tokens'),
  };
  // A restarted venue must not draw the ids of its former run again.
  const random = createSeededRandom(`${seed}:pools:${wallClock.nowMs()}`);
  const times = callerTimes(clock, {
    clock: wallClock,
    marketTime: options.marketTime ?? ONE_TIME,
  });
  const catalogue = createCatalogue(seed, foundedAtMs);
  const values = createValues(shared, seed, catalogue.chanceOf);
  const bank = openModelBank(clock, (slug) => catalogue.find(slug, clock.nowMs()), stores.holdings);
  const exchange = openExchange({
    clock,
    random,
    faults,
    catalogue,
    values,
    bank,
    records: stores,
  });
  const quotes = options.makers === false ? NO_QUOTES : startQuotes(exchange, MAKER_ACCOUNT, seed);
  const access = createAccess({
    random,
    faults,
    times,
    profiles: stores.profiles,
    tokens: stores.tokens,
  });
  const nowMs = (): number => Math.min(...times.map((time) => time.nowMs()));
  const rest = await serveHttp({
    clock,
    before: (request) => gateReply(faults, request),
    routes: [
      ...authRoutes(access, random),
      ...orderRoutes({ exchange, quotes, access, nowMs }),
      ...portfolioRoutes(exchange, access),
      ...marketRoutes(exchange, quotes),
      endowmentRoute(bank),
    ],
  });
  const markets = createMarketsNamespace({ exchange, quotes, access });
  const sockets = await serveSockets({
    '/socket.io/': socketIoChannel({
      namespace: '/markets',
      connect: markets.connect,
      clock: wallClock,
      random,
    }),
  });
  return {
    urls: {
      poolRest: rest.url,
      poolSocket: sockets.url,
      poolIdentityUrl: `${rest.url}/sandbox/identity`,
      poolEndowmentUrl: `${rest.url}/sandbox/endowment`,
    },
    exchange,
    async close() {
      markets.stop();
      quotes.stop();
      exchange.stop();
      await bank.stop();
      await Promise.all([rest.close(), sockets.close()]);
      for (const store of Object.values(stores)) store.close();
    },
  };
}

/** Name of the market maker where no chain has an account of it. */
const MAKER_ACCOUNT = '0x1000000000000000000000000000000000000C0C';

const endowmentSchema = z.object({
  address: z.string().refine((text) => isAddress(text, { strict: false })),
  usdc: z.string().regex(/^\d{1,6}(\.\d{1,6})?$/),
});

/** The sandbox's own: dollars out of nothing. */
function endowmentRoute(bank: ModelBank): SlowRoute {
  return {
    method: 'POST',
    path: '/sandbox/endowment',
    run({ body }) {
      const read = endowmentSchema.safeParse(readJson(body));
      if (!read.success) return refused(400, 'address and usdc (up to 999999) are required');
      const micros = Math.round(Number(read.data.usdc) * 1_000_000);
      if (micros > POOL_VENUE.faucetMaximumMicros) return refused(400, 'too many dollars');
      bank.give(getAddress(read.data.address), micros);
      return ok({ address: getAddress(read.data.address), usdc: read.data.usdc });
    },
  };
}

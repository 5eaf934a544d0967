import { join } from 'node:path';
import { getAddress, isAddress, type Hex } from 'viem';
import { z } from 'zod';
import { POOL_VENUE } from '../../../../config/limits/sandbox-pools.ts';
import { createSeededRandom } from '../../../adapters/random/seeded-random.ts';
import { ONE_TIME } from '../../../ports/market-time.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { QueuedTransaction } from '../../chains/evm/account-queue.ts';
import type { DeployedChain } from '../../chains/evm/deploy-chain.ts';
import type { WorldChains } from '../../chains/world-chains.ts';
import { openRecordStore, type RecordStore } from '../../storage/record-store.ts';
import { callerTimes } from '../../wire/caller-times.ts';
import { ok, readJson, type SlowRoute } from '../../wire/http-server.ts';
import type { UpgradedChannel } from '../../wire/socket-server.ts';
import type { WorldOptions } from '../../world-settings.ts';
import type { OpenVenue, VenueParts } from '../contract.ts';
import { createPoolFaults } from './amm/pool-faults.ts';
import { startPoolMaker } from './amm/pool-maker.ts';
import type { PoolFill } from './amm/pool-fill.ts';
import { openPools, type MadePool } from './amm/pools.ts';
import { openChainBank } from './chain/chain-bank.ts';
import { endow, makerAccount } from './chain/maker-account.ts';
import type { Bank } from './model/bank.ts';
import { createCatalogue } from './model/catalogue.ts';
import { dropOld } from './model/exchange-state.ts';
import { openExchange, type BookExchange } from './model/exchange.ts';
import { openModelBank, type KeptHolding } from './model/model-bank.ts';
import type { VenueMarket, Ending } from './model/market.ts';
import type { VenueOrder, VenueTrade } from './model/order.ts';
import { NO_QUOTES, startQuotes } from './model/quotes.ts';
import { createValues } from './model/values.ts';
import { cancelReplaceRoutes } from './wire/cancel-replace.ts';
import { createAccess, type Access, type ApiToken, type Profile } from './wire/access.ts';
import { authRoutes } from './wire/auth-routes.ts';
import { marketRoutes } from './wire/market-routes.ts';
import { createMarketsNamespace } from './wire/markets-namespace.ts';
import { orderRoutes } from './wire/order-routes.ts';
import { portfolioRoutes } from './wire/portfolio.ts';
import { refused } from './wire/replies.ts';
import { showMarkets, type PoolSide } from './wire/shown-markets.ts';
import { socketIoChannel } from './wire/socket-io.ts';

/** The venue before anything serves it. */
export interface VenueModel extends Pick<OpenVenue<unknown>, 'beforeTransaction'> {
  readonly exchange: BookExchange;
  readonly access: Access;
  /** Null in a world without chains. */
  readonly amm: PoolSide | null;
  readonly give: Give;
  readonly routes: readonly SlowRoute[];
  readonly channel: UpgradedChannel;
  stop(): Promise<void>;
}

/** Opens the venue's model, with what an earlier run of it has kept. */
export function openModel({
  options,
  shared,
  foundedAtMs,
  chains,
}: Pick<VenueParts, 'shared' | 'foundedAtMs' | 'chains'> & {
  readonly options: Pick<
    WorldOptions,
    'seed' | 'dataDir' | 'wallClock' | 'makers' | 'settlement' | 'marketTime'
  >;
}): VenueModel {
  const { seed, dataDir, wallClock } = options;
  const { clock, faults } = shared;
  const records = <T>(name: string) =>
    openRecordStore<T>(dataDir === null ? null : join(dataDir, `pools-${name}.jsonl`), 1);
  const stores = {
    orders: records<VenueOrder>('orders'),
    trades: records<VenueTrade>('trades'),
    endings: records<Ending>('endings'),
    madePools: records<MadePool>('amm'),
    fills: records<PoolFill>('amm-fills'),
    grants: records<Grant>('grants'),
    profiles: records<Profile>('profiles'),
    tokens: records<ApiToken>('tokens'),
  };
  // A restarted venue must not draw the ids of its former run again.
  const random = createSeededRandom(`${seed}:pools:${wallClock.nowMs()}`);
  const times = callerTimes(clock, {
    clock: wallClock,
    marketTime: options.marketTime ?? ONE_TIME,
  });
  const chain = chains !== null && options.settlement === 'chain' ? baseOf(chains) : null;
  const catalogue = createCatalogue({ seed, foundedAtMs, hasPools: chain !== null });
  const values = createValues(shared, seed, catalogue);
  const money = openMoney(chain, {
    clock,
    wallClock,
    marketOf: (slug) => catalogue.find(slug, clock.nowMs()),
    orders: stores.orders,
    records,
  });
  const exchange = openExchange({
    clock,
    random,
    faults,
    catalogue,
    values,
    bank: money.bank,
    records: stores,
    elsewhere: () => stores.madePools.all().map(({ slug }) => slug),
  });
  /** The pools, and who trades there. */
  const openAmm = (on: Promise<DeployedChain>) => {
    const pools = openPools({
      chain: on,
      clock,
      wallClock,
      marketOf: (slug) => catalogue.find(slug, clock.nowMs()),
      chanceOf: (market) => values.fairAt(market, clock.nowMs()) ?? 0.5,
      made: stores.madePools,
      fills: stores.fills,
    });
    const isTrading = options.makers !== false;
    const maker = startPoolMaker({ clock, seed, values, pools, isTrading });
    const beforeTransaction = createPoolFaults({ chain: on, faults, pools, maker });
    return { pools, maker, beforeTransaction };
  };
  const amm = chain === null ? null : openAmm(chain);
  const quotes =
    options.makers === false ? NO_QUOTES : startQuotes(exchange, makerAccount(seed).address, seed);
  const access = createAccess({
    random,
    faults,
    times,
    profiles: stores.profiles,
    tokens: stores.tokens,
  });
  const nowMs = (): number => Math.min(...times.map((time) => time.nowMs()));
  const shown = showMarkets(exchange, quotes, amm);
  const trading = { exchange, quotes, access, nowMs };
  const markets = createMarketsNamespace({ exchange, shown, access, amm });
  return {
    exchange,
    access,
    amm,
    give: money.give,
    ...(amm === null ? {} : { beforeTransaction: amm.beforeTransaction }),
    routes: [
      ...authRoutes(access, random),
      ...orderRoutes(trading),
      ...cancelReplaceRoutes(trading),
      ...portfolioRoutes(exchange, access, amm),
      ...marketRoutes(exchange, shown, amm),
      endowmentRoute(money.give, stores.grants),
    ],
    channel: socketIoChannel({
      namespace: '/markets',
      connect: markets.connect,
      clock: wallClock,
      random,
    }),
    async stop() {
      markets.stop();
      quotes.stop();
      exchange.stop();
      await amm?.maker.stop();
      await amm?.pools.stop();
      await money.bank.stop();
      for (const store of Object.values(stores)) store.close();
    },
  };
}

/** Chain 8453. */
function baseOf(chains: Promise<WorldChains>): Promise<DeployedChain> {
  const chain = chains.then(({ base }) => base);
  chain.catch(() => undefined); // who waits for it hears of it
  return chain;
}

/** A gift that was named: plain JSON. */
interface Grant {
  /** Address and name. */
  readonly key: string;
}

/** Gives an account dollars, and coins where there is a chain. */
type Give = (to: Hex, micros: number, wei: bigint) => Promise<void>;

/** Money on chain 8453, or where the world does without in the venue's own books. */
function openMoney(
  chain: Promise<DeployedChain> | null,
  parts: {
    readonly clock: Clock;
    readonly wallClock: Clock;
    readonly marketOf: (slug: string) => VenueMarket | null;
    readonly orders: RecordStore<VenueOrder>;
    readonly records: <T>(name: string) => RecordStore<T>;
  },
): { readonly bank: Bank; readonly give: Give } {
  const { clock, wallClock, marketOf, orders, records } = parts;
  if (chain === null) {
    const bank = openModelBank(clock, marketOf, records<KeptHolding>('holdings'));
    return { bank, give: async (to, micros) => bank.give(to, micros) };
  }
  const bank = openChainBank({
    chain,
    clock: wallClock,
    marketOf,
    signedOf: ({ orderId }) => orders.get(orderId)?.signed ?? null,
    transactions: records<QueuedTransaction>('transactions'),
  });
  return {
    bank,
    give: async (to, micros, wei) => endow(await chain, { to, micros: BigInt(micros), wei }),
  };
}

const endowmentSchema = z.object({
  address: z.string().refine((text) => isAddress(text, { strict: false })),
  usdc: z.string().regex(/^\d{1,6}(\.\d{1,6})?$/),
  /** A call with a name gives once. */
  name: z.string().min(1).max(POOL_VENUE.grantNameLength).optional(),
});

/** The sandbox's own: dollars out of nothing, and coins for gas. */
function endowmentRoute(give: Give, granted: RecordStore<Grant>): SlowRoute {
  return {
    method: 'POST',
    path: '/sandbox/endowment',
    async run({ body }) {
      const read = endowmentSchema.safeParse(readJson(body));
      if (!read.success) return refused(400, 'address and usdc (up to 999999) are required');
      const micros = Math.round(Number(read.data.usdc) * 1_000_000);
      if (micros > POOL_VENUE.faucetMaximumMicros) return refused(400, 'too many dollars');
      const address = getAddress(read.data.address);
      const { name } = read.data;
      const key = `${address} ${name}`;
      if (name === undefined || granted.get(key) === null)
        await give(address, micros, POOL_VENUE.faucetWei);
      if (name !== undefined) granted.put(key, { key });
      dropOld(
        granted,
        POOL_VENUE.grantsKept,
        (grant) => grant.key,
        () => true,
      );
      return ok({ address, usdc: read.data.usdc });
    },
  };
}

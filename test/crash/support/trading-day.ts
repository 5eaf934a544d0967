import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWallClock } from '../../../src/adapters/clock/wall-clock.ts';
import { openLmdbStore } from '../../../src/adapters/lmdb/lmdb-store.ts';
import { asId, type Address, type OrderId, type UserId } from '../../../src/domain/ids.ts';
import type { TradeSide } from '../../../src/domain/order.ts';
import { priceTicks, usdcMicros } from '../../../src/domain/units.ts';
import type { ExchangeMarket, OrderView } from '../../../src/sandbox/engine/exchange-types.ts';
import { startWorld, type World } from '../../../src/sandbox/world.ts';
import {
  BALANCES,
  FILLS,
  ORDERS,
  ORDER_KEYS,
  POSITIONS,
} from '../../../src/services/books/tables.ts';
import { brokenLaws } from '../../support/worlds/trading-world.ts';
import { WORLD_CREDENTIALS } from '../../support/worlds/small-world.ts';
import { keepAlive, type KeptDaemon } from './kept-daemon.ts';
import { KILLER, killing, momentsIn, type Kills } from './kills.ts';
import { worldSettings } from './world-settings.ts';

const MAKER = asId<Address>('0x00000000000000000000000000000000000000A1');
const PHONE = '+12025550145';
/** States an order never leaves: waiting for another one would never end. */
const ENDS = new Set(['filled', 'cancelled', 'expired', 'rejected']);

/** What a day left, in words that do not depend on ids and times. */
export interface DayEnd {
  /** Durable steps come to, and those the daemon was killed at. */
  readonly steps: readonly string[];
  readonly killedAt: readonly string[];
  readonly lives: number;
  /** Orders as the venue has them. */
  readonly venue: unknown;
  /** Orders by Idempotency-Key, fills, positions, balances as the store has them. */
  readonly store: unknown;
  /** Orders, positions and cash as the API shows them. */
  readonly api: unknown;
  /** True when a repeated POST gave the same order each time. */
  readonly repeats: readonly boolean[];
  readonly ordersAtVenue: number;
  readonly brokenLaws: readonly string[];
  readonly journalHoles: number;
  readonly errors: readonly string[];
}

interface Day {
  readonly world: World;
  readonly daemon: KeptDaemon;
  readonly folder: string;
  readonly market: ExchangeMarket;
}

/**
 * Lives a trading day, the same each time, on a daemon that is killed and started again on the way.
 */
export async function tradingDay(kills: Kills | null): Promise<DayEnd> {
  const folder = mkdtempSync(join(tmpdir(), 'predictd-day-'));
  const done = join(folder, 'done');
  const world = await startWorld({
    seed: 7,
    clock: createWallClock(),
    wallClock: createWallClock(),
    dataDir: null,
    makers: false,
    credentials: WORLD_CREDENTIALS,
    delays: { minedAfterMs: 500, confirmedAfterMs: 2_500 },
  });
  const daemon = keepAlive(
    {
      ...worldSettings(world),
      PREDICTD_PROFILE: 'test',
      PREDICTD_FAUCET_URL: world.urls.venues.venue_a.faucet,
      PREDICTD_DATA: join(folder, 'data'),
    },
    {
      preload: KILLER,
      environment: killing(kills, done),
    },
  );
  try {
    const market = world.venues.venue_a.exchange
      .markets()
      .find(({ slug }) => slug === 'snow-in-lisbon-this-season');
    if (market === undefined) throw new Error('the world lists the standing markets');
    const day: Day = { world, daemon, folder, market };
    const api = await live(day);
    await daemon.end();
    return { ...api, ...momentsIn(done), lives: daemon.lives(), ...(await left(day)) };
  } finally {
    await daemon.kill();
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** An order in the API's answers, as far as this day looks at it. */
interface OrderAnswer {
  readonly id: string;
  readonly orderId: string | null;
  readonly state: string;
  readonly filledShares: string;
}

interface HoldingAnswer {
  readonly data: readonly {
    readonly state: string;
    readonly shares: string;
    readonly settledShares: string;
    readonly provisionalShares: string;
    readonly realizedPnl: string;
    readonly feesUsdc: string;
    readonly costUsdc: string;
  }[];
  readonly cash: {
    readonly settled: string;
    readonly provisional: string;
    readonly reserved: string;
    readonly available: string;
  };
}

async function live(
  day: Day,
): Promise<Pick<DayEnd, 'api' | 'repeats' | 'venue' | 'ordersAtVenue'>> {
  const { daemon, world, market } = day;
  const address = await signIn(day);
  await daemon.call('PUT', '/api/user/profile', { username: 'ada' });
  const holding = () => daemon.call<HoldingAnswer>('GET', '/api/venue_a/holding/?positionType=all');
  await daemon.until(holding, ({ cash }) => cash.settled === '1000');
  stockMaker(day);
  const order = (id: string) => () => daemon.call<OrderAnswer>('GET', `/api/venue_a/order/${id}/`);
  const isIn = (state: string) => (answer: OrderAnswer) => {
    if (answer.state !== state && ENDS.has(answer.state))
      throw new Error(`the order ended ${answer.state}, not ${state}: ${JSON.stringify(answer)}`);
    return answer.state === state;
  };
  const isSettled =
    (shares: string) =>
    ({ data }: HoldingAnswer) =>
      data.some(
        (position) => position.settledShares === shares && position.provisionalShares === '0',
      );
  const repeats: boolean[] = [];
  const placed: OrderAnswer[] = [];
  const place = async (key: string, body: object): Promise<OrderAnswer> => {
    const request = { marketId: market.marketId, side: 'yes', ...body };
    const first = await daemon.call<OrderAnswer>('POST', '/api/venue_a/order/', request, key);
    const again = await daemon.call<OrderAnswer>('POST', '/api/venue_a/order/', request, key);
    repeats.push(first.id === again.id && first.orderId === again.orderId);
    placed.push(first);
    return first;
  };

  const bought = await place('buy', { amount: '10', orderType: 'market' });
  await daemon.until(order(bought.id), isIn('filled'));
  await daemon.until(holding, isSettled('25'));

  const resting = await place('rest', {
    amount: '20',
    orderMode: 'shares',
    orderType: 'limit',
    price: '0.35',
  });
  await daemon.until(order(resting.id), isIn('live'));
  makerOrder(day, { side: 'sell', price: 3_500, shares: 8, timeInForce: 'FAK' });
  await daemon.until(order(resting.id), ({ filledShares }) => filledShares === '8');
  await daemon.until(holding, isSettled('33'));
  await daemon.call('DELETE', `/api/venue_a/order/${resting.id}/`, undefined, null, [409]);
  await daemon.until(order(resting.id), isIn('cancelled'));

  const sold = await place('sell', {
    action: 'sell',
    amount: '13',
    orderMode: 'shares',
    orderType: 'market',
  });
  await daemon.until(order(sold.id), isIn('filled'));
  await daemon.until(holding, isSettled('20'));

  world.faults.arm('ghost-fill', { times: 1 });
  const ghost = await place('ghost', { side: 'no', amount: '6', orderType: 'market' });
  await daemon.until(order(ghost.id), ({ state }) => state === 'filled' || state === 'cancelled');
  await daemon.until(
    holding,
    ({ data, cash }) =>
      cash.provisional === '0' &&
      data.length === 2 &&
      data.every(({ provisionalShares }) => provisionalShares === '0'),
  );

  world.venues.venue_a.exchange.resolve(market.marketId, [10_000, 0]);
  await daemon.until(holding, ({ data }) => data.some(({ state }) => state === 'redeemed'));

  const orders = await Promise.all(placed.map(({ id }) => order(id)()));
  const end = await holding();
  const atVenue = venueOrders(world.venues.venue_a, address);
  return {
    api: { orders: orders.map(timeless), cash: end.cash, positions: end.data.map(timeless) },
    repeats,
    venue: atVenue.map(
      ({
        order: { side, price, makerMicros, takerMicros, timeInForce },
        outcome,
        status,
        matchedShares,
      }) => ({
        side,
        price,
        makerMicros,
        takerMicros,
        timeInForce,
        outcome,
        status,
        matchedShares,
      }),
    ),
    ordersAtVenue: atVenue.length,
  };
}

async function signIn({ daemon }: Day): Promise<Address> {
  for (;;) {
    const { challengeId } = await daemon.call<{ challengeId: string }>(
      'POST',
      '/api/auth/otp/request',
      { phone: PHONE },
    );
    const code = [...daemon.printed().matchAll(/code for \S+: (\d{6})/g)].at(-1)?.[1] ?? '000000';
    // A code is good for one use: when the answer was lost with the process, a person asks for
    // another.
    const { accessToken, user } = await daemon.call<{
      accessToken?: string;
      user: { wallets: { safe: Address } };
    }>('POST', '/api/auth/otp/verify', { challengeId, code }, null, [400, 401, 410]);
    if (accessToken === undefined) continue;
    daemon.useToken(accessToken);
    return user.wallets.safe;
  }
}

/** Quotes of the market maker: enough for the day, the same in every run. */
function stockMaker(day: Day): void {
  const { exchange } = day.world.venues.venue_a;
  exchange.deposit(MAKER, usdcMicros(1_000_000_000));
  exchange.split(MAKER, day.market.marketId, 500_000_000);
  makerOrder(day, { side: 'sell', price: 4_000, shares: 100, timeInForce: 'GTC' });
  makerOrder(day, { side: 'buy', price: 3_200, shares: 100, timeInForce: 'GTC' });
}

let makerOrders = 0;

function makerOrder(
  { world, market }: Day,
  {
    side,
    price,
    shares,
    timeInForce,
  }: {
    readonly side: TradeSide;
    readonly price: number;
    readonly shares: number;
    readonly timeInForce: 'GTC' | 'FAK';
  },
): void {
  makerOrders += 1;
  const micros = shares * 1_000_000;
  const usdc = (micros * price) / 10_000;
  const answer = world.venues.venue_a.exchange.place({
    orderId: asId<OrderId>(`0x${'ee'.repeat(28)}${String(makerOrders).padStart(8, '0')}`),
    maker: MAKER,
    owner: 'maker:day',
    tokenId: market.tokens[0],
    side,
    timeInForce,
    price: priceTicks(price),
    makerMicros: side === 'buy' ? usdc : micros,
    takerMicros: side === 'buy' ? micros : usdc,
    expiresAtMs: null,
    postOnly: false,
  });
  if (answer.kind === 'rejected')
    throw new Error(`the market maker's order was refused: ${answer.reason}`);
}

/** Every order the venue ever took from the Safe at this address, in order of taking. */
function venueOrders(
  { exchange }: World['venues']['venue_a'],
  address: Address,
): readonly OrderView[] {
  return exchange
    .snapshot()
    .records.flatMap((record) =>
      record.kind === 'order' && record.order.order.maker.toLowerCase() === address.toLowerCase()
        ? [record.order]
        : [],
    )
    .sort((one, other) => one.createdAtMs - other.createdAtMs);
}

/** What is in the folder once no process runs. */
async function left({
  folder,
}: Day): Promise<Pick<DayEnd, 'store' | 'brokenLaws' | 'journalHoles' | 'errors'>> {
  const store = await openLmdbStore({ path: join(folder, 'data', 'store') });
  try {
    const orders = store.range(ORDERS).map(({ value }) => value);
    const user: UserId = orders[0]?.intent.userId ?? asId<UserId>('unknown');
    const keys = new Map(
      store
        .range(ORDER_KEYS)
        .map(({ key, value }) => [value.intentId, String(key[1]).split(':')[0]]),
    );
    const state = {
      orders: orders.map(
        ({ intent, state: ends, filledShares, filledUsdc, feesUsdc, reserved }) => ({
          key: keys.get(intent.intentId),
          side: intent.side,
          outcome: intent.outcome,
          ends,
          filledShares,
          filledUsdc,
          feesUsdc,
          reserved,
        }),
      ),
      fills: store
        .range(FILLS)
        .map(({ value: { side, shares, usdc, fee, settlement } }) => ({
          side,
          shares,
          usdc,
          fee,
          settlement,
        }))
        .sort((one, other) => one.shares - other.shares),
      positions: store
        .range(POSITIONS)
        .map(({ value: { outcome, state: ends, shares, costUsdc, realizedPnl } }) => ({
          outcome,
          ends,
          shares,
          costUsdc,
          realizedPnl,
        }))
        .sort((one, other) => one.outcome - other.outcome),
      balances: store
        .range(BALANCES)
        .map(({ key, value }) => ({ key: key.join(' ').replaceAll(user, 'user'), value }))
        .sort((one, other) => (one.key < other.key ? -1 : 1)),
    };
    const journal = store.readJournal(0, 1_000_000);
    return {
      store: state,
      brokenLaws: brokenLaws(store, user),
      journalHoles: journal.filter(({ seq }, index) => seq !== index + 1).length,
      errors: errorsIn(join(folder, 'data', 'predictd.log')),
    };
  } finally {
    await store.close();
  }
}

function errorsIn(file: string): readonly string[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"level":"error"'));
}

const TIMES_AND_IDS = new Set([
  'id',
  'orderId',
  'createdAtMs',
  'updatedAtMs',
  'expiresAtMs',
  'openedAtMs',
  'endsAtMs',
  'closedAtMs',
]);

function timeless(answer: object): unknown {
  return Object.fromEntries(Object.entries(answer).filter(([name]) => !TIMES_AND_IDS.has(name)));
}

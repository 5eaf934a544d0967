import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { API } from '../../config/limits/api.ts';
import { createWallClock } from '../../src/adapters/clock/wall-clock.ts';
import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';
import { priceTicks, shareMicros, usdcMicros } from '../../src/domain/units.ts';
import { AppError } from '../../src/domain/errors.ts';
import { asId, type Address, type UserId } from '../../src/domain/ids.ts';
import type { PlaceOrder } from '../../src/services/orders/place-order.ts';
import { ORDERS } from '../../src/services/books/tables.ts';
import { liveThroughSocketLoad } from '../chaos/sockets/load.ts';
import { killDaemons, startDaemon } from '../crash/support/daemon.ts';
import { POISONED_TITLES } from '../fixtures/poisoned-titles/poisoned-titles.ts';
import { aBook } from '../http/samples.ts';
import { startApi, type TestApi } from '../http/api.ts';
import { openSocket, type SocketClient } from '../http/live/socket-client.ts';
import { findingsOf } from '../scenarios/findings.ts';
import { openRuntime } from '../simulate/service.ts';
import type { CutMoment } from '../simulate/happenings.ts';
import { aMarketBuy } from '../support/builders.ts';
import { liveOn } from '../support/worlds/poisoned-day.ts';
import { startStoreProcess } from '../support/fixtures/store-process.ts';
import { aWorld, brokenLaws, during, endState } from '../support/worlds/trading-world.ts';
import { runs, sampled } from '../support/sampled.ts';
import { createFindings, type Findings, type Scenario } from './findings.ts';
import { codeOf, enableAgent, ENTRY, onModels, openWorld } from './fixture.ts';
import { VENUE_A } from '../support/venue-ids.ts';

const CASH = 200_000_000;
const OFFER = { side: 'sell', price: 5_000, shares: 100 } as const;
const HOUR_MS = 3_600_000;
const RESTARTS = runs(200, 1_000);
const TOKEN = '555';
/** Changes of a large book: ten megabytes that one client does not read. */
const CHANGES = 100;
/** At most a fifth of the sockets of `npm run sim -- chaos`: what the tests have time for. */
const STORM_SOCKETS = runs(300, 1_000);
const CUT_MOMENTS: readonly CutMoment[] = ['before-commit', 'after-commit', 'after-flush'];

/** A scenario outside the models: gives its own findings. */
function scenario(play: (is: Findings['is']) => Promise<void>): Scenario {
  return async () => {
    const findings = createFindings();
    await play(findings.is);
    return findings.wrong;
  };
}

/**
 * Where a life is cut: at the n-th commit after the deposit, before it is kept, after it, or when
 * it is durable.
 */
interface Cut {
  readonly commits: number;
  readonly moment: CutMoment;
}

interface LifeEnd {
  readonly commits: number;
  readonly lives: number;
  readonly wrong: unknown;
  readonly end: unknown;
}

/**
 * A purchase that settles, a bid that is taken back and a sale; asked for again, under the same
 * keys, by a user whose service was cut off.
 */
async function liveWithCut(cut: Cut | null): Promise<LifeEnd> {
  const { clock, model, market, quote } = await openWorld();
  const runtime = openRuntime({ clock, model, seed: 7, books: 'channel', names: ['usr_1'] });
  await clock.advanceUntil(() => runtime.service() !== null, 60_000);
  const userId = asId<UserId>('usr_1');
  model.exchange.deposit(runtime.users[0]?.address ?? asId<Address>('0x0'), usdcMicros(CASH));
  runtime.want((service) => service.core.trading.funding.syncDeposits(userId));
  quote(OFFER);
  quote({ side: 'buy', price: 4_800, shares: 100 });
  await clock.advance(10_000);
  const before = runtime.store().commits;
  if (cut !== null) runtime.cutInCommit({ ...cut, keptCommits: 0, downMs: 2_000 });
  const shared = {
    venue: VENUE_A,
    marketId: market.marketId,
    outcome: 0,
    origin: { kind: 'manual' },
  } as const;
  const place = async (request: PlaceOrder): Promise<void> => {
    runtime.want((service) =>
      service.core.orders.place(userId, request).catch((error: unknown) => {
        // A person who is asked to try again does; any other refusal is an answer.
        throw error instanceof AppError && error.retryable
          ? new AppError('venue_unavailable', error.message, { cause: error })
          : error;
      }),
    );
    await clock.advance(60_000);
  };
  await place({
    ...shared,
    idempotencyKey: 'buy',
    side: 'buy',
    amount: { unit: 'usdc', micros: 10_000_000 },
    type: { kind: 'market' },
  });
  await place({
    ...shared,
    idempotencyKey: 'bid',
    side: 'buy',
    amount: { unit: 'shares', micros: 20_000_000 },
    type: { kind: 'limit', price: priceTicks(4_000), expiresAtMs: null },
  });
  runtime.want(async ({ core }) => {
    for (const { intent } of core.orders.listOpen(userId))
      await core.orders.cancel(userId, intent.intentId);
  });
  await clock.advance(60_000);
  await place({
    ...shared,
    idempotencyKey: 'sell',
    side: 'sell',
    amount: { unit: 'shares', micros: 10_000_000 },
    type: { kind: 'market' },
  });
  const service = runtime.service();
  const store = runtime.store();
  const found =
    service === null
      ? { down: ['the service was down at the end'] }
      : findingsOf({ service, model, users: runtime.users });
  const wrong = {
    problems: runtime.problems,
    ...Object.fromEntries(Object.entries(found).filter(([, list]) => list.length > 0)),
  };
  const { orders, positions, balances } = endState(store) as {
    readonly orders: readonly object[];
    readonly positions: unknown;
    readonly balances: unknown;
  }; // endState gives exactly these, and fills, whose ids the venue draws.
  const end = { orders: orders.map((order) => JSON.stringify(order)).sort(), positions, balances };
  model.stop();
  if (service !== null) await Promise.race([service.stop(), clock.advance(60_000)]);
  return { commits: store.commits - before, lives: runtime.lives, wrong, end };
}

async function signedIn(api: TestApi, token: string): Promise<SocketClient> {
  const client = await openSocket(api.url, { authorization: `Bearer ${token}` });
  await client.next();
  return client;
}

function wide(seq: number): ReturnType<typeof aBook> {
  return aBook({
    seq,
    bids: Array.from({ length: 4_000 }, (_unused, index) => ({
      price: priceTicks(9_000 - index),
      size: shareMicros(seq * 1_000_000 + index),
    })),
  });
}

async function showBook(api: TestApi, seq: number): Promise<void> {
  api.books.set(TOKEN, wide(seq));
  api.touchBook(TOKEN);
  await api.clock.advance(API.socketFlushMs);
}

/** A client that subscribes and then reads nothing more. */
async function openSlow(api: TestApi, token: string): Promise<{ leave(): void }> {
  const slow = connect(api.server.port, '127.0.0.1');
  const frame = (text: string) =>
    Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]);
  slow.write(
    `GET /ws HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
  );
  await new Promise((resolve) => slow.once('data', resolve));
  slow.write(frame(`{"op":"subscribe","topics":["orderbook:venue_a:${TOKEN}"]}`));
  await new Promise((resolve) => slow.once('data', resolve));
  slow.pause();
  slow.on('error', () => undefined);
  return { leave: () => void slow.destroy() };
}

async function subscribed(client: SocketClient): Promise<Record<string, unknown>> {
  client.send({ op: 'subscribe', topics: [`orderbook:venue_a:${TOKEN}`] });
  await client.next();
  return client.next();
}

/** Scenarios of the rows about the service itself. */
export const SERVICE: Readonly<Record<string, Scenario>> = {
  'kill-anywhere': scenario(async (is) => {
    const whole = await liveWithCut(null);
    is(
      'the life without a kill',
      { wrong: whole.wrong, lives: whole.lives, isLong: whole.commits > 10 },
      { wrong: { problems: [] }, lives: 1, isLong: true },
    );
    // Every commit of this life at every moment; SIGKILL at the real process's, and every commit of
    // seventy lives, are what test/crash and `npm run sim -- crash` do.
    const cuts = CUT_MOMENTS.flatMap((moment) =>
      Array.from({ length: whole.commits }, (_, before) => ({ moment, commits: before + 1 })),
    );
    for (const cut of sampled('kill-anywhere', cuts, 15)) {
      const { wrong, lives, end } = await liveWithCut(cut);
      is(
        `killed ${cut.moment} ${cut.commits}`,
        { wrong, lives, end },
        { wrong: { problems: [] }, lives: 2, end: whole.end },
      );
    }
  }),

  'two-daemons': scenario(async (is) => {
    const folder = mkdtempSync(join(tmpdir(), 'predictd-survival-'));
    mkdirSync(join(folder, 'store'));
    const first = startStoreProcess(join(folder, 'store'), 'hold');
    await first.nextLine();
    const second = startDaemon({ PREDICTD_DATA: folder });
    const { code } = await second.ended;
    is(
      'the second process',
      { code, isClear: second.complained().includes('another process is using the data folder') },
      { code: 2, isClear: true },
    );
    await first.kill();
    await killDaemons();
    rmSync(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
  }),

  'crash-loop': scenario(async (is) => {
    const world = aWorld();
    const caps = { dailyLossUsdc: usdcMicros(25_000_000) };
    let store = createMemoryStore();
    let made = 0;
    let refused = 0;
    for (let life = 0; life < RESTARTS; life += 1) {
      const living = world.live(store, { seed: `life ${life}`, caps });
      await living.orders.recover();
      if (life === 0) await living.funding.syncDeposits(world.user);
      const reported = await codeOf(during(world, living.orders.place(world.user, aMarketBuy())));
      if (reported === 'no refusal') made += 1;
      if (reported === 'cap_exceeded') refused += 1;
      living.die();
      await living.orders.stop();
      store = store.crash();
    }
    is(
      'purchases of 10 USDC within a budget of 25, and refusals',
      { made, refused },
      { made: 2, refused: RESTARTS - 2 },
    );
    is('orders stored', store.range(ORDERS).length, 2);
    is('laws', brokenLaws(store, world.user), []);
  }),

  'disk-full': (() => {
    const disk = { isFull: false };
    return onModels(
      async (fixture) => {
        const { is, clock, market, user } = fixture;
        fixture.quote(OFFER);
        await clock.advance(1_000);
        disk.isFull = true;
        is('an order', await codeOf(fixture.buy()), 'store_unavailable');
        is('orders the engine saw', fixture.asked.length, 0);
        is(
          'reads go on',
          {
            cash: fixture.service().core.trading.portfolio.cash(user.userId, 'usdc:safe').available,
            ask: fixture.service().core.at(VENUE_A).books.top(market.tokens[0])?.value.ask?.price,
          },
          { cash: CASH, ask: 5_000 },
        );
        disk.isFull = false;
        const placed = await fixture.buy();
        await clock.advance(20_000);
        is('an order once there is room', fixture.order(placed).state, 'filled');
      },
      {
        disk: {
          beforeCommit() {
            if (disk.isFull) throw new Error('no space left on device');
          },
        },
      },
    );
  })(),

  'clock-jump': scenario(async (is) => {
    const wall = { nowMs: 1_800_000_000_000, steadyMs: 0 };
    const steps: number[] = [];
    const clock = createWallClock({
      wallMs: () => wall.nowMs,
      steadyMs: () => wall.steadyMs,
      stepped: (stepMs) => void steps.push(stepMs),
    });
    const before = clock.nowMs();
    const pass = (ms: number, jumpMs = 0): number => {
      wall.steadyMs += ms;
      wall.nowMs += ms + jumpMs;
      return clock.nowMs() - before;
    };
    is('a second after it was set back an hour', pass(1_000, -HOUR_MS), 500);
    is('an hour later', pass(HOUR_MS) > 500, true);
    is('set ahead by two hours it follows at once', pass(0, 2 * HOUR_MS), wall.nowMs - before);
    is('both are reported', steps, [-HOUR_MS, 2 * HOUR_MS]);
    is('rounds and deadlines', await jumpedRound(), []);
  }),

  'slow-reader': scenario(async (is) => {
    const api = await startApi();
    const { token } = await api.signIn();
    api.books.set(TOKEN, wide(1));
    const slow = await openSlow(api, token);
    const quick = await signedIn(api, token);
    await subscribed(quick);
    const heard: unknown[] = [];
    for (let seq = 2; seq < 2 + CHANGES; seq += 1) {
      await showBook(api, seq);
      heard.push((await quick.next())['seq']);
    }
    // Whether its backlog has had it closed by now is the kernel's buffers' to say; test/http/live
    // proves that it is. Here it comes back.
    slow.leave();
    is(
      'what the others heard',
      heard,
      Array.from({ length: CHANGES }, (_, index) => index + 2),
    );
    const again = await signedIn(api, token);
    const first = await subscribed(again);
    is(
      'what it begins again with',
      { kind: first['kind'], seq: first['seq'], trusted: first['trusted'] },
      { kind: 'snapshot', seq: 1 + CHANGES, trusted: true },
    );
    for (const client of [quick, again]) client.close();
    await api.close();
  }),

  storm: scenario(async (is) => {
    // A real daemon, its readers in processes of their own. How long it took by the wall is the
    // machine's to say (`npm run sim -- chaos`); what the daemon had to do is not.
    const { equal, holes, example, returns } = await liveThroughSocketLoad({
      sockets: STORM_SOCKETS,
      rounds: 1,
    });
    is(
      "readers whose books are the server's and the venue's",
      { equal, holes, example },
      { equal: STORM_SOCKETS, holes: 0, example: null },
    );
    is(
      'processor time of the daemon, at most two seconds',
      returns.map(({ serverMs }) => serverMs <= 2_000),
      [true],
    );
    await killDaemons();
  }),

  'poisoned-title': scenario(async (is) => {
    const moneyOf = async (text: string): Promise<unknown> => {
      const { store, life } = await liveOn({
        question: text,
        labels: ['Up', 'Down'],
        slug: 'btc-updown-5m-1767268800',
      });
      const { orders, positions, balances } = endState(store) as {
        readonly orders: unknown;
        readonly positions: unknown;
        readonly balances: unknown;
      }; // endState gives exactly these, and fills.
      return {
        orders,
        positions,
        balances,
        facts: life.bus.entries.map(({ event }) => event.type),
      };
    };
    const plain = await moneyOf('Bitcoin Up or Down');
    is('the plain day trades', JSON.stringify(plain).includes('filled'), true);
    for (const { text } of POISONED_TITLES.filter((_title, index) => index % 40 === 0))
      is(
        `money moved on a market called ${JSON.stringify(text.slice(0, 40))}`,
        await moneyOf(text),
        plain,
      );
  }),
};

/**
 * An hour is missing from a day: what was to end in it has ended, and a market that was traded is
 * not traded again.
 */
const jumpedRound: Scenario = onModels(async (fixture) => {
  const { is, clock } = fixture;
  fixture.quote(OFFER);
  await clock.advance(1_000);
  await enableAgent(fixture);
  await fixture.buy({ origin: ENTRY });
  await clock.advance(20_000);
  const resting = await fixture.bid({
    type: { kind: 'limit', price: priceTicks(4_000), expiresAtMs: clock.nowMs() + HOUR_MS / 2 },
  });
  await clock.advance(HOUR_MS);
  is('an order whose time is over', fixture.order(resting).state, 'expired');
  await fixture.restart();
  is(
    'another entry into the same market',
    await codeOf(fixture.buy({ origin: ENTRY, fetchesBook: true })),
    'already_traded',
  );
});

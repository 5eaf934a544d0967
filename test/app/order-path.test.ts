import { mkdtempSync, rmSync } from 'node:fs';
import { Session, type Profiler } from 'node:inspector';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { afterEach, expect, it } from 'vitest';
import { POLYGON_CHAIN, POLYGON_EXCHANGE } from '../../config/profiles/profile.ts';
import { createMemoryBus } from '../../src/adapters/bus/memory-bus.ts';
import { createWallClock } from '../../src/adapters/clock/wall-clock.ts';
import { openLmdbStore } from '../../src/adapters/lmdb/lmdb-store.ts';
import { createPromMetrics } from '../../src/adapters/metrics/prom-metrics.ts';
import { createSystemRandom } from '../../src/adapters/random/system-random.ts';
import { createWalletAddresses } from '../../src/adapters/safe-relayer/derive.ts';
import { loadKeccak } from '../../src/adapters/wire/keccak.ts';
import { NETWORK } from '../../src/adapters/wire/transport.ts';
import { chainClients } from '../../src/app/chains.ts';
import { lateTransactions } from '../../src/app/late-transactions.ts';
import { assert } from '../../src/domain/errors.ts';
import { usdcMicros } from '../../src/domain/units.ts';
import { createTrading } from '../../src/services/trading.ts';
import { VENUES } from '../../src/venues/table.ts';
import { DOWN, MARKET, OTHER_KEY, startFixture, UP } from '../conformance/venue-a-fixture.ts';
import { startApi } from '../http/api.ts';
import { aMarket } from '../support/builders.ts';
import { vaultWith } from '../support/known-keys.ts';
import { onOneVenue } from '../support/traded-venues.ts';
import { createKeptLog } from '../support/quiet.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/**
 * Our files that run for every order between the call and its bytes: as many as there are, so that
 * a path that grows is seen.
 */
const FILES_MAXIMUM = 122;
/**
 * Orders that are looked at, at least and at most: on a busy machine what the last order left
 * behind, and timers, run beside several in a row.
 */
const ORDERS = { least: 5, most: 60 };
/**
 * Run beside the path: the sandbox answers in this process, and the API of the tests keeps people's
 * records in memory.
 */
const BESIDE = /^src\/(sandbox|adapters\/memory|adapters\/clock\/virtual-clock)/;

const open: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/**
 * An API whose orders go through the trading services, LMDB and venue_a's row to the sandbox
 * venue's socket.
 */
async function startPath() {
  const folder = mkdtempSync(join(tmpdir(), 'order-path-'));
  open.push(() => rmSync(folder, { recursive: true }));
  const fixture = await startFixture();
  open.push(() => fixture.close());
  const store = await openLmdbStore({ path: join(folder, 'store') });
  open.push(() => store.close());
  const metrics = createPromMetrics();
  const api = await startApi({ metrics });
  open.push(() => api.close());
  const { userId, token } = await api.signIn();
  const keccak = await loadKeccak();
  const vault = await vaultWith(keccak, userId, OTHER_KEY);
  const clock = createWallClock();
  const random = createSystemRandom();
  const [row] = VENUES;
  assert(row !== undefined, 'there is a venue');
  const venue = await row.open(
    {
      store,
      vault,
      keccak,
      wallets: createWalletAddresses(keccak, POLYGON_CHAIN.wallets),
      random,
      transport: NETWORK,
      chain: chainClients({}),
      transactions: lateTransactions(),
      clock,
      wallClock: clock,
      metrics,
    },
    {
      ...POLYGON_EXCHANGE,
      endpoints: {
        clobRest: fixture.rest,
        clobMarketSocket: fixture.sockets.marketUrl,
        clobUserSocket: fixture.sockets.userUrl,
        gamma: fixture.rest,
        dataApi: fixture.data,
        site: fixture.site,
        rtds: fixture.rest,
        faucet: fixture.faucet,
      },
      signatureType: null,
      settlesOnChain: false,
      redeemers: { standard: POLYGON_EXCHANGE.exchange, negRisk: POLYGON_EXCHANGE.exchange },
    },
  );
  open.push(() => venue.close());
  const [mechanism] = Object.values(venue.mechanisms);
  assert(mechanism !== undefined, 'it trades');
  await venue.faucet?.grant(userId, usdcMicros(1_000_000_000));
  const market = aMarket(1, {
    marketId: MARKET,
    outcomes: [
      { tokenId: UP, label: 'Up' },
      { tokenId: DOWN, label: 'Down' },
    ],
    endsAtMs: clock.nowMs() + 3_600_000,
  });
  const log = createKeptLog();
  const trading = createTrading({
    store,
    bus: createMemoryBus({ log }),
    clock,
    random,
    log,
    metrics,
    venues: onOneVenue({
      ...mechanism,
      accounts: venue.accounts,
      directory: venue.catalogue,
      markets: { known: () => market, find: async () => market },
    }),
  });
  open.push(() => trading.orders.stop());
  await trading.orders.recover();
  await venue.accounts.open(userId);
  await trading.funding.syncDeposits(userId);
  api.behaviour.place = (user, request) => trading.orders.place(user, request);
  api.behaviour.ended = (user, intentId, ms) => trading.orders.ended(user, intentId, ms);
  const place = (key: string) =>
    api.request('POST', '/api/venue_a/order/', {
      token,
      headers: { 'idempotency-key': key },
      body: {
        marketId: MARKET,
        side: 'yes',
        amount: 6,
        orderType: 'limit',
        price: 0.4,
        orderMode: 'shares',
      },
    });
  return { place };
}

/**
 * Tells which of our files run from `begin` until the bytes of an order are given to the pool of
 * sockets, from where nothing of this service is needed.
 */
function watchPath() {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  let ran: readonly Profiler.ScriptCoverage[] = [];
  // Within a process the answer to a post comes before the post returns. Taking sets every count to
  // nothing.
  const take = () =>
    session.post('Profiler.takePreciseCoverage', (_error, { result }) => void (ran = result));
  const { dispatch } = Pool.prototype;
  Pool.prototype.dispatch = function (this: Pool, ...given: Parameters<Pool['dispatch']>) {
    if (given[0].method === 'POST' && given[0].path === '/order') take();
    return dispatch.apply(this, given);
  };
  open.push(() => {
    Pool.prototype.dispatch = dispatch;
    session.disconnect();
  });
  return {
    begin: take,
    files: (): readonly string[] =>
      ran
        .filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
        .map(({ url }) => relative(ROOT, url.startsWith('file:') ? fileURLToPath(url) : url))
        .filter((path) => /^(src|machines|streams)\//.test(path) && !BESIDE.test(path)),
  };
}

it('runs no more of our files than it did from POST /order to the bytes on the socket', async () => {
  const { place } = await startPath();
  expect((await place('warm')).body).toMatchObject({ state: 'live' });
  const path = watchPath();
  // What runs for every order is the path; what a reading or a timer of its own adds to one is not.
  let files: readonly string[] | null = null;
  for (
    let order = 0;
    order < ORDERS.least || (order < ORDERS.most && files !== null && files.length > FILES_MAXIMUM);
    order += 1
  ) {
    path.begin();
    expect((await place(`order-${order}`)).body).toMatchObject({ state: 'live' });
    const run = path.files();
    files = (files ?? run).filter((file) => run.includes(file)).sort();
  }
  assert(files !== null, 'orders were placed');
  console.log(`${files.length} files run from POST /order to the socket:\n${files.join('\n')}`);
  expect(files.length).toBeLessThanOrEqual(FILES_MAXIMUM);
});

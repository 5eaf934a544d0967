import { EMPTY, NEVER } from 'rxjs';
import { expect, it } from 'vitest';
import { BROWSING_LOOKUPS, TRADING_LOOKUPS } from '../../config/limits/lookups.ts';
import { API } from '../../config/limits/api.ts';
import { createVirtualClock, type VirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { VENUE_APIS } from '../../src/app/route-table.ts';
import { NOTHING_MISSED } from '../support/fakes/socket-services.ts';
import { ONE_TIME } from '../../src/ports/market-time.ts';
import { createVenueA } from '../../src/venues/venue-a/adapter.ts';
import type { HttpCalls } from '../../src/adapters/wire/http-calls.ts';
import type { Keccak } from '../../src/adapters/wire/keccak.ts';
import type { KeyVault } from '../../src/ports/key-vault.ts';
import { createLiveSources } from '../../src/app/live-sources.ts';
import { createMarketCache } from '../../src/app/market-cache.ts';
import { asId, type MarketId, type UserId } from '../../src/domain/ids.ts';
import { createConnection } from '../../src/http/live/connection.ts';
import type { ConnectionHub } from '../../src/http/live/connection-parts.ts';
import type { Subscriber } from '../../src/http/live/topic-hub.ts';
import { createUserShares } from '../../src/http/live/user-shares.ts';
import type { LiveSources } from '../../src/http/live/sources.ts';
import { createLookups } from '../../src/services/lookups.ts';
import { createMarkets } from '../../src/services/markets.ts';
import { silentMetrics } from '../support/fixtures/wire-venue.ts';
import { T0 } from '../support/builders.ts';
import { createKeptBus } from '../support/quiet.ts';
import { createCountedNumbers } from '../support/counted-numbers.ts';

const ATTACKER = asId<UserId>('usr_attacker');
const VICTIM = asId<UserId>('usr_victim');
const SOCKETS = 8;

/**
 * What users, sockets and agents ask of a venue that answers each call after 200 ms that there is
 * nothing.
 */
function openRuntime(clock: VirtualClock) {
  const calls: HttpCalls = {
    send: ({ path }) =>
      new Promise((resolve) =>
        clock.after(200, () =>
          resolve(
            path.startsWith('/markets/keyset')
              ? { kind: 'answered', status: 200, text: '{"markets":[]}', retryAfterMs: null }
              : { kind: 'answered', status: 404, text: '{}', retryAfterMs: null },
          ),
        ),
      ),
    close: async () => undefined,
  };
  const venue = createVenueA({
    clock,
    metrics: silentMetrics,
    config: {
      clobRest: '',
      clobMarketSocket: '',
      clobUserSocket: '',
      gamma: '',
      dataApi: '',
      site: '',
      chainId: 137,
      signatureType: 2,
    },
    transport: { calls: () => calls, openSocket: () => expect.unreachable() },
    // no user signs in, and nothing is signed, where markets are looked for
    vault: {} as KeyVault,
    keccak: {} as Keccak,
    records: { get: () => null, put: async () => undefined },
    funderOf: () => expect.unreachable(),
  });
  const markets = createMarketCache({
    clock,
    directory: venue.directory,
    discovery: venue.discovery,
    browsing: venue.browsing.directory,
    lookups: createLookups(clock, TRADING_LOOKUPS),
    roundMarket: () => null,
  });
  const lookups = createLookups(clock, BROWSING_LOOKUPS);
  const core = {
    at: () => ({
      markets,
      books: { watch: () => NEVER, view: () => null, endOf: () => null },
      browsing: lookups,
    }),
    exchange: { price: () => EMPTY },
  };
  return {
    venue,
    markets,
    browsed: createMarkets({
      directory: venue.browsing.directory,
      lookups,
      marketClock: clock,
      topOf: () => null,
    }),
    sources: createLiveSources({
      core,
      venues: VENUE_APIS,
      bus: createKeptBus(),
      numbers: createCountedNumbers(),
      clock,
      marketTime: ONE_TIME,
    }),
  };
}

/**
 * Opens an attacker's sockets; `attack` names 256 new made-up books on each, in the place of those
 * before.
 */
function openSockets(clock: VirtualClock, sources: LiveSources, attacker: UserId) {
  const shares = createUserShares();
  const hub: ConnectionHub = {
    clock,
    venues: VENUE_APIS,
    sources,
    shares,
    subscribed: { book: 0, market_price: 0, price: 0, user: 0 },
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    services: {
      // of a session only these are looked at
      sessions: {
        authenticate: async () => ({ userId: attacker, scopes: null, expiresAtMs: T0 + 3_600_000 }),
      } as unknown as ConnectionHub['services']['sessions'],
      accounts: {
        profile: () => ({ username: 'attacker' }),
      } as unknown as ConnectionHub['services']['accounts'],
    },
    own: {
      join: () => expect.unreachable(),
      leave: () => expect.unreachable(),
      snapshot: () => expect.unreachable(),
      place: () => expect.unreachable(),
      again: () => expect.unreachable(),
      healthNow: () => expect.unreachable(),
      close: () => {},
    },
    events: NOTHING_MISSED,
    newEpoch: () => 1,
  };
  const subscriber: Subscriber = {
    join: () => expect.unreachable(),
    leave: () => expect.unreachable(),
    snapshot: () => expect.unreachable(),
    close: () => {},
  };
  const connections = Array.from({ length: SOCKETS }, () =>
    createConnection(hub, subscriber, {
      send: () => {},
      subscribe: () => {},
      unsubscribe: () => {},
      backlogBytes: () => 0,
      end: () => {},
    }),
  );
  for (const connection of connections) connection.start('token');
  const topics = (round: number, socket: number) =>
    Array.from(
      { length: API.subscriptionsMaximum },
      (_unused, index) => `orderbook:venue_a:${1 + socket}${1_000 + round}${1_000 + index}`,
    );
  return {
    attack(round: number) {
      connections.forEach((connection, socket) => {
        if (round > 0)
          connection.receive(
            JSON.stringify({ op: 'unsubscribe', topics: topics(round - 1, socket) }),
            false,
          );
        connection.receive(
          JSON.stringify({ op: 'subscribe', topics: topics(round, socket) }),
          false,
        );
      });
    },
  };
}

const marketId = (number: number): MarketId =>
  asId<MarketId>(`0x${number.toString(16).padStart(64, '0')}`);

it('H1: one user who names made-up books, markets and pages without end keeps no other user from browsing or ordering, and no agent from its rounds', async () => {
  const clock = createVirtualClock(T0);
  const { venue, markets, browsed, sources } = openRuntime(clock);
  const sockets = openSockets(clock, sources, ATTACKER);
  const waits = { browsing: [] as number[], order: [] as number[], rounds: [] as number[] };
  const failures: unknown[] = [];
  const time = (waitsOf: number[], asked: Promise<unknown>): void => {
    const sinceMs = clock.nowMs();
    asked.then(
      () => void waitsOf.push(clock.nowMs() - sinceMs),
      (error: unknown) => void failures.push(error),
    );
  };
  await clock.settle();
  const seconds = 40;
  for (let second = 0; second < seconds; second += 1) {
    sockets.attack(second);
    for (let number = 0; number < 10; number += 1)
      browsed
        .list(ATTACKER, { limit: 50, cursor: null, slug: `${second}-${number}` })
        .catch(() => undefined);
    for (let number = 0; number < 2; number += 1)
      markets.find(marketId(1 + second * 2 + number), ATTACKER).catch(() => undefined);
    time(waits.browsing, browsed.list(VICTIM, { limit: 50, cursor: null, slug: `mine-${second}` }));
    time(waits.order, markets.find(marketId(1_000_000 + second), VICTIM));
    time(waits.rounds, venue.discovery.round('BTC', 5, T0 + second * 300_000));
    await clock.advance(1_000);
  }
  await clock.advance(10_000);
  expect(failures).toEqual([]);
  expect([waits.browsing.length, waits.order.length, waits.rounds.length]).toEqual([
    seconds,
    seconds,
    seconds,
  ]);
  // a round is one call and an unknown market two; who browses waits for the calls that are under
  // way as well
  expect(Math.max(...waits.rounds)).toBeLessThanOrEqual(400);
  expect(Math.max(...waits.order)).toBeLessThanOrEqual(800);
  expect(Math.max(...waits.browsing)).toBeLessThanOrEqual(3_000);
});

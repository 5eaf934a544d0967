import { describe, expect, it } from 'vitest';
import { API } from '../../../config/limits/api.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { VENUE_APIS } from '../../../src/app/route-table.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { asId, type UserId } from '../../../src/domain/ids.ts';
import { createConnection } from '../../../src/http/live/connection.ts';
import { NOTHING_MISSED } from '../../support/fakes/socket-services.ts';
import type { ConnectionHub } from '../../../src/http/live/connection-parts.ts';
import type { TopicMessage } from '../../../src/http/live/protocol.ts';
import type { Subscriber } from '../../../src/http/live/topic-hub.ts';
import { createUserShares } from '../../../src/http/live/user-shares.ts';
import { START_MS } from '../api.ts';

const USER = asId<UserId>('usr_1');
const snapshot = (topic: string): TopicMessage => ({
  topic,
  kind: 'snapshot',
  epoch: 1,
  seq: 0,
  ageMs: null,
  trusted: false,
  data: null,
});

/**
 * A connection whose token checks and lookups end when the test says so. Tokens that begin with u
 * are unknown until looked up.
 */
function open() {
  const clock = createVirtualClock(START_MS);
  const checks: { resolve(): void; reject(error: Error): void }[] = [];
  const lookups: {
    readonly token: string;
    resolve(isThere: boolean): void;
    reject(error: Error): void;
  }[] = [];
  const heard: Record<string, unknown>[] = [];
  const channels = new Set<string>();
  const ended: number[] = [];
  const room = { isLeft: true };
  const hub: ConnectionHub = {
    clock,
    venues: VENUE_APIS,
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    shares: createUserShares(),
    subscribed: { book: 0, market_price: 0, price: 0, user: 0 },
    sources: {
      knowsBook: (token) => !token.startsWith('7'),
      endOf: () => null,
      findBook: (_userId, token) =>
        new Promise((resolve, reject) => void lookups.push({ token, resolve, reject })),
    },
    services: {
      sessions: {
        authenticate: () =>
          new Promise(
            (resolve, reject) =>
              void checks.push({
                resolve: () =>
                  resolve({ userId: USER, scopes: null, expiresAtMs: START_MS + 900_000 } as never),
                reject,
              }),
          ),
      } as unknown as ConnectionHub['services']['sessions'],
      accounts: {
        profile: () => ({ username: 'another' }) as never,
        setUsername: () => expect.unreachable(),
      },
    },
    own: {
      join: (_userId, topic) => `own ${topic}`,
      leave: (_userId, topic) => `own ${topic}`,
      snapshot: (_userId, topic) => snapshot(topic),
      place: () => ({ epoch: 1, seq: 0 }),
      again: () => expect.unreachable(),
      healthNow: () => [],
      close: () => {},
    },
    events: NOTHING_MISSED,
    newEpoch: () => 1,
  };
  const subscriber: Subscriber = {
    join: ({ name }) => (room.isLeft ? `${name} 1` : null),
    leave: ({ name }) => `${name} 1`,
    snapshot: ({ name }) => snapshot(name),
    close: () => {},
  };
  const connection = createConnection(hub, subscriber, {
    send: (bytes) =>
      void heard.push(
        JSON.parse(typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString()) as Record<
          string,
          unknown
        >,
      ),
    subscribe: (channel) => void channels.add(channel),
    unsubscribe: (channel) => void channels.delete(channel),
    backlogBytes: () => 0,
    end(code) {
      ended.push(code);
      connection.closed();
    },
  });
  const say = (message: unknown): void => connection.receive(JSON.stringify(message), false);
  const checked = async (): Promise<void> => {
    checks.shift()?.resolve();
    await clock.settle();
  };
  /** What was heard since the last reading. */
  const next = (): Record<string, unknown>[] => heard.splice(0);
  return { clock, checks, lookups, channels, ended, room, connection, say, checked, next };
}

async function signedIn() {
  const opened = open();
  opened.connection.start('token');
  await opened.checked();
  opened.next();
  return opened;
}

const away = () =>
  new AppError('venue_unavailable', 'the venue does not answer', { retryable: true });

describe('messages that come while a token is checked', () => {
  it('H3: are held and answered in their order, after the token', async () => {
    const { connection, say, checked, next, channels } = open();
    connection.start(null);
    say({ op: 'auth', id: 'a', token: 't' });
    say({ op: 'subscribe', id: 'b', topics: ['orders'] });
    say({ op: 'ping', id: 'c' });
    expect(next()).toEqual([]);
    await checked();
    expect(next().map(({ op, topic, id }) => [op ?? topic, id])).toEqual([
      ['authenticated', 'a'],
      ['subscribed', 'b'],
      ['orders', 'b'],
      ['pong', 'c'],
    ]);
    expect([...channels]).toEqual(['own orders']);
  });

  it('wait for the next token too, where one is among them', async () => {
    const { connection, say, checked, next } = open();
    connection.start('token');
    say({ op: 'auth', id: 1, token: 'newer' });
    say({ op: 'ping', id: 2 });
    await checked();
    expect(next().map(({ op }) => op)).toEqual(['authenticated']);
    await checked();
    expect(next().map(({ op, id }) => [op, id])).toEqual([
      ['authenticated', 1],
      ['pong', 2],
    ]);
  });

  it('are no faults beyond what is held: they are to be sent again', async () => {
    const { connection, say, checked, next, ended } = open();
    connection.start('token');
    for (let number = 0; number < API.socketHeldMaximum + 2 * API.socketFaultsMaximum; number += 1)
      say({ op: 'ping', id: number });
    const refused = next();
    expect([refused.length, refused[0]]).toEqual([
      2 * API.socketFaultsMaximum,
      expect.objectContaining({
        op: 'error',
        id: API.socketHeldMaximum,
        code: 'overloaded',
        retryable: true,
      }),
    ]);
    await checked();
    expect([next().length, ended]).toEqual([1 + API.socketHeldMaximum, []]);
  });

  it('are held within a bound of characters', () => {
    const { connection, say, next } = open();
    connection.start('token');
    const topics = Array.from(
      { length: 100 },
      (_unused, number) => `orderbook:venue_a:${String(number).padStart(70, '1')}`,
    );
    for (let number = 0; number < 10; number += 1) say({ op: 'subscribe', id: number, topics });
    expect(next().map(({ id, code }) => [id, code])).toEqual([
      [7, 'overloaded'],
      [8, 'overloaded'],
      [9, 'overloaded'],
    ]);
  });
});

describe("a fault of the server's", () => {
  it('closes nothing when a token cannot be checked: what came meanwhile is refused, and the token may be shown again', async () => {
    const { connection, say, checks, checked, clock, next, ended } = open();
    connection.start('token');
    for (let number = 0; number < 2 * API.socketFaultsMaximum; number += 1)
      say({ op: 'subscribe', id: number, topics: ['orders'] });
    await clock.advance(2 * API.socketAuthMs);
    checks.shift()?.reject(new AppError('store_unavailable', 'the disk is full'));
    await clock.settle();
    const answers = next();
    expect([answers.length, new Set(answers.map(({ code }) => code)), ended]).toEqual([
      1 + 2 * API.socketFaultsMaximum,
      new Set(['store_unavailable']),
      [],
    ]);
    say({ op: 'auth', token: 'token' });
    await checked();
    expect(next()).toMatchObject([{ op: 'authenticated' }]);
    expect(ended).toEqual([]);
  });

  it('leaves a socket open whose session cannot be looked at again, until it can', async () => {
    const { checks, clock, ended } = await signedIn();
    await clock.advance(API.socketRecheckMs);
    checks.shift()?.reject(new Error('an own bug'));
    await clock.advance(API.socketRecheckMs);
    expect([ended, checks.length]).toEqual([[], 1]);
    checks.shift()?.reject(new AppError('token_expired', 'over'));
    await clock.settle();
    expect(ended).toEqual([4401]);
  });

  it('is not counted when the venue does not answer, lookups are too many, or no more topics are followed', async () => {
    const { say, lookups, clock, room, next, ended } = await signedIn();
    const errors = [
      away(),
      new AppError('overloaded', 'busy', { retryable: true, retryAfterMs: 5_000 }),
      new AppError('rate_limited', 'slower', { retryable: true, retryAfterMs: 250 }),
    ];
    for (let turn = 0; turn < 3 * API.socketFaultsMaximum; turn += 1) {
      say({ op: 'subscribe', id: turn, topics: ['orderbook:venue_a:71'] });
      lookups.shift()?.reject(errors[turn % 3] ?? away());
      await clock.settle();
    }
    const reported = next().filter(({ op }) => op === 'error');
    expect(
      reported
        .slice(0, 3)
        .map(({ id, code, retryable, retryAfterMs }) => [id, code, retryable, retryAfterMs]),
    ).toEqual([
      [0, 'venue_unavailable', true, undefined],
      [1, 'overloaded', true, 5_000],
      [2, 'rate_limited', true, 250],
    ]);
    expect(reported[0]?.refused).toEqual([
      {
        topic: 'orderbook:venue_a:71',
        code: 'venue_unavailable',
        detail: 'the venue does not answer',
        retryable: true,
      },
    ]);
    room.isLeft = false;
    for (let turn = 0; turn < 2 * API.socketFaultsMaximum; turn += 1)
      say({ op: 'subscribe', topics: ['orderbook:venue_a:5'] });
    expect([next()[0], ended]).toEqual([
      expect.objectContaining({ op: 'error', code: 'limit_reached', retryable: true }),
      [],
    ]);
  });

  it('is answered where a book was found but no more topics are followed', async () => {
    const { say, lookups, clock, room, next } = await signedIn();
    room.isLeft = false;
    say({ op: 'subscribe', id: 'mine', topics: ['orderbook:venue_a:71'] });
    lookups.shift()?.resolve(true);
    await clock.settle();
    expect(next()).toMatchObject([
      { op: 'subscribed', topics: ['orderbook:venue_a:71'] },
      {
        op: 'error',
        id: 'mine',
        code: 'limit_reached',
        retryable: true,
        refused: [{ topic: 'orderbook:venue_a:71' }],
      },
    ]);
  });
});

describe('a subscribe of several topics', () => {
  it('takes the good ones, and names each bad one with its code', async () => {
    const { say, next, channels } = await signedIn();
    say({
      op: 'subscribe',
      id: 'mine',
      topics: ['orders', 'weather', 'orderbook:venue_a:5', 'prices:DOGE', 'prices:BTC'],
    });
    const [answer, ...snapshots] = next();
    expect(answer).toEqual({
      op: 'subscribed',
      id: 'mine',
      topics: ['orders', 'orderbook:venue_a:5', 'prices:BTC'],
      refused: ['weather', 'prices:DOGE'].map((topic) => ({
        topic,
        code: 'not_found',
        detail: expect.stringContaining('a topic is'),
        retryable: false,
      })),
    });
    expect(snapshots.map(({ topic, kind, id }) => [topic, kind, id])).toEqual([
      ['orders', 'snapshot', 'mine'],
      ['orderbook:venue_a:5', 'snapshot', 'mine'],
      ['prices:BTC', 'snapshot', 'mine'],
    ]);
    expect([...channels]).toEqual(['own orders', 'orderbook:venue_a:5 1', 'prices:BTC 1']);
  });

  it('lists one named twice once, among those taken and those refused', async () => {
    const { say, next } = await signedIn();
    say({ op: 'subscribe', topics: ['orders', 'weather', 'orders', 'weather'] });
    say({ op: 'unsubscribe', topics: ['orders', 'weather', 'orders', 'weather'] });
    expect(
      next()
        .filter(({ op }) => op !== undefined)
        .map(({ topics, refused }) => [topics, refused]),
    ).toEqual([
      [['orders'], [expect.objectContaining({ topic: 'weather' })]],
      [['orders'], [expect.objectContaining({ topic: 'weather' })]],
    ]);
  });

  it('is an error when none of them is good', async () => {
    const { say, next } = await signedIn();
    say({ op: 'subscribe', id: 3, topics: ['weather'] });
    expect(next()).toEqual([
      {
        op: 'error',
        id: 3,
        code: 'not_found',
        title: expect.any(String),
        detail: expect.any(String),
        retryable: false,
        errors: [],
        refused: [
          { topic: 'weather', code: 'not_found', detail: expect.any(String), retryable: false },
        ],
      },
    ]);
  });

  it('shows a book whose token must be looked up once it is found, and says of an unknown one that it does not exist', async () => {
    const { say, lookups, clock, next, channels, ended } = await signedIn();
    say({ op: 'subscribe', id: 1, topics: ['orderbook:venue_a:71', 'orderbook:venue_a:72'] });
    expect(next()).toEqual([
      {
        op: 'subscribed',
        id: 1,
        topics: ['orderbook:venue_a:71', 'orderbook:venue_a:72'],
        refused: [],
      },
    ]);
    lookups[0]?.resolve(true);
    lookups[1]?.resolve(false);
    await clock.settle();
    expect(next()).toMatchObject([
      { topic: 'orderbook:venue_a:71', kind: 'snapshot', id: 1 },
      {
        op: 'error',
        id: 1,
        code: 'not_found',
        retryable: false,
        refused: [{ topic: 'orderbook:venue_a:72', code: 'not_found' }],
      },
    ]);
    expect([[...channels], ended]).toEqual([['orderbook:venue_a:71 1'], []]);
  });

  it('forgets a token that is looked up when it is unsubscribed, or the socket closes, meanwhile', async () => {
    const { connection, say, lookups, clock, next, channels } = await signedIn();
    say({ op: 'subscribe', topics: ['orderbook:venue_a:71', 'orderbook:venue_a:72'] });
    say({
      op: 'unsubscribe',
      id: 9,
      topics: ['orderbook:venue_a:71', 'orderbook:venue_a:1', 'weather'],
    });
    expect(next()[1]).toEqual({
      op: 'unsubscribed',
      id: 9,
      topics: ['orderbook:venue_a:71', 'orderbook:venue_a:1'],
      refused: [expect.objectContaining({ topic: 'weather', code: 'not_found' })],
    });
    connection.closed();
    for (const lookup of lookups) lookup.resolve(true);
    await clock.settle();
    expect([next(), [...channels]]).toEqual([[], []]);
  });
});

describe('ids', () => {
  it('are echoed by what cannot be read as well, where they can be made out', async () => {
    const { connection, say, next } = await signedIn();
    say({ op: 'dance', id: 'x' });
    say({ op: 'ping', id: 4, more: true });
    connection.receive('{"op":', false);
    expect(next().map(({ op, id, code }) => [op, id, code])).toEqual([
      ['error', 'x', 'invalid_request'],
      ['error', 4, 'invalid_request'],
      ['error', undefined, 'invalid_json'],
    ]);
  });
});

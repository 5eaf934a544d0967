import { describe, expect, it } from 'vitest';
import { MISSED_EVENTS } from '../../../config/limits/missed-events.ts';
import type { DomainEvent } from '../../../src/domain/events.ts';
import { asId, type UserId } from '../../../src/domain/ids.ts';
import { START_MS, type SignedInUser } from '../api.ts';
import { useApi } from '../use-api.ts';
import { OPEN_SWAPS } from '../../../src/services/swaps/tables.ts';
import { aSwap } from '../../support/fakes/fake-swaps.ts';
import { aPosition } from '../../support/builders.ts';
import { openSocket, type SocketClient } from './socket-client.ts';

const api = await useApi();
const someone = await api.signIn();

/** Commits a fact and tells it, as the service does. */
async function happens(...events: readonly DomainEvent[]): Promise<void> {
  const seqs = await api.store.write((tx) => events.map((event) => tx.append(event)));
  await api.store.flushed();
  api.publish(events.map((event, index) => ({ seq: seqs[index] ?? 0, event })));
}

function readUpTo({ userId }: SignedInUser, upTo: number): DomainEvent {
  return { type: 'notifications.read', userId, atMs: START_MS, upTo, unread: 0 };
}

function stopped({ userId }: SignedInUser, reason: string): DomainEvent {
  return { type: 'trading.stopped', userId, atMs: START_MS, by: 'user', reason };
}

function allStopped(reason: string): DomainEvent {
  return { type: 'all_trading.stopped', atMs: START_MS, reason };
}

async function socketOf({ token }: SignedInUser): Promise<SocketClient> {
  const client = await openSocket(api.url, { authorization: `Bearer ${token}` });
  await client.next();
  return client;
}

async function take(
  client: SocketClient,
  count: number,
): Promise<readonly Record<string, unknown>[]> {
  const taken: Record<string, unknown>[] = [];
  while (taken.length < count) taken.push(await client.next());
  return taken;
}

/** What a message says, without its numbers. */
function said({ op, topic, kind, again, data }: Record<string, unknown>): readonly unknown[] {
  const { event, upTo, reason } = (data ?? {}) as Record<string, unknown>;
  return [op ?? topic, kind, again, event, upTo ?? reason].filter((part) => part !== undefined);
}

const seqOf = (cursor: unknown): number => Number(String(cursor).split('.')[1]);

/** The cursor a first subscribe brings. */
async function cursorNow(user: SignedInUser): Promise<string> {
  const { body } = await api.request('GET', '/api/events', { token: user.token });
  return String(body.cursor);
}

describe('a socket that comes back', () => {
  it('receives what it missed in the order it happened, then what happens', async () => {
    const [user, stranger] = [await api.signIn(), await api.signIn()];
    const before = await socketOf(user);
    before.send({ op: 'subscribe', topics: ['notifications'] });
    const [, snapshot] = await take(before, 2);
    await happens(readUpTo(user, 1));
    const [change] = await take(before, 1);
    expect(seqOf(change?.cursor)).toBeGreaterThan(seqOf(snapshot?.cursor));
    before.close();
    await before.closed;

    await happens(stopped(user, 'a'), readUpTo(stranger, 7), allStopped('b'), readUpTo(user, 2));
    const after = await socketOf(user);
    const topics = ['notifications', 'agents'];
    after.send({ op: 'subscribe', id: 9, topics, since: change?.cursor });
    const missed = await take(after, 5);
    expect(missed.map(said)).toEqual([
      ['subscribed'],
      ['agents', 'change', true, 'trading.stopped', 'a'],
      ['agents', 'change', true, 'all_trading.stopped', 'b'],
      ['notifications', 'change', true, 'notifications.read', 'ntf_2'],
      ['caught_up'],
    ]);
    expect(missed.map(({ id }) => id)).toEqual([9, 9, 9, 9, 9]);
    const [, first, second, third, caughtUp] = missed;
    expect([first, second, third].map((message) => message?.seq)).toEqual([1, 2, 1]);
    expect(caughtUp).toEqual({
      op: 'caught_up',
      id: 9,
      cursor: third?.cursor,
      topics: [
        { topic: 'notifications', epoch: expect.any(Number), seq: 0 },
        { topic: 'agents', epoch: expect.any(Number), seq: 0 },
      ],
    });
    await happens(readUpTo(user, 3));
    const [live] = await take(after, 1);
    const [, place] = (caughtUp?.topics ?? []) as readonly Record<string, unknown>[];
    expect([said(live ?? {}), live?.seq]).toEqual([
      ['notifications', 'change', 'notifications.read', 'ntf_3'],
      1,
    ]);
    expect(place?.epoch).not.toBe(live?.epoch);
    after.close();
  });

  it('receives only the topics it asks for, and goes on behind the others', async () => {
    const user = await api.signIn();
    const since = await cursorNow(user);
    await happens(readUpTo(user, 1), stopped(user, 'a'));
    const client = await socketOf(user);
    client.send({ op: 'subscribe', topics: ['agents'], since });
    const [, change, caughtUp] = await take(client, 3);
    expect(said(change ?? {})).toEqual(['agents', 'change', true, 'trading.stopped', 'a']);
    expect(caughtUp?.cursor).toBe(change?.cursor);
    client.close();
  });

  it('receives what its agents changed on paper, and nothing of others and of shadow runs', async () => {
    const [user, stranger] = [await api.signIn(), await api.signIn()];
    const since = await cursorNow(user);
    const onPaper = (userId: UserId): DomainEvent => ({
      type: 'paper.recorded',
      atMs: START_MS,
      fact: {
        type: 'position.changed',
        userId,
        atMs: START_MS,
        position: aPosition({ userId, agentId: 'btc_5min' }),
      },
    });
    await happens(
      onPaper(stranger.userId),
      onPaper(asId<UserId>('shadow:btc_5min:x')),
      onPaper(user.userId),
    );
    const client = await socketOf(user);
    client.send({ op: 'subscribe', topics: ['agents', 'positions'], since });
    const [, change, end] = await take(client, 3);
    expect([change?.topic, change?.data, end?.op]).toEqual([
      'agents',
      { event: 'paper.changed', agent: 'btc_5min', marketId: aPosition().marketId },
      'caught_up',
    ]);
    await happens(onPaper(stranger.userId), onPaper(user.userId));
    const [live] = await take(client, 1);
    expect([live?.seq, live?.data]).toEqual([1, change?.data]);
    client.close();
  });

  it('receives again from an older cursor on what it reads already, and then nothing twice', async () => {
    const user = await api.signIn();
    const since = await cursorNow(user);
    const client = await socketOf(user);
    client.send({ op: 'subscribe', topics: ['notifications'] });
    await take(client, 2);
    await happens(readUpTo(user, 1));
    await take(client, 1);
    client.send({ op: 'subscribe', topics: ['notifications'], since });
    expect((await take(client, 3)).map(said)).toEqual([
      ['subscribed'],
      ['notifications', 'change', true, 'notifications.read', 'ntf_1'],
      ['caught_up'],
    ]);
    await happens(readUpTo(user, 2));
    client.send({ op: 'ping' });
    expect((await take(client, 2)).map(said)).toEqual([
      ['notifications', 'change', 'notifications.read', 'ntf_2'],
      ['pong'],
    ]);
    client.close();
  });

  it('receives which transfers came further, and the snapshot says which are under way', async () => {
    const user = await api.signIn();
    const swap = aSwap({ userId: user.userId, state: 'queued' });
    await api.store.write((tx) => tx.put(OPEN_SWAPS, [user.userId, swap.swapId], { sinceMs: 1 }));
    const client = await socketOf(user);
    client.send({ op: 'subscribe', topics: ['transfers'] });
    const [, snapshot] = await take(client, 2);
    expect(snapshot?.data).toEqual({ transfers: [{ kind: 'swap', id: swap.swapId, over: false }] });
    const about = { userId: user.userId, atMs: START_MS };
    const done = aSwap({ userId: user.userId, state: 'completed' });
    await happens({ type: 'swap.changed', ...about, from: 'queued', swap: done });
    const [change] = await take(client, 1);
    expect(change?.data).toEqual({
      event: 'swap.changed',
      transfer: { kind: 'swap', id: swap.swapId, over: true },
    });
    client.send({ op: 'subscribe', topics: ['transfers'], since: snapshot?.cursor });
    expect((await take(client, 3)).map(said)).toEqual([
      ['subscribed'],
      ['transfers', 'change', true, 'swap.changed'],
      ['caught_up'],
    ]);
    client.close();
  });

  it('receives the state of its enabled agents, which no fact says', async () => {
    const user = await api.signIn();
    const since = await cursorNow(user);
    await api.request('POST', '/api/agents/btc_5min/enable', { token: user.token, body: {} });
    const client = await socketOf(user);
    client.send({ op: 'subscribe', topics: ['agents'], since });
    expect((await take(client, 3)).map(said)).toEqual([
      ['subscribed'],
      ['agents', 'change', true, 'agent.health'],
      ['caught_up'],
    ]);
    client.close();
  });

  it('that missed more than is sent in a turn receives it turn by turn, with what happens meanwhile', async () => {
    const user = await api.signIn();
    const since = await cursorNow(user);
    const many = MISSED_EVENTS.lookedAtInTurn * 2 + 1;
    await happens(...Array.from({ length: many }, (_, index) => readUpTo(user, index + 1)));
    const client = await socketOf(user);
    client.send({ op: 'subscribe', topics: ['notifications'], since });
    await take(client, 1 + MISSED_EVENTS.lookedAtInTurn);
    await happens(readUpTo(user, many + 1));
    await api.clock.advance(0);
    await api.clock.advance(0);
    const rest = await take(client, many + 1 - MISSED_EVENTS.lookedAtInTurn + 1);
    expect(rest.at(-1)?.op).toBe('caught_up');
    expect(rest.slice(0, -1).map((message) => said(message).at(-1))).toEqual(
      Array.from(
        { length: many + 1 - MISSED_EVENTS.lookedAtInTurn },
        (_, index) => `ntf_${MISSED_EVENTS.lookedAtInTurn + index + 1}`,
      ),
    );
    client.close();
  });

  it('receives a snapshot of another topic behind what it missed, since it has the newer cursor', async () => {
    const user = await api.signIn();
    const since = await cursorNow(user);
    const many = MISSED_EVENTS.lookedAtInTurn + 1;
    await happens(...Array.from({ length: many }, (_, index) => readUpTo(user, index + 1)));
    const client = await socketOf(user);
    client.send({ op: 'subscribe', topics: ['notifications', 'transfers'], since });
    await take(client, 1 + MISSED_EVENTS.lookedAtInTurn);
    client.send({ op: 'subscribe', id: 7, topics: ['agents', 'transfers', 'prices:BTC'] });
    expect((await take(client, 2)).map(said)).toEqual([['subscribed'], ['prices:BTC', 'snapshot']]);
    await happens(stopped(user, 'a'));
    await api.clock.advance(0);
    await happens(stopped(user, 'b'));
    const rest = await take(client, 5);
    expect(rest.map(said)).toEqual([
      ['notifications', 'change', true, 'notifications.read', `ntf_${many}`],
      ['caught_up'],
      ['transfers', 'snapshot'],
      ['agents', 'snapshot'],
      ['agents', 'change', 'trading.stopped', 'b'],
    ]);
    expect(rest.map(({ id }) => id)).toEqual([undefined, undefined, 7, 7, undefined]);
    const cursors = rest.map(({ cursor }) => seqOf(cursor));
    expect(cursors).toEqual([...cursors].sort((one, other) => one - other));
    client.close();
  });

  it('receives a waiting snapshot at once where it lets go what it missed', async () => {
    const user = await api.signIn();
    const since = await cursorNow(user);
    const many = MISSED_EVENTS.lookedAtInTurn + 1;
    await happens(...Array.from({ length: many }, (_, index) => readUpTo(user, index + 1)));
    const client = await socketOf(user);
    client.send({ op: 'subscribe', topics: ['notifications'], since });
    await take(client, 1 + MISSED_EVENTS.lookedAtInTurn);
    client.send({ op: 'subscribe', topics: ['transfers'] });
    expect((await take(client, 1)).map(said)).toEqual([['subscribed']]);
    client.send({ op: 'unsubscribe', topics: ['notifications'] });
    expect((await take(client, 2)).map(said)).toEqual([
      ['unsubscribed'],
      ['transfers', 'snapshot'],
    ]);
    client.close();
  });

  it('may leave a topic while it is being sent, and receives no more', async () => {
    const user = await api.signIn();
    const since = await cursorNow(user);
    const many = MISSED_EVENTS.lookedAtInTurn + 1;
    await happens(...Array.from({ length: many }, (_, index) => readUpTo(user, index + 1)));
    const client = await socketOf(user);
    client.send({ op: 'subscribe', topics: ['notifications'], since });
    await take(client, 1 + MISSED_EVENTS.lookedAtInTurn);
    client.send({ op: 'unsubscribe', topics: ['notifications'] });
    expect((await take(client, 1)).map(said)).toEqual([['unsubscribed']]);
    await api.clock.advance(0);
    await happens(readUpTo(user, many + 1));
    client.send({ op: 'ping' });
    expect((await take(client, 1)).map(said)).toEqual([['pong']]);
    client.close();
  });

  it.each([
    ['of another journal', 'ffffffff.1'],
    ['beyond the newest', null],
  ])('with a cursor %s receives too_old, and begins with a snapshot', async (_, other) => {
    const user = await api.signIn();
    const [name = ''] = (await cursorNow(user)).split('.');
    const client = await socketOf(user);
    const since = other ?? `${name}.9999999`;
    client.send({ op: 'subscribe', id: 'a', topics: ['notifications', 'prices:BTC'], since });
    const messages = await take(client, 4);
    expect(messages.map(said)).toEqual([
      ['subscribed'],
      ['prices:BTC', 'snapshot'],
      ['too_old'],
      ['notifications', 'snapshot'],
    ]);
    expect(messages[2]).toEqual({ op: 'too_old', id: 'a', topics: ['notifications'] });
    await happens(readUpTo(user, 1));
    expect((await take(client, 1)).map(said)).toEqual([
      ['notifications', 'change', 'notifications.read', 'ntf_1'],
    ]);
    client.close();
  });

  it('that missed more than a snapshot is worth begins with a snapshot', async () => {
    const user = await api.signIn();
    const since = await cursorNow(user);
    const many = MISSED_EVENTS.resentMaximum + 1;
    await happens(...Array.from({ length: many }, () => readUpTo(user, 1)));
    const client = await socketOf(user);
    client.send({ op: 'subscribe', topics: ['notifications'], since });
    await take(client, 1);
    const turns = Math.ceil(many / MISSED_EVENTS.lookedAtInTurn);
    for (let turn = 0; turn < turns; turn += 1) {
      await api.clock.advance(MISSED_EVENTS.backlogCheckMs);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const resent = Math.floor(MISSED_EVENTS.resentMaximum / MISSED_EVENTS.lookedAtInTurn);
    await take(client, resent * MISSED_EVENTS.lookedAtInTurn);
    expect((await take(client, 2)).map(said)).toEqual([['too_old'], ['notifications', 'snapshot']]);
    client.close();
  });

  it.each(['', '7', 'abc.1', '0123abcd.01', 'g123abcd.1'])(
    'may not say "%s" as its cursor',
    async (since) => {
      const client = await socketOf(someone);
      client.send({ op: 'subscribe', topics: ['orders'], since });
      expect(await client.next()).toMatchObject({
        op: 'error',
        code: 'invalid_request',
        errors: [{ path: '/since', message: 'must be the cursor of a message' }],
      });
      client.close();
    },
  );
});

describe('GET /api/events', () => {
  it('begins with what is true now and a cursor that is good on sockets and here', async () => {
    const user = await api.signIn();
    const { token } = user;
    const { body } = await api.request('GET', '/api/events', { token });
    expect(body).toMatchObject({ data: [], hasMore: false, tooOld: false });
    expect(Object.keys(body.snapshot as object)).toEqual([
      'orders',
      'positions',
      'agents',
      'notifications',
      'unread',
      'transfers',
    ]);
    await happens(readUpTo(user, 1));
    const path = `/api/events?since=${String(body.cursor)}`;
    const next = await api.request('GET', path, { token });
    expect(next.body).toEqual({
      data: [
        {
          topic: 'notifications',
          cursor: next.body.cursor,
          data: { event: 'notifications.read', upTo: 'ntf_1', unread: 0 },
        },
      ],
      cursor: expect.any(String),
      hasMore: false,
      tooOld: false,
      snapshot: null,
    });
    expect((await api.request('GET', path, { token })).body).toEqual(next.body);
  });

  it('goes on page by page, passing over what other topics tell', async () => {
    const user = await api.signIn();
    const { token } = user;
    const since = await cursorNow(user);
    const events = Array.from({ length: 7 }, (_, index) => readUpTo(user, index + 1));
    await happens(...events.slice(0, 4), stopped(user, 'a'), ...events.slice(4));
    const seen: unknown[] = [];
    let cursor = since;
    for (let hasMore = true; hasMore; ) {
      const query = `since=${cursor}&limit=3&topics=notifications`;
      const { body } = await api.request('GET', `/api/events?${query}`, { token });
      const data = body.data as readonly { readonly data: { readonly upTo: string } }[];
      seen.push(...data.map((each) => each.data.upTo));
      cursor = String(body.cursor);
      hasMore = body.hasMore === true;
    }
    expect(seen).toEqual(events.map((_, index) => `ntf_${index + 1}`));
    const { body } = await api.request('GET', `/api/events?since=${since}&limit=1&topics=agents`, {
      token,
    });
    expect(body.data).toMatchObject([{ topic: 'agents', data: { reason: 'a' } }]);
  });

  it('says that a cursor is too old, with what is true now of the topics asked for', async () => {
    const { token } = await api.signIn();
    const { status, body } = await api.request(
      'GET',
      '/api/events?since=ffffffff.1&topics=orders,agents',
      { token },
    );
    expect([status, body.tooOld, Object.keys(body.snapshot as object)]).toEqual([
      200,
      true,
      ['orders', 'agents'],
    ]);
  });

  it.each([
    ['since=7', '/query/since'],
    ['topics=orders,money', '/query/topics/1'],
    ['limit=201', '/query/limit'],
  ])('refuses %s', async (query, path) => {
    const { token } = someone;
    const { status, body } = await api.request('GET', `/api/events?${query}`, { token });
    expect([status, (body.errors as readonly { readonly path: string }[])[0]?.path]).toEqual([
      400,
      path,
    ]);
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { GATEWAY } from '../../config/limits/gateway.ts';
import { createSocketMemory, type SocketMemory } from '../../src/gateway/socket-memory.ts';

const text = (message: object): string => JSON.stringify(message);

describe('what a gateway knows of a socket', () => {
  let memory: SocketMemory;
  beforeEach(() => {
    memory = createSocketMemory(false, () => undefined);
  });

  const ask = (message: object): Record<string, unknown> => JSON.parse(memory.ask(text(message)));
  const hear = (message: object): unknown => {
    const shown = memory.hear(text(message));
    return shown === null || shown === 'refused' ? shown : JSON.parse(shown);
  };
  const rejoin = (): readonly Record<string, unknown>[] =>
    memory.rejoin().map((message) => JSON.parse(message));
  /** A client that is signed in and reads an order book and its own orders. */
  const reader = (): void => {
    const { id } = ask({ op: 'auth', token: 'first' });
    hear({ op: 'authenticated', id, userId: 'usr_1' });
    const asked = ask({ op: 'subscribe', topics: ['orders', 'orderbook:venue_a:1'] });
    hear({
      op: 'subscribed',
      id: asked['id'],
      topics: ['orders', 'orderbook:venue_a:1'],
      refused: [],
    });
  };

  it('shows each answer under the id of the client', () => {
    const one = ask({ op: 'ping', id: 7 });
    const other = ask({ op: 'ping' });
    expect(one['id']).not.toBe(other['id']);
    expect(hear({ op: 'pong', id: other['id'], sentAtMs: 1 })).toEqual({ op: 'pong', sentAtMs: 1 });
    expect(hear({ op: 'pong', id: one['id'], sentAtMs: 2 })).toEqual({
      op: 'pong',
      sentAtMs: 2,
      id: 7,
    });
  });

  it('passes on what cannot be read, and changes of books, as they are', () => {
    expect(memory.ask('{"op":')).toBe('{"op":');
    const change = '{"topic":"orderbook:venue_a:1","kind":"change","epoch":1,"seq":2,"data":{}}';
    expect(memory.hear(change)).toBe(change);
  });

  it('asks another owner for what is read, from where it was heard', () => {
    reader();
    hear({ topic: 'orders', kind: 'change', epoch: 1, seq: 1, cursor: 'c1', data: {} });
    hear({ topic: 'orders', kind: 'change', epoch: 1, seq: 2, cursor: 'c2', data: {} });
    expect(rejoin().map(({ id: _id, ...message }) => message)).toEqual([
      { op: 'auth', token: 'first' },
      { op: 'subscribe', topics: ['orders'], since: 'c2' },
      { op: 'subscribe', topics: ['orderbook:venue_a:1'] },
    ]);
  });

  it('asks for all that is live from the one newest place, since it hears in one order over all', () => {
    reader();
    const { id } = ask({ op: 'subscribe', topics: ['positions', 'notifications'] });
    hear({ op: 'subscribed', id, topics: ['positions', 'notifications'], refused: [] });
    for (const topic of ['orders', 'positions', 'notifications'])
      hear({ topic, kind: 'snapshot', epoch: 1, seq: 0, cursor: 'c1', data: {} });
    hear({ topic: 'notifications', kind: 'change', epoch: 1, seq: 1, cursor: 'c2', data: {} });
    hear({ topic: 'positions', kind: 'change', epoch: 1, seq: 1, cursor: 'c4', data: {} });
    const live = ['orders', 'positions', 'notifications'];
    expect(rejoin().slice(1)).toEqual([
      expect.objectContaining({ op: 'subscribe', topics: live, since: 'c4' }),
      expect.not.objectContaining({ since: expect.anything() }),
    ]);
    hear({
      topic: 'notifications',
      kind: 'change',
      again: true,
      epoch: 2,
      seq: 1,
      cursor: 'c5',
      data: {},
    });
    expect(rejoin()).toContainEqual(expect.objectContaining({ topics: live, since: 'c5' }));
    hear({ op: 'caught_up', cursor: 'c9', topics: live.map((topic) => ({ topic })) });
    hear({ topic: 'orders', kind: 'change', epoch: 3, seq: 1, cursor: 'c10', data: {} });
    expect(rejoin()).toContainEqual(expect.objectContaining({ topics: live, since: 'c10' }));
  });

  it('keeps the place of what is being sent again apart from that of what is live', () => {
    reader();
    hear({ topic: 'orders', kind: 'snapshot', epoch: 1, seq: 0, cursor: 'c5', data: {} });
    const { id } = ask({ op: 'subscribe', topics: ['agents', 'transfers'], since: 'c0' });
    hear({ op: 'subscribed', id, topics: ['agents', 'transfers'], refused: [] });
    hear({ topic: 'agents', kind: 'change', epoch: 2, seq: 1, cursor: 'c2', data: {}, id });
    hear({ topic: 'orders', kind: 'change', epoch: 1, seq: 1, cursor: 'c6', data: {} });
    const apart = [
      expect.objectContaining({ topics: ['orders'], since: 'c6' }),
      expect.objectContaining({ topics: ['agents', 'transfers'], since: 'c2' }),
    ];
    expect(rejoin()).toEqual(expect.arrayContaining(apart));
    // what has not caught up at one owner has not at the next
    expect(rejoin()).toEqual(expect.arrayContaining(apart));
    hear({ op: 'caught_up', cursor: 'c7', topics: [{ topic: 'agents' }, { topic: 'transfers' }] });
    expect(rejoin()).toContainEqual(expect.objectContaining({ topics: ['orders'], since: 'c6' }));
  });

  it('asks for snapshots behind what is sent again, since they are newer', () => {
    reader();
    const { id } = ask({ op: 'subscribe', topics: ['agents'] });
    hear({ op: 'subscribed', id, topics: ['agents'], refused: [] });
    hear({ topic: 'agents', kind: 'snapshot', epoch: 1, seq: 0, cursor: 'c1', data: {} });
    expect(rejoin().map(({ topics, since }) => [topics, since])).toEqual([
      [undefined, undefined],
      [['agents'], 'c1'],
      [['orders', 'orderbook:venue_a:1'], undefined],
    ]);
  });

  it('keeps the answers to its own questions, and shows what they bring', () => {
    reader();
    const [auth, subscribe] = rejoin();
    expect(hear({ op: 'authenticated', id: auth?.['id'], userId: 'usr_1' })).toBeNull();
    expect(
      hear({ op: 'subscribed', id: subscribe?.['id'], topics: ['orders'], refused: [] }),
    ).toBeNull();
    const snapshot = {
      topic: 'orders',
      kind: 'snapshot',
      epoch: 2,
      seq: 1,
      cursor: 'c3',
      data: {},
    };
    expect(hear({ ...snapshot, id: subscribe?.['id'] })).toEqual(snapshot);
  });

  it('has the client come back where the other owner refuses what it had', () => {
    reader();
    const [auth, subscribe] = rejoin();
    expect(hear({ op: 'error', id: auth?.['id'], code: 'token_expired' })).toBe('refused');
    expect(
      hear({ op: 'subscribed', id: subscribe?.['id'], topics: [], refused: [{ topic: 'orders' }] }),
    ).toBe('refused');
  });

  it('asks again what was not answered, once what was read is asked for', () => {
    reader();
    const asked = ask({ op: 'subscribe', topics: ['agents'], since: 'c0', id: 'mine' });
    expect(rejoin().at(-1)).toEqual(asked);
    hear({ op: 'subscribed', id: asked['id'], topics: ['agents'], refused: [] });
    expect(rejoin().map(({ id: _id, ...message }) => message)).toContainEqual({
      op: 'subscribe',
      topics: ['agents'],
      since: 'c0',
    });
  });

  it('asks no more for what ended, was let go, or was refused', () => {
    reader();
    hear({ topic: 'orderbook:venue_a:1', kind: 'ended', epoch: 1, seq: 3, data: {} });
    const { id } = ask({ op: 'unsubscribe', topics: ['orders'] });
    hear({ op: 'unsubscribed', id, topics: ['orders'], refused: [] });
    expect(rejoin().map(({ op }) => op)).toEqual(['auth']);
  });

  it('goes on where it has caught up, also on topics that brought nothing', () => {
    reader();
    hear({ op: 'caught_up', cursor: 'c9', topics: [{ topic: 'orders', epoch: 2, seq: 0 }] });
    expect(rejoin()).toContainEqual(expect.objectContaining({ topics: ['orders'], since: 'c9' }));
  });

  it('greets a client that showed its token in the head once, and needs no message for it', () => {
    memory = createSocketMemory(true, () => undefined);
    const greeting = { op: 'authenticated', userId: 'usr_1', expiresAtMs: 1 };
    expect(hear(greeting)).toEqual(greeting);
    expect(rejoin()).toEqual([]);
    expect(hear(greeting)).toBeNull();
  });

  it('knows so many messages, and answers to older ones stay as they are', () => {
    const { id } = ask({ op: 'ping', id: 'old' });
    for (let count = 0; count < GATEWAY.messagesKnownMaximum; count += 1) ask({ op: 'ping' });
    expect(hear({ op: 'pong', id, sentAtMs: 1 })).toEqual({ op: 'pong', sentAtMs: 1, id });
  });
});

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

import { describe, expect, it } from 'vitest';
import { LiveSocket, type SocketLike, type TopicMessage } from '../../../src/web/live/socket.ts';

/** A socket that keeps what was sent, and timers that pass when they are advanced. */
function page() {
  const sockets: (SocketLike & { readonly sent: unknown[]; isClosed: boolean })[] = [];
  const timers: { atMs: number; callback: (() => void) | null }[] = [];
  let nowMs = 1_000;
  const live = new LiveSocket({
    open() {
      const sent: unknown[] = [];
      const socket = {
        sent,
        isClosed: false,
        send: (text: string) => sent.push(JSON.parse(text)),
        close() {
          socket.isClosed = true;
        },
        onopen: null,
        onmessage: null,
        onclose: null,
      };
      sockets.push(socket);
      return socket;
    },
    token: () => Promise.resolve('token'),
    scheduler: {
      nowMs: () => nowMs,
      after(ms, callback) {
        const timer: { atMs: number; callback: (() => void) | null } = {
          atMs: nowMs + ms,
          callback,
        };
        timers.push(timer);
        return () => {
          timer.callback = null;
        };
      },
    },
    chance: () => 0.5,
    isHidden: () => false,
  });
  const last = () => {
    const socket = sockets.at(-1);
    if (socket === undefined) throw new Error('no socket was opened');
    return socket;
  };
  return {
    live,
    sockets,
    last,
    receive: (message: unknown) => last().onmessage?.({ data: JSON.stringify(message) }),
    async opened() {
      last().onopen?.();
      await Promise.resolve();
      await Promise.resolve();
      this.receive({ op: 'authenticated', userId: 'usr_1', expiresAtMs: 2_000 });
    },
    advance(ms: number) {
      const untilMs = nowMs + ms;
      for (;;) {
        const next = timers
          .filter(({ callback, atMs }) => callback !== null && atMs <= untilMs)
          .toSorted((a, b) => a.atMs - b.atMs)[0];
        if (next === undefined) break;
        nowMs = next.atMs;
        const { callback } = next;
        next.callback = null;
        callback?.();
      }
      nowMs = untilMs;
    },
  };
}

function reader() {
  const heard: string[] = [];
  return {
    heard,
    snapshot: ({ epoch, seq }: TopicMessage) => heard.push(`snapshot ${epoch}/${seq}`),
    change: ({ epoch, seq }: TopicMessage) => heard.push(`change ${epoch}/${seq}`),
    ended: (reason: string) => heard.push(`ended ${reason}`),
  };
}

function message(kind: 'snapshot' | 'change', epoch: string, seq: number): TopicMessage {
  return { topic: 'orders', kind, epoch, seq, ageMs: 0, trusted: true, data: {} };
}

/** A message of one's own topic. */
function own(
  kind: 'snapshot' | 'change',
  epoch: string,
  seq: number,
  place: { readonly cursor: string; readonly again?: true },
): TopicMessage {
  return { ...message(kind, epoch, seq), ...place };
}

/** A page that reads two topics of one's own and a price, after a break. */
async function afterBreak() {
  const world = page();
  const [orders, agents] = [reader(), reader()];
  world.live.read('orders', orders);
  world.live.read('agents', agents);
  world.live.read('prices:BTC', reader());
  world.live.connect();
  await world.opened();
  world.receive({ ...own('snapshot', 'a', 1, { cursor: 'j.6' }), topic: 'agents' });
  world.receive({ ...message('snapshot', 'p', 1), topic: 'prices:BTC' });
  world.receive(own('snapshot', 'a', 1, { cursor: 'j.7' }));
  world.receive(own('change', 'a', 2, { cursor: 'j.8' }));
  const breakAgain = async (): Promise<void> => {
    world.last().onclose?.({ code: 1006 });
    world.advance(1_000);
    await world.opened();
  };
  await breakAgain();
  return { ...world, orders, agents, breakAgain };
}

describe('the live socket of a page', () => {
  it('is lost as soon as it is dropped, and opens a new connection by itself', async () => {
    const world = page();
    world.live.connect();
    await world.opened();
    const first = world.last();
    world.live.drop();
    expect([world.live.state.kind, first.isClosed]).toEqual(['lost', true]);
    world.advance(1_000);
    await world.opened();
    expect([world.live.state.kind, world.sockets.length]).toEqual(['live', 2]);
  });

  it('shows its token first, and subscribes to what is read once that is taken', async () => {
    const world = page();
    world.live.read('orders', reader());
    world.live.connect();
    await world.opened();
    expect(world.last().sent).toEqual([
      { op: 'auth', token: 'token' },
      { op: 'subscribe', topics: ['orders'] },
    ]);
    expect(world.live.state).toEqual({ kind: 'live' });
  });

  it('folds changes that follow, and asks for a snapshot after a hole instead of folding over it', async () => {
    const world = page();
    const orders = reader();
    world.live.read('orders', orders);
    world.live.connect();
    await world.opened();
    world.receive(message('snapshot', 'a', 4));
    world.receive(message('change', 'a', 5));
    world.receive(message('change', 'a', 7));
    world.receive(message('change', 'a', 8));
    world.receive(message('snapshot', 'a', 8));
    world.receive(message('change', 'a', 9));
    expect(orders.heard).toEqual(['snapshot a/4', 'change a/5', 'snapshot a/8', 'change a/9']);
    expect(world.last().sent.at(-1)).toEqual({ op: 'subscribe', topics: ['orders'] });
  });

  it('drops changes of another epoch until its snapshot comes', async () => {
    const world = page();
    const orders = reader();
    world.live.read('orders', orders);
    world.live.connect();
    await world.opened();
    world.receive(message('snapshot', 'a', 1));
    world.receive(message('change', 'b', 2));
    world.receive(message('snapshot', 'b', 2));
    expect(orders.heard).toEqual(['snapshot a/1', 'snapshot b/2']);
  });

  it('is lost when the connection ends, comes back by itself, and begins with snapshots', async () => {
    const world = page();
    const orders = reader();
    world.live.read('orders', orders);
    world.live.connect();
    await world.opened();
    world.receive(message('snapshot', 'a', 1));
    world.last().onclose?.({ code: 1006 });
    expect(world.live.state).toEqual({ kind: 'lost', sinceMs: 1_000 });
    world.advance(250);
    expect(world.sockets).toHaveLength(2);
    await world.opened();
    world.receive(message('change', 'a', 2));
    world.receive(message('snapshot', 'c', 0));
    expect(orders.heard).toEqual(['snapshot a/1', 'snapshot c/0']);
    expect(world.live.state).toEqual({ kind: 'live' });
  });

  it('goes on after a break where it was, and hears what it missed instead of a snapshot', async () => {
    const world = await afterBreak();
    expect(world.last().sent.slice(1)).toEqual([
      { op: 'subscribe', topics: ['orders', 'agents'], since: 'j.8' },
      { op: 'subscribe', topics: ['prices:BTC'] },
    ]);
    world.receive(own('change', 'x', 1, { cursor: 'j.9', again: true }));
    world.receive(own('change', 'x', 2, { cursor: 'j.10', again: true }));
    world.receive({
      op: 'caught_up',
      cursor: 'j.11',
      topics: [
        { topic: 'orders', epoch: 'b', seq: 40 },
        { topic: 'agents', epoch: 'c', seq: 0 },
      ],
    });
    world.receive(own('change', 'b', 41, { cursor: 'j.12' }));
    expect(world.orders.heard).toEqual([
      'snapshot a/1',
      'change a/2',
      'change x/1',
      'change x/2',
      'change b/41',
    ]);
    expect(world.agents.heard).toEqual(['snapshot a/1']);
    await world.breakAgain();
    expect(world.last().sent[1]).toMatchObject({ since: 'j.12' });
  });

  it('begins with snapshots where what it missed is too long ago', async () => {
    const world = await afterBreak();
    world.receive(own('change', 'x', 1, { cursor: 'j.9', again: true }));
    world.receive({ op: 'too_old', topics: ['orders', 'agents'] });
    world.receive(own('snapshot', 'd', 0, { cursor: 'j.90' }));
    world.receive(own('change', 'd', 1, { cursor: 'j.91' }));
    expect(world.orders.heard.slice(2)).toEqual(['change x/1', 'snapshot d/0', 'change d/1']);
  });

  it('misses nothing where the connection breaks again while it is sent what it missed', async () => {
    const world = await afterBreak();
    world.receive(own('change', 'x', 1, { cursor: 'j.9', again: true }));
    // one that was read anew meanwhile is further on than the others
    world.live.read('notifications', reader());
    world.receive({ ...own('snapshot', 'n', 0, { cursor: 'j.50' }), topic: 'notifications' });
    await world.breakAgain();
    expect(world.last().sent[1]).toEqual({
      op: 'subscribe',
      topics: ['orders', 'agents', 'notifications'],
      since: 'j.9',
    });
  });

  it('asks for a snapshot where what it missed has a hole, or cannot be sent', async () => {
    const world = await afterBreak();
    world.receive(own('change', 'x', 1, { cursor: 'j.9', again: true }));
    world.receive(own('change', 'x', 3, { cursor: 'j.11', again: true }));
    expect(world.last().sent.at(-1)).toEqual({ op: 'subscribe', topics: ['orders'] });
    world.receive({
      op: 'error',
      refused: [{ topic: 'agents', code: 'store_unavailable', detail: 'x', retryable: true }],
    });
    world.advance(2_000);
    expect(world.last().sent.at(-1)).toEqual({ op: 'subscribe', topics: ['agents'] });
  });

  it('takes nothing of one person over to the next', async () => {
    const world = await afterBreak();
    world.live.close();
    world.live.connect();
    await world.opened();
    expect(world.last().sent.slice(1)).toEqual([
      { op: 'subscribe', topics: ['orders', 'agents', 'prices:BTC'] },
    ]);
  });

  it('doubles its wait from one failed connection to the next, up to a second and a half', () => {
    const world = page();
    world.live.connect();
    const opened = [250, 500, 1_000, 1_500, 1_500, 1_500, 1_500].map((waitMs) => {
      world.last().onclose?.({ code: 1006 });
      const before = world.sockets.length;
      world.advance(waitMs - 1);
      const early = world.sockets.length - before;
      world.advance(1);
      return [early, world.sockets.length - before];
    });
    expect(opened).toEqual(Array.from({ length: 7 }, () => [0, 1]));
  });

  it('asks a silent connection for a sign of life, and gives it up when none comes', async () => {
    const world = page();
    world.live.connect();
    await world.opened();
    world.advance(15_000);
    expect(world.last().sent.at(-1)).toEqual({ op: 'ping' });
    world.advance(10_000);
    expect(world.sockets[0]?.isClosed).toBe(true);
    expect(world.live.state.kind).toBe('lost');
  });

  it('subscribes again later to what is refused for now, and ends what is refused for good', async () => {
    const world = page();
    const orders = reader();
    world.live.read('orders', orders);
    world.live.connect();
    await world.opened();
    world.receive({
      op: 'subscribed',
      topics: [],
      refused: [
        { topic: 'orders', code: 'overloaded', detail: 'x', retryable: true, retryAfterMs: 700 },
      ],
    });
    world.advance(700);
    expect(
      world.last().sent.filter((each) => JSON.stringify(each).includes('subscribe')),
    ).toHaveLength(2);
    world.receive({
      op: 'error',
      refused: [{ topic: 'orders', code: 'not_found', detail: 'no such topic', retryable: false }],
    });
    expect(orders.heard).toEqual(['ended no such topic']);
  });

  it('keeps a topic for five seconds after its last reader left, then leaves it', async () => {
    const world = page();
    const leave = world.live.read('orders', reader());
    world.live.connect();
    await world.opened();
    leave();
    world.advance(4_999);
    expect(world.last().sent.at(-1)).toEqual({ op: 'subscribe', topics: ['orders'] });
    world.advance(1);
    expect(world.last().sent.at(-1)).toEqual({ op: 'unsubscribe', topics: ['orders'] });
  });

  it('opens nothing more where a username is needed first', () => {
    const world = page();
    world.live.connect();
    world.last().onclose?.({ code: 4403 });
    world.advance(60_000);
    expect(world.sockets).toHaveLength(1);
    expect(world.live.state).toEqual({ kind: 'closed', reason: 'username_required' });
  });
});

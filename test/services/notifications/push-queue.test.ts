import { describe, expect, it } from 'vitest';
import { PUSH } from '../../../config/limits/notification.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createDigests } from '../../../src/adapters/identity/sign-in-secrets.ts';
import { createMemoryStore, type MemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import type { UserId } from '../../../src/domain/ids.ts';
import type { PushCounts } from '../../../src/domain/notification.ts';
import { createCommit } from '../../../src/services/commit.ts';
import { createNotificationLog } from '../../../src/services/notifications/notification-log.ts';
import { createPushQueue } from '../../../src/services/notifications/push-queue.ts';
import { createPushSubscriptions } from '../../../src/services/notifications/push-subscriptions.ts';
import {
  NOTIFICATION_BOOKS,
  NOTIFICATIONS,
  PUSH_QUEUE,
  PUSH_SENDING,
  PUSH_SUBSCRIPTIONS,
} from '../../../src/services/notifications/tables.ts';
import { aUserId, T0 } from '../../support/builders.ts';
import { createFakePush, type FakePush } from '../../support/fakes/fake-push.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../../support/quiet.ts';

const USER = aUserId(1);

/** A process over a store and a push service, both of which outlive it. */
function aProcess({
  store = createMemoryStore(),
  push = createFakePush(),
  clock = createVirtualClock(T0),
} = {}) {
  const bus = createKeptBus();
  const log = createKeptLog();
  const metrics = createKeptMetrics();
  const commit = createCommit({
    store,
    bus,
    metrics,
    follow: createNotificationLog({ wallClock: clock, log }),
  });
  const vault = { seal: (text: string) => text, unseal: (text: string) => text };
  const queue = createPushQueue({ store, commit, bus, clock, vault, push, log, metrics });
  const subscriptions = createPushSubscriptions({
    store,
    commit,
    clock,
    random: createSeededRandom('subscriptions'),
    digests: createDigests(new Uint8Array(32)),
    vault,
    push,
  });
  const tell = (userId: UserId = USER): Promise<void> =>
    commit(
      (tx) =>
        void tx.append({
          type: 'audit.recorded',
          userId,
          atMs: clock.nowMs(),
          action: 'key_exported',
          subject: 'evm',
          detail: null,
          origin: null,
        }),
    );
  return { store, push, clock, bus, log, metrics, commit, queue, subscriptions, tell };
}

async function aStartedProcess(parts: Parameters<typeof aProcess>[0] = {}) {
  const running = aProcess(parts);
  await running.queue.start();
  return running;
}

function counts(store: MemoryStore): readonly PushCounts[] {
  return store.range(NOTIFICATIONS).map(({ value }) => value.push);
}

function left(store: MemoryStore): unknown {
  return [
    store.range(PUSH_QUEUE).length,
    store.range(PUSH_SENDING).length,
    store.get(NOTIFICATION_BOOKS, [USER])?.value.waiting,
  ];
}

const texts = (push: FakePush, endpoint: string): readonly unknown[] =>
  // the message's own form
  push.shown(endpoint).map((payload) => (JSON.parse(payload) as { id: string }).id);

describe('a message to a browser', () => {
  it('goes to each browser of the user, once, and to no other user’s', async () => {
    const { store, push, clock, subscriptions, queue, tell, metrics } = await aStartedProcess();
    const [one, two, stranger] = [push.subscribe(), push.subscribe(), push.subscribe()];
    for (const browser of [one, two]) await subscriptions.subscribe(USER, browser);
    await subscriptions.subscribe(aUserId(2), stranger);
    await tell();
    await clock.advance(1);
    expect([
      push.taken.map(({ endpoint }) => endpoint),
      texts(push, one.endpoint),
      texts(push, stranger.endpoint),
    ]).toEqual([[one.endpoint, two.endpoint], ['ntf_1'], []]);
    expect([counts(store), left(store)]).toEqual([
      [{ waiting: 0, sent: 2, dropped: 0 }],
      [0, 0, 0],
    ]);
    expect([
      metrics.counts.get('notifications_total key_exported'),
      metrics.counts.get('push_messages_total sent'),
      metrics.counts.get('push_waiting_messages'),
    ]).toEqual([1, 2, 0]);
    await queue.stop();
  });

  it('is sent under a signal of its own, so that nothing of it is kept once it has been taken', async () => {
    const push = createFakePush();
    const signals: AbortSignal[] = [];
    const { clock, subscriptions, queue, tell } = await aStartedProcess({
      push: {
        ...push,
        send: (browser, message, signal) =>
          push.send(browser, message, (signals.push(signal), signal)),
      },
    });
    await subscriptions.subscribe(USER, push.subscribe());
    for (let times = 0; times < 3; times += 1) {
      await tell();
      await clock.advance(1);
    }
    push.armed.push('hangs');
    await tell();
    await clock.advance(1);
    const stopped = queue.stop();
    await clock.advance(PUSH.drainMs);
    await stopped;
    expect([new Set(signals).size, signals.map(({ aborted }) => aborted)]).toEqual([
      4,
      [false, false, false, true],
    ]);
  });

  it('bears its id as topic and tag, and how long it is worth reading', async () => {
    const { push, clock, subscriptions, queue, tell } = await aStartedProcess();
    await subscriptions.subscribe(USER, push.subscribe());
    await tell();
    await clock.advance(1);
    expect(
      push.taken.map(({ message: { payload, ...rest } }) => [JSON.parse(payload), rest]),
    ).toEqual([
      [
        {
          id: 'ntf_1',
          tag: 'ntf_1',
          kind: 'key_exported',
          title: 'A private key of yours was exported',
          body: expect.any(String),
          atMs: T0,
        },
        { topic: 'ntf_1', lifeMs: PUSH.securityLifeMs },
      ],
    ]);
    await queue.stop();
  });

  it('is tried again, later each time, while it is surely not taken, and follows Retry-After; the log says why it waits', async () => {
    const { store, push, clock, subscriptions, queue, tell, log, metrics } =
      await aStartedProcess();
    const browser = push.subscribe();
    await subscriptions.subscribe(USER, browser);
    push.armed.push(
      { kind: 'later', retryAfterMs: null, reason: '503' },
      { kind: 'later', retryAfterMs: 60_000, reason: '429' },
    );
    await tell();
    await clock.advance(PUSH.retryFirstMs - 1);
    const early = push.begun.length;
    await clock.advance(1);
    const second = push.begun.length;
    await clock.advance(59_999);
    const third = push.begun.length;
    await clock.advance(1);
    expect([
      early,
      second,
      third,
      push.begun.length,
      texts(push, browser.endpoint),
      counts(store),
      left(store),
    ]).toEqual([1, 2, 2, 3, ['ntf_1'], [{ waiting: 0, sent: 1, dropped: 0 }], [0, 0, 0]]);
    expect([
      metrics.counts.get('push_messages_total waits'),
      metrics.counts.get('push_messages_total sent'),
    ]).toEqual([2, 1]);
    const waits = { level: 'info', event: 'push.waits' };
    const { host } = new URL(browser.endpoint);
    expect(log.lines).toEqual([
      { ...waits, fields: { userId: USER, host, reason: '503' } },
      { ...waits, fields: { userId: USER, host, reason: '429' } },
    ]);
    await queue.stop();
  });

  it('is given up after PUSH.triesMaximum tries, in a bounded time', async () => {
    const { store, push, clock, subscriptions, queue, tell, metrics } = await aStartedProcess();
    await subscriptions.subscribe(USER, push.subscribe());
    for (let each = 0; each < 20; each += 1)
      push.armed.push({ kind: 'later', retryAfterMs: null, reason: '503' });
    await tell();
    await clock.advance(20 * 60_000);
    expect([
      push.begun.length,
      counts(store),
      left(store),
      metrics.counts.get('push_messages_total exhausted'),
    ]).toEqual([PUSH.triesMaximum, [{ waiting: 0, sent: 0, dropped: 1 }], [0, 0, 0], 1]);
    await queue.stop();
  });

  it('L2: is not sent again where it may have been taken', async () => {
    const { store, push, clock, subscriptions, queue, tell } = await aStartedProcess();
    const browser = push.subscribe();
    await subscriptions.subscribe(USER, browser);
    push.armed.push('lost', { kind: 'refused', reason: 'answered 400' });
    await tell();
    await clock.advance(3_600_000);
    await tell();
    await clock.advance(3_600_000);
    expect([push.begun.length, texts(push, browser.endpoint), counts(store), left(store)]).toEqual([
      2,
      ['ntf_1'],
      [
        { waiting: 0, sent: 0, dropped: 1 },
        { waiting: 0, sent: 0, dropped: 1 },
      ],
      [0, 0, 0],
    ]);
    await queue.stop();
  });

  it('to a browser that is gone ends its subscription and what waits for it', async () => {
    const { store, push, clock, subscriptions, queue, tell } = await aStartedProcess();
    const browser = push.subscribe();
    await subscriptions.subscribe(USER, browser);
    push.unsubscribe(browser.endpoint);
    await Promise.all([tell(), tell(), tell()]);
    await clock.advance(1);
    await tell();
    await clock.advance(1);
    expect([
      subscriptions.list(USER),
      counts(store).map(({ dropped }) => dropped),
      left(store),
    ]).toEqual([[], [1, 1, 1, 0], [0, 0, 0]]);
    await queue.stop();
  });

  it('is dropped when it could not be sent while it was news', async () => {
    const { store, push, clock, subscriptions, tell } = aProcess();
    await subscriptions.subscribe(USER, push.subscribe());
    await tell();
    await clock.advance(PUSH.securityLifeMs);
    const next = await aStartedProcess({ store, push, clock });
    await clock.advance(1);
    expect([
      push.begun,
      counts(store),
      next.metrics.counts.get('push_messages_total expired'),
    ]).toEqual([[], [{ waiting: 0, sent: 0, dropped: 1 }], 1]);
    await next.queue.stop();
  });

  it('to a browser that subscribed to another key of this service is not sent, and the browser is let go', async () => {
    const { store, push, clock, subscriptions, tell } = aProcess();
    await subscriptions.subscribe(USER, push.subscribe());
    await tell();
    const rekeyed = createFakePush('another key');
    const next = await aStartedProcess({ store, push: rekeyed, clock });
    await clock.advance(1);
    expect([rekeyed.begun, store.range(PUSH_SUBSCRIPTIONS), counts(store)]).toEqual([
      [],
      [],
      [{ waiting: 0, sent: 0, dropped: 1 }],
    ]);
    await next.queue.stop();
  });
});

describe('a restart', () => {
  it('never sends again what may have left, and sends what surely has not', async () => {
    const { store, push, clock, subscriptions, tell } = await aStartedProcess();
    const browser = push.subscribe();
    await subscriptions.subscribe(USER, browser);
    push.armed.push(...Array.from({ length: PUSH.sendingPerHostMaximum }, () => 'hangs' as const));
    for (let each = 0; each < PUSH.sendingPerHostMaximum + 3; each += 1) await tell();
    await clock.advance(1);
    expect(left(store)).toEqual([3, PUSH.sendingPerHostMaximum, PUSH.sendingPerHostMaximum + 3]);
    const next = await aStartedProcess({ store: store.crash(), push, clock });
    await clock.advance(1);
    expect([
      push.begun.length,
      texts(push, browser.endpoint),
      left(next.store),
      next.metrics.counts.get('push_messages_total interrupted'),
    ]).toEqual([
      PUSH.sendingPerHostMaximum + 3,
      ['ntf_9', 'ntf_10', 'ntf_11'],
      [0, 0, 0],
      PUSH.sendingPerHostMaximum,
    ]);
    await next.queue.stop();
  });

  it('after a power failure anywhere begins each message once at most over all lives', async () => {
    for (const moment of ['beforeCommit', 'onCommit', 'onFlush'] as const) {
      for (let number = 1; number <= 12; number += 1) {
        const push = createFakePush();
        const clock = createVirtualClock(T0);
        const browser = push.subscribe();
        let moments = 0;
        let kept: MemoryStore | null = null;
        const first = createMemoryStore({
          [moment]: () => {
            moments += 1;
            if (moments < number) return;
            kept ??= first.crash({});
            throw new Error('the power is gone');
          },
        });
        // Nothing of a dead process reaches the world.
        const leashed: FakePush = {
          ...push,
          send: (...message) =>
            kept === null ? push.send(...message) : new Promise(() => undefined),
        };
        const life = aProcess({ store: first, push: leashed, clock });
        const ignore = (): undefined => undefined;
        await life.subscriptions.subscribe(USER, browser).catch(ignore);
        await life.queue.start().catch(ignore);
        for (let each = 0; each < 3; each += 1) await life.tell().catch(ignore);
        await clock.advance(1);
        const next = await aStartedProcess({ store: kept ?? first, push, clock });
        await clock.advance(3_600_000);
        const ids = push.taken.map(({ message }) => message.topic);
        expect([moment, number, new Set(ids).size, left(next.store)]).toEqual([
          moment,
          number,
          ids.length,
          [0, 0, next.store.get(NOTIFICATION_BOOKS, [USER])?.value.waiting],
        ]);
        await next.queue.stop();
      }
    }
  });
});

describe('the queue', () => {
  it('lets a host that hangs hold up its own messages only', async () => {
    const { push, clock, subscriptions, queue, tell } = await aStartedProcess();
    const [hung, well] = [push.subscribe('push.hung'), push.subscribe('push.well')];
    await subscriptions.subscribe(USER, hung);
    push.armed.push(...Array.from({ length: PUSH.sendingPerHostMaximum }, () => 'hangs' as const));
    for (let each = 0; each < 20; each += 1) await tell();
    await clock.advance(1);
    await subscriptions.subscribe(aUserId(2), well);
    for (let each = 0; each < 20; each += 1) await tell(aUserId(2));
    await clock.advance(1);
    expect([
      push.begun.filter((endpoint) => endpoint === hung.endpoint).length,
      texts(push, well.endpoint).length,
    ]).toEqual([PUSH.sendingPerHostMaximum, 20]);
    const stopping = queue.stop();
    await clock.advance(PUSH.drainMs);
    await stopping;
  });

  it('when stopped waits for what is under way, and gives up what still hangs after PUSH.drainMs', async () => {
    const { store, push, clock, subscriptions, queue, tell } = await aStartedProcess();
    await subscriptions.subscribe(USER, push.subscribe());
    push.armed.push('hangs');
    await tell();
    await clock.advance(1);
    let isStopped = false;
    const stopping = queue.stop().then(() => (isStopped = true));
    await clock.advance(PUSH.drainMs - 1);
    const early = isStopped;
    await clock.advance(1);
    await stopping;
    await tell();
    expect([early, push.begun.length, counts(store)]).toEqual([
      false,
      1,
      [
        { waiting: 0, sent: 0, dropped: 1 },
        { waiting: 1, sent: 0, dropped: 0 },
      ],
    ]);
  });

  it('goes on after a store that could not write', async () => {
    let isDown = false;
    const store = createMemoryStore({
      beforeCommit: () => {
        if (isDown) throw new Error('the disk is full');
      },
    });
    const { push, clock, subscriptions, queue, tell, log } = await aStartedProcess({ store });
    const browser = push.subscribe();
    await subscriptions.subscribe(USER, browser);
    const reported = tell();
    void reported.then(() => (isDown = true));
    await clock.advance(1);
    isDown = false;
    await clock.advance(PUSH.retryFirstMs);
    expect([
      texts(push, browser.endpoint),
      log.lines.filter(({ event }) => event === 'push.queue_failed').length <= 1,
    ]).toEqual([['ntf_1'], true]);
    await queue.stop();
  });

  it('raises no error where a store cannot be read when a message has been answered, and goes on once it can', async () => {
    const kept = createMemoryStore();
    let isDown = false;
    const store: MemoryStore = {
      ...kept,
      range(table, range) {
        if (isDown) throw new Error('the store is away');
        return kept.range(table, range);
      },
    };
    const { push, clock, subscriptions, queue, tell, log } = await aStartedProcess({ store });
    const browser = push.subscribe();
    await subscriptions.subscribe(USER, browser);
    await tell();
    isDown = true;
    await clock.advance(1);
    isDown = false;
    await tell();
    await clock.advance(PUSH.retryFirstMs);
    expect([
      texts(push, browser.endpoint).length,
      log.lines.some(({ event }) => event === 'push.queue_failed'),
      left(kept),
    ]).toEqual([2, true, [0, 0, 0]]);
    await queue.stop();
  });
});

describe('subscriptions', () => {
  it('of one browser are one, and belong to the last user who made them', async () => {
    const { store, push, subscriptions } = aProcess();
    const browser = push.subscribe();
    const first = await subscriptions.subscribe(USER, browser);
    const again = await subscriptions.subscribe(USER, browser);
    const others = await subscriptions.subscribe(aUserId(2), browser);
    expect([
      again,
      subscriptions.list(USER),
      subscriptions.list(aUserId(2)),
      store.range(PUSH_SUBSCRIPTIONS).length,
    ]).toEqual([first, [], [others], 1]);
  });

  it('beyond the most a user may have take the place of the oldest', async () => {
    const { push, clock, subscriptions } = aProcess();
    const made = [];
    for (let each = 0; each <= PUSH.subscriptionsPerUserMaximum; each += 1) {
      made.push(await subscriptions.subscribe(USER, push.subscribe()));
      await clock.advance(1);
    }
    expect(subscriptions.list(USER)).toEqual(made.slice(1));
  });

  it('are refused with what is wrong with them, and to those whose service sends nothing', async () => {
    const { push, subscriptions, store, commit, clock } = aProcess();
    const { keys } = push.subscribe();
    await expect(
      subscriptions.subscribe(USER, {
        endpoint: 'https://169.254.169.254/',
        keys: { ...keys, auth: '' },
      }),
    ).rejects.toMatchObject({
      code: 'invalid_request',
      fields: [{ path: '/endpoint' }, { path: '/keys/auth' }],
    });
    const without = createPushSubscriptions({
      store,
      commit,
      clock,
      random: createSeededRandom(1),
      digests: createDigests(new Uint8Array(32)),
      vault: { seal: (text) => text },
      push: null,
    });
    expect(() => without.publicKey()).toThrow(
      expect.objectContaining({ code: 'push_unavailable' }),
    );
    await expect(without.subscribe(USER, push.subscribe())).rejects.toMatchObject({
      code: 'push_unavailable',
    });
  });

  it('end at the request of their owner, and of no other user', async () => {
    const { push, subscriptions } = aProcess();
    const { subscriptionId } = await subscriptions.subscribe(USER, push.subscribe());
    await expect(subscriptions.unsubscribe(aUserId(2), subscriptionId)).rejects.toMatchObject({
      code: 'not_found',
    });
    await subscriptions.unsubscribe(USER, subscriptionId);
    expect(subscriptions.list(USER)).toEqual([]);
  });
});

import { PUSH } from '../../../config/limits/notification.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Clock, Timer } from '../../ports/clock.ts';
import type { KeyVault } from '../../ports/key-vault.ts';
import type { PushOutcome, PushService, PushSubscription } from '../../ports/push.ts';
import type { Store, Versioned } from '../../ports/store.ts';
import { pushMessageOf } from './push-message.ts';
import {
  beginSending,
  endInterrupted,
  endSending,
  type PushEnd,
  type PushJob,
} from './push-steps.ts';
import { PUSH_QUEUE, PUSH_SENDING, type PushTask } from './tables.ts';

/** Sends what waits in the queue, beside everything else: no trade waits for it. */
export interface PushQueue {
  /** Ends what the last process may have sent, then begins. Call once. */
  start(): Promise<void>;
  /**
   * Begins nothing more, waits PUSH.drainMs for what is under way, and gives the rest up as
   * unknown.
   */
  stop(): Promise<void>;
}

/** Messages of one host: those under way, and whether some are just being taken from the queue. */
interface Lane {
  active: number;
  isTaking: boolean;
}

/** Rows counted at a time at the start. */
const COUNTED_AT_ONCE = 1_000;
/** Sorts behind every due time of a host. */
const AFTER_ALL_TIMES = '~';

/**
 * Makes the queue. A message is marked durably as one that may leave before it does, so it is sent
 * at most once: a process that ends in between leaves it marked, and the next gives it up. Only
 * what a push service surely did not take is tried again. Each host has a lane of its own, so one
 * that hangs holds up its own messages only.
 */
export function createPushQueue({
  store,
  commit,
  bus,
  clock,
  vault,
  push,
  log,
  metrics,
}: Pick<Runtime, 'store' | 'commit' | 'bus' | 'log' | 'metrics'> & {
  /** Wall time. */
  readonly clock: Clock;
  readonly vault: Pick<KeyVault, 'unseal'>;
  /** Null where nothing is sent: what waits then stays until it can be. */
  readonly push: PushService | null;
}): PushQueue {
  const lanes = new Map<string, Lane>();
  const underWay = new Set<Promise<unknown>>();
  /**
   * The messages under way: each has a signal of its own, for a lasting one would keep what waits
   * for it.
   */
  const sending = new Set<AbortController>();
  let isRunning = false;
  let isGivenUp = false;
  let active = 0;
  let waiting = 0;
  let timer: Timer | null = null;

  const unsubscribe = bus.subscribe(({ event }) => {
    if (event.type !== 'notification.made') return;
    const { facts, push: counts } = event.notification;
    metrics.count('notifications_total', { kind: facts.kind });
    if (counts.dropped > 0)
      metrics.count('push_messages_total', { outcome: 'crowded' }, counts.dropped);
    count(counts.waiting);
    if (counts.waiting > 0) pump();
  });

  function count(change: number): void {
    waiting += change;
    metrics.gauge('push_waiting_messages', waiting);
  }

  function tell(end: PushEnd): void {
    metrics.count('push_messages_total', { outcome: end });
    if (end !== 'waits') count(-1);
  }

  /** Keeps a piece of work in sight until it has ended; it handles its own failures. */
  function follow(work: Promise<void>): void {
    underWay.add(work);
    void work.finally(() => underWay.delete(work));
  }

  /**
   * Sends what is due. Whoever calls it has ended work of their own that must not fail with the
   * store.
   */
  function pump(): void {
    if (!isRunning || push === null) return;
    timer?.cancel();
    timer = null;
    try {
      sendDue(push);
    } catch (cause) {
      log.error({ cause }, 'push.queue_failed');
      wake(PUSH.retryFirstMs);
    }
  }

  function sendDue(service: PushService): void {
    const nowMs = clock.nowMs();
    let nextAtMs = Number.POSITIVE_INFINITY;
    let isEmpty = true;
    for (const host of waitingHosts(store)) {
      isEmpty = false;
      const lane = lanes.get(host) ?? { active: 0, isTaking: false };
      const room = Math.min(PUSH.sendingPerHostMaximum - lane.active, PUSH.sendingMaximum - active);
      if (lane.isTaking || room <= 0) continue;
      const first = store.range(PUSH_QUEUE, { prefix: [host], limit: room });
      const due = first.filter(({ key }) => Number(key[1]) <= nowMs);
      nextAtMs = Math.min(nextAtMs, ...first.slice(due.length).map(({ key }) => Number(key[1])));
      if (due.length === 0) continue;
      lanes.set(host, lane);
      lane.isTaking = true;
      occupy(lane, due.length);
      follow(take(service, { host, lane, due }));
    }
    // What was made while the start counted is counted twice; an empty queue sets it right.
    if (isEmpty && active === 0) count(-waiting);
    if (nextAtMs < Number.POSITIVE_INFINITY) wake(nextAtMs - nowMs);
  }

  function wake(delayMs: number): void {
    timer?.cancel();
    timer = clock.after(Math.max(0, delayMs), pump);
  }

  function occupy(lane: Lane, change: number): void {
    lane.active += change;
    active += change;
  }

  function release(host: string, lane: Lane, places: number): void {
    occupy(lane, -places);
    if (lane.active === 0 && !lane.isTaking) lanes.delete(host);
  }

  async function take(
    service: PushService,
    {
      host,
      lane,
      due,
    }: { readonly host: string; readonly lane: Lane; readonly due: readonly Versioned<PushTask>[] },
  ): Promise<void> {
    try {
      const begun = await commit((tx) =>
        due.map((row) =>
          beginSending(tx, row, { nowMs: clock.nowMs(), publicKey: service.publicKey }),
        ),
      );
      lane.isTaking = false;
      for (const each of begun) {
        if (each !== null && typeof each === 'object')
          follow(deliver(service, { host, lane, job: each }));
        else {
          if (each !== null) tell(each);
          release(host, lane, 1);
        }
      }
      pump();
    } catch (cause) {
      lane.isTaking = false;
      release(host, lane, due.length);
      log.error({ host, cause }, 'push.queue_failed');
      if (isRunning) wake(PUSH.retryFirstMs);
    }
  }

  async function deliver(
    service: PushService,
    { host, lane, job }: { readonly host: string; readonly lane: Lane; readonly job: PushJob },
  ): Promise<void> {
    const outcome = await sendOnce(service, job);
    if (outcome.kind === 'taken')
      metrics.observe('push_delivery_seconds', (clock.nowMs() - job.notification.atMs) / 1_000);
    try {
      tell(await commit((tx) => endSending(tx, job, { outcome, nowMs: clock.nowMs() })));
      const { userId } = job.task;
      if (outcome.kind === 'refused' || outcome.kind === 'unknown')
        log.warn({ userId, host, outcome: outcome.kind, reason: outcome.reason }, 'push.dropped');
      else if (outcome.kind === 'later')
        log.info({ userId, host, reason: outcome.reason }, 'push.waits');
    } catch (cause) {
      // It stays marked, so this process and the next leave it alone.
      log.error({ host, cause }, 'push.queue_failed');
    }
    release(host, lane, 1);
    pump();
  }

  async function sendOnce(
    service: PushService,
    { task, subscription, notification }: PushJob,
  ): Promise<PushOutcome> {
    const controller = new AbortController();
    sending.add(controller);
    if (isGivenUp) controller.abort();
    try {
      return await service.send(
        opened(vault.unseal(subscription.sealed)),
        pushMessageOf(notification, task.expiresAtMs - clock.nowMs()),
        controller.signal,
      );
    } catch (cause) {
      // A record that does not open or does not encrypt: nothing has left.
      return { kind: 'refused', reason: cause instanceof Error ? cause.message : String(cause) };
    } finally {
      sending.delete(controller);
    }
  }

  return {
    async start() {
      const left = store.range(PUSH_SENDING);
      const ended =
        left.length === 0 ? [] : await commit((tx) => left.map((row) => endInterrupted(tx, row)));
      for (const end of ended) metrics.count('push_messages_total', { outcome: end });
      count(countWaiting(store));
      isRunning = true;
      pump();
    },
    async stop() {
      isRunning = false;
      unsubscribe();
      timer?.cancel();
      await Promise.race([
        settled(underWay),
        new Promise<void>((resolve) => void clock.after(PUSH.drainMs, resolve)),
      ]);
      isGivenUp = true;
      for (const controller of sending) controller.abort();
      await settled(underWay);
    },
  };
}

/** Hosts with messages that wait, each found by one read. */
function* waitingHosts(store: Store): Generator<string> {
  let after: readonly string[] | null = null;
  for (let seen = 0; seen < PUSH.hostsMaximum; seen += 1) {
    const first: Versioned<PushTask> | undefined = store.range(
      PUSH_QUEUE,
      after === null ? { limit: 1 } : { limit: 1, after },
    )[0];
    if (first === undefined) return;
    const host: string = first.value.host;
    yield host;
    after = [host, AFTER_ALL_TIMES];
  }
}

function countWaiting(store: Store): number {
  let count = 0;
  for (let rows = store.range(PUSH_QUEUE, { limit: COUNTED_AT_ONCE }); rows.length > 0; ) {
    count += rows.length;
    const last = rows.at(-1);
    rows =
      last === undefined
        ? []
        : store.range(PUSH_QUEUE, { limit: COUNTED_AT_ONCE, after: last.key });
  }
  return count;
}

async function settled(underWay: ReadonlySet<Promise<unknown>>): Promise<void> {
  while (underWay.size > 0) await Promise.all(underWay);
}

function opened(text: string): PushSubscription {
  // sealed by us after it was checked (push-subscriptions.ts)
  return JSON.parse(text) as PushSubscription;
}

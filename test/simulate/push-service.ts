import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import { leasedPush } from '../../src/app/leased.ts';
import type { DirectService } from '../../src/tools/replay/direct-service.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Lease } from '../../src/ports/lease.ts';
import type { Log } from '../../src/ports/log.ts';
import type { Metrics } from '../../src/ports/metrics.ts';
import type { PushOutcome, PushService, PushSubscription } from '../../src/ports/push.ts';
import type { Random } from '../../src/ports/random.ts';
import { createPushQueue, type PushQueue } from '../../src/services/notifications/push-queue.ts';
import {
  createPushSubscriptions,
  type PushSubscriptions,
} from '../../src/services/notifications/push-subscriptions.ts';
import type { Delivery } from './checks/notifications.ts';

/**
 * The push services of browsers: they outlive every life of the service, and remember what they
 * brought.
 */
export interface PushModel {
  readonly deliveries: readonly Delivery[];
  /** True once nothing is promised to arrive any more. */
  readonly isQuiet: boolean;
  /** As one process reaches it. */
  reachedBy(clock: Clock): PushService;
  /** Answers everything at once and well from now on. */
  calm(): void;
}

/** What of notifications runs beside the trading of one life. */
export type PushFixture = Pick<PushSubscriptions, 'subscribe'> & Pick<PushQueue, 'start' | 'stop'>;

const SLOWEST_MS = 25_000;
const QUIET_METRICS: Metrics = {
  count: () => undefined,
  gauge: () => undefined,
  observe: () => undefined,
  startTimer: () => () => undefined,
  beforeRead: () => undefined,
};

/**
 * Makes the push services: most messages are taken; some are put off, some brought though the
 * answer is lost, and some lost with it.
 */
export function createPushModel(world: Clock, random: Random): PushModel {
  const deliveries: Delivery[] = [];
  let underWay = 0;
  let isCalm = false;

  function draw(): { readonly isBrought: boolean; readonly outcome: PushOutcome } {
    const lot = isCalm ? 0 : random.integer(20);
    if (lot < 13) return { isBrought: true, outcome: { kind: 'taken' } };
    if (lot < 16)
      return {
        isBrought: false,
        outcome: { kind: 'later', retryAfterMs: lot === 13 ? 30_000 : null, reason: 'busy' },
      };
    if (lot < 18) return { isBrought: true, outcome: { kind: 'unknown', reason: 'no answer' } };
    return {
      isBrought: false,
      outcome: { kind: lot === 18 ? 'unknown' : 'refused', reason: 'no answer' },
    };
  }

  return {
    deliveries,
    get isQuiet() {
      return underWay === 0;
    },
    calm() {
      isCalm = true;
    },
    reachedBy: (clock) => ({
      publicKey: 'the-key-of-the-runtime',
      faults: () => [],
      close: async () => undefined,
      send({ endpoint }, { topic }) {
        const { isBrought, outcome } = draw();
        const afterMs = 20 + random.integer(random.integer(10) === 0 && !isCalm ? SLOWEST_MS : 300);
        underWay += 1;
        // What has left arrives, whatever becomes of the process that sent it; the answer needs
        // a process that waits for it.
        world.after(afterMs, () => {
          underWay -= 1;
          if (isBrought) deliveries.push({ endpoint, topic });
        });
        return new Promise((resolve) => void clock.after(2 * afterMs, () => resolve(outcome)));
      },
    }),
  };
}

/** A browser of a user. Its endpoint names it. */
export function browserOf(userId: string, number: number): PushSubscription {
  return {
    endpoint: `https://push-${number}.example/${userId}`,
    keys: { p256dh: 'key', auth: 'secret' },
  };
}

/**
 * Opens subscriptions and the queue of one life over the service's own store, commit and bus.
 * Nothing here is secret, so nothing is sealed.
 */
export function openPushFixture({
  service,
  clock,
  seed,
  life,
  log,
  lease,
  pushes,
}: {
  readonly service: DirectService;
  readonly clock: Clock;
  readonly seed: number;
  readonly life: number;
  readonly log: Log;
  readonly lease: Lease;
  readonly pushes: PushModel;
}): PushFixture {
  const {
    store,
    bus,
    core: {
      trading: { commit },
    },
  } = service;
  const push = leasedPush(pushes.reachedBy(clock), lease);
  const vault = { seal: (plain: string) => plain, unseal: (sealed: string) => sealed };
  const digests = {
    digest: (_purpose: string, text: string) => text,
    same: (left: string, right: string) => left === right,
  };
  const { subscribe } = createPushSubscriptions({
    store,
    commit,
    clock,
    random: createSeededRandom(`${seed}:push:${life}`),
    digests,
    vault,
    push,
  });
  const { start, stop } = createPushQueue({
    store,
    commit,
    bus,
    clock,
    vault,
    push,
    log,
    metrics: QUIET_METRICS,
  });
  return { subscribe, start, stop };
}

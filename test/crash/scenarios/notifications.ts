import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createDigests } from '../../../src/adapters/identity/sign-in-secrets.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import type { Store } from '../../../src/ports/store.ts';
import type { Commit } from '../../../src/ports/commit.ts';
import { createCommit } from '../../../src/services/commit.ts';
import { createNotificationLog } from '../../../src/services/notifications/notification-log.ts';
import {
  createNotifications,
  type Notifications,
} from '../../../src/services/notifications/notifications.ts';
import { createPushQueue, type PushQueue } from '../../../src/services/notifications/push-queue.ts';
import {
  createPushSubscriptions,
  type PushSubscriptions,
} from '../../../src/services/notifications/push-subscriptions.ts';
import {
  NOTIFICATIONS,
  PUSH_QUEUE,
  PUSH_SENDING,
  PUSH_SUBSCRIPTIONS,
} from '../../../src/services/notifications/tables.ts';
import { createMortalClock } from '../../simulate/mortal-clock.ts';
import { aUserId, T0 } from '../../support/builders.ts';
import { createFakePush, type FakePush } from '../../support/fakes/fake-push.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../../support/quiet.ts';
import { scenario, type CrashScenario, type Stage, type Step } from './scenario.ts';

interface NotificationLife {
  readonly store: Store;
  readonly commit: Commit;
  readonly queue: PushQueue;
  readonly subscriptions: PushSubscriptions;
  readonly notifications: Notifications;
}

interface NotificationStage extends Stage<NotificationLife> {
  readonly push: FakePush;
  /** The browsers of the user. */
  readonly browsers: readonly ReturnType<FakePush['subscribe']>[];
}

const USER = aUserId(1);
const VAULT = { seal: (text: string) => text, unseal: (text: string) => text };

async function openNotificationStage(): Promise<NotificationStage> {
  const [clock, push] = [createVirtualClock(T0), createFakePush()];
  const browsers = [push.subscribe(), push.subscribe('push.other.example')];
  return {
    clock,
    push,
    browsers,
    pace: 'clock',
    async begin(store, number, { death }) {
      const mortal = createMortalClock(clock);
      death.addEventListener('abort', () => mortal.end(), { once: true });
      const [bus, log, metrics] = [createKeptBus(), createKeptLog(), createKeptMetrics()];
      const commit = createCommit({
        store,
        bus,
        metrics,
        follow: createNotificationLog({ wallClock: mortal, log }),
      });
      const line: FakePush = {
        ...push,
        send: (...sent) => (death.aborted ? new Promise(() => undefined) : push.send(...sent)),
      };
      return {
        store,
        commit,
        queue: createPushQueue({
          store,
          commit,
          bus,
          clock: mortal,
          vault: VAULT,
          push: line,
          log,
          metrics,
        }),
        subscriptions: createPushSubscriptions({
          store,
          commit,
          clock: mortal,
          random: createSeededRandom(`life-${number}`),
          digests: createDigests(new Uint8Array(32)),
          vault: VAULT,
          push: line,
        }),
        notifications: createNotifications({ store, commit, clock: mortal }),
      };
    },
    start: ({ queue }) => queue.start(),
    bury: ({ queue }) => void queue.stop(),
    world: () => ({ begun: push.begun, taken: push.taken.map(({ endpoint }) => endpoint) }),
    // A message that may have left is not sent again, so after a cut one may be given up that was
    // sent without it.
    end: (store, { notifications }) => ({
      notifications: store.range(NOTIFICATIONS).map(
        ({
          value: {
            number,
            facts,
            push: { waiting, sent, dropped },
          },
        }) => ({ number, facts, waiting, over: sent + dropped }),
      ),
      unread: notifications.list(USER, { limit: 10, cursor: null }).unread,
      left: store.range(PUSH_QUEUE).length + store.range(PUSH_SENDING).length,
      browsers: store.range(PUSH_SUBSCRIPTIONS).length,
    }),
    broken: () => {
      const reported = push.taken.map(({ endpoint, message }) => `${endpoint} ${message.topic}`);
      return reported
        .filter((one, index) => reported.indexOf(one) !== index)
        .map((one) => `notified twice: ${one}`);
    },
    close: () => undefined,
  };
}

/**
 * A key was exported, of which the user's browsers are notified; once for each of these
 * words.
 */
function reported(stage: NotificationStage, subject: string): Step<NotificationLife> {
  return async ({ store, commit }) => {
    if (
      store
        .range(NOTIFICATIONS)
        .some(({ value: { facts } }) => facts.kind === 'key_exported' && facts.wallet === subject)
    )
      return;
    await commit(
      (tx) =>
        void tx.append({
          type: 'audit.recorded',
          userId: USER,
          atMs: stage.clock.nowMs(),
          action: 'key_exported',
          subject,
          detail: null,
          origin: null,
        }),
    );
  };
}

const subscribed = ({ browsers }: NotificationStage): readonly Step<NotificationLife>[] =>
  browsers.map(
    (browser) =>
      ({ subscriptions }: NotificationLife) =>
        subscriptions.subscribe(USER, browser),
  );
const wait =
  ({ clock }: NotificationStage, ms: number): Step<NotificationLife> =>
  () =>
    new Promise<void>((resolve) => void clock.after(ms, resolve));

function notification(
  name: string,
  steps: (stage: NotificationStage) => readonly Step<NotificationLife>[],
): CrashScenario {
  return scenario<NotificationLife, NotificationStage>(name, {
    family: 'notifications',
    open: openNotificationStage,
    steps,
  });
}

/** Notifications of users, and their browsers. */
export const NOTIFICATION_SCENARIOS: readonly CrashScenario[] = [
  notification('sent-to-two-browsers', (stage) => [
    ...subscribed(stage),
    reported(stage, 'evm'),
    wait(stage, 5_000),
    reported(stage, 'solana'),
    wait(stage, 5_000),
    ({ notifications }) => notifications.read(USER, 1),
    wait(stage, 1_000),
  ]),
  notification('sent-past-a-refusal', (stage) => [
    ...subscribed(stage),
    async () =>
      void (
        stage.push.begun.length === 0 &&
        stage.push.armed.length === 0 &&
        stage.push.armed.push('lost')
      ),
    reported(stage, 'evm'),
    wait(stage, 120_000),
    ({ notifications }) => notifications.read(USER, null),
  ]),
];

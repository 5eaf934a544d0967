import type { Endpoints, Profile } from '../../config/profiles/profile.ts';
import { openVapidKeys } from '../adapters/web-push/vapid-keys.ts';
import { createWebPush } from '../adapters/web-push/web-push.ts';
import type { SecretDigests } from '../ports/identity.ts';
import type { PushService } from '../ports/push.ts';
import type { Commit } from '../ports/commit.ts';
import {
  createNotifications,
  type Notifications,
} from '../services/notifications/notifications.ts';
import { createPushQueue } from '../services/notifications/push-queue.ts';
import {
  createPushSubscriptions,
  type PushSubscriptions,
} from '../services/notifications/push-subscriptions.ts';
import { leasedPush } from './leased.ts';
import type { OpenRuntime } from './runtime.ts';

/** What tells users of things. */
export interface Alerts {
  readonly notifications: Notifications;
  readonly pushSubscriptions: PushSubscriptions;
  stop(): Promise<void>;
}

/**
 * Opens notifications and begins to send what waits. Errors: `master_key_wrong` when our signing
 * key was sealed under another key.
 */
export async function openAlerts(
  runtime: OpenRuntime,
  profile: Profile,
  {
    commit,
    digests,
    endpoints,
  }: {
    readonly commit: Commit;
    readonly digests: SecretDigests;
    readonly endpoints: Pick<Endpoints, 'push'>;
  },
): Promise<Alerts> {
  const { store, bus, vault, random, log, metrics, clock, wallClock } = runtime;
  const push = await openPush(runtime, profile, endpoints);
  const queue = createPushQueue({
    store,
    commit,
    bus,
    clock: wallClock,
    vault,
    push,
    log,
    metrics,
  });
  await queue.start();
  return {
    notifications: createNotifications({ store, commit, clock }),
    pushSubscriptions: createPushSubscriptions({
      store,
      commit,
      clock: wallClock,
      random,
      digests,
      vault,
      push,
    }),
    async stop() {
      await queue.stop();
      await push?.close();
    },
  };
}

/** Null where messages to browsers have no contact. */
async function openPush(
  { store, vault, random, lease }: OpenRuntime,
  { push: { contact, privateKey, hosts } }: Profile,
  { push }: Pick<Endpoints, 'push'>,
): Promise<PushService | null> {
  if (contact === null) return null;
  const keys = await openVapidKeys({ store, vault, random, given: privateKey });
  const sandboxOrigin = push === null ? null : new URL(push).origin;
  return leasedPush(createWebPush({ keys, contact, hosts, sandboxOrigin }), lease);
}

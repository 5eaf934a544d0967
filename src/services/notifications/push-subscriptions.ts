import { PUSH } from '../../../config/limits/notification.ts';
import { AppError } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { SecretDigests } from '../../ports/identity.ts';
import type { KeyVault } from '../../ports/key-vault.ts';
import type { PushService, PushSubscription } from '../../ports/push.ts';
import type { StoreReader, StoreWriter } from '../../ports/store.ts';
import { audit } from '../audit.ts';
import { freshId } from '../fresh-id.ts';
import { PUSH_ENDPOINTS, PUSH_SUBSCRIPTIONS, type PushSubscriptionRecord } from './tables.ts';

/** A subscription as its owner sees it. The endpoint stays with us. */
interface PushSubscriptionView {
  readonly subscriptionId: string;
  /** Host of the browser's push service. */
  readonly host: string;
  readonly createdAtMs: number;
}

/** Browsers that notifications are pushed to. */
export interface PushSubscriptions {
  /** What a browser subscribes with. Errors: `push_unavailable`. */
  publicKey(): string;
  /**
   * Takes a browser in; the same one again replaces its keys. A browser tells one user, the last
   * who subscribed it; beyond PUSH.subscriptionsPerUserMaximum the oldest makes room. Errors:
   * `push_unavailable`, `invalid_request` with paths.
   */
  subscribe(userId: UserId, subscription: PushSubscription): Promise<PushSubscriptionView>;
  /** A user's browsers, oldest first. */
  list(userId: UserId): readonly PushSubscriptionView[];
  /** Errors: `not_found`. */
  unsubscribe(userId: UserId, subscriptionId: string): Promise<void>;
}

/** Makes the service. */
export function createPushSubscriptions({
  store,
  commit,
  clock,
  random,
  digests,
  vault,
  push,
}: Pick<Runtime, 'commit' | 'clock' | 'random'> & {
  readonly store: StoreReader;
  readonly digests: SecretDigests;
  readonly vault: Pick<KeyVault, 'seal'>;
  /** Null where this profile sends none. */
  readonly push: PushService | null;
}): PushSubscriptions {
  function service(): PushService {
    if (push === null)
      throw new AppError('push_unavailable', 'this service sends no messages to browsers');
    return push;
  }
  return {
    publicKey: () => service().publicKey,
    async subscribe(userId, subscription) {
      const { publicKey, faults } = service();
      const fields = faults(subscription);
      if (fields.length > 0)
        throw new AppError(
          'invalid_request',
          fields.map(({ path, message }) => `${path}: ${message}`).join('; '),
          { fields },
        );
      const { endpoint, keys } = subscription;
      const draft: PushSubscriptionRecord = {
        userId,
        subscriptionId: freshId(random, 'sub_'),
        host: new URL(endpoint).host,
        endpointDigest: digests.digest('push_endpoint', endpoint),
        sealed: vault.seal(JSON.stringify({ endpoint, keys })),
        vapidKey: publicKey,
        createdAtMs: clock.nowMs(),
      };
      return viewOf(await commit((tx) => add(tx, draft)));
    },
    list: (userId) => subscriptionsOf(store, userId).map(viewOf),
    async unsubscribe(userId, subscriptionId) {
      await commit((tx) => {
        const record = tx.get(PUSH_SUBSCRIPTIONS, [userId, subscriptionId])?.value;
        if (record === undefined)
          throw new AppError('not_found', `you have no subscription ${subscriptionId}`);
        removeSubscription(tx, record);
        audit(tx, {
          userId,
          atMs: clock.nowMs(),
          action: 'push_unsubscribed',
          subject: subscriptionId,
          detail: record.host,
        });
      });
    },
  };
}

/** Takes a browser out of both tables; what waits for it is dropped at its turn. */
export function removeSubscription(
  tx: StoreWriter,
  { userId, subscriptionId, endpointDigest }: PushSubscriptionRecord,
): void {
  tx.remove(PUSH_SUBSCRIPTIONS, [userId, subscriptionId]);
  tx.remove(PUSH_ENDPOINTS, [endpointDigest]);
}

function add(tx: StoreWriter, draft: PushSubscriptionRecord): PushSubscriptionRecord {
  const { userId, endpointDigest } = draft;
  const owner = tx.get(PUSH_ENDPOINTS, [endpointDigest])?.value;
  const before =
    owner === undefined
      ? undefined
      : tx.get(PUSH_SUBSCRIPTIONS, [owner.userId, owner.subscriptionId])?.value;
  if (before !== undefined && before.userId === userId) {
    const renewed = {
      ...draft,
      subscriptionId: before.subscriptionId,
      createdAtMs: before.createdAtMs,
    };
    tx.put(PUSH_SUBSCRIPTIONS, [userId, renewed.subscriptionId], renewed);
    return renewed;
  }
  if (before !== undefined) removeSubscription(tx, before);
  const others = subscriptionsOf(tx, userId);
  for (const oldest of others.slice(
    0,
    Math.max(0, others.length + 1 - PUSH.subscriptionsPerUserMaximum),
  ))
    removeSubscription(tx, oldest);
  tx.put(PUSH_SUBSCRIPTIONS, [userId, draft.subscriptionId], draft, 0);
  tx.put(PUSH_ENDPOINTS, [endpointDigest], { userId, subscriptionId: draft.subscriptionId });
  audit(tx, {
    userId,
    atMs: draft.createdAtMs,
    action: 'push_subscribed',
    subject: draft.subscriptionId,
    detail: draft.host,
  });
  return draft;
}

function subscriptionsOf(reader: StoreReader, userId: UserId): readonly PushSubscriptionRecord[] {
  return reader
    .range(PUSH_SUBSCRIPTIONS, { prefix: [userId] })
    .map(({ value }) => value)
    .sort((a, b) => a.createdAtMs - b.createdAtMs);
}

function viewOf({
  subscriptionId,
  host,
  createdAtMs,
}: PushSubscriptionRecord): PushSubscriptionView {
  return { subscriptionId, host, createdAtMs };
}

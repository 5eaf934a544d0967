import { PUSH } from '../../../config/limits/notification.ts';
import type { NotificationRecord } from '../../domain/notification.ts';
import type { PushOutcome } from '../../ports/push.ts';
import type { Key, StoreWriter, Versioned } from '../../ports/store.ts';
import { bookOf } from './notification-log.ts';
import { removeSubscription } from './push-subscriptions.ts';
import {
  NOTIFICATION_BOOKS,
  NOTIFICATIONS,
  PUSH_QUEUE,
  PUSH_SENDING,
  PUSH_SUBSCRIPTIONS,
  type PushSubscriptionRecord,
  type PushTask,
} from './tables.ts';

/** How a message came to its end, or that it waits again. Small and fixed: a label of a metric. */
export type PushEnd =
  | 'sent'
  | 'waits'
  | 'unsubscribed'
  | 'refused'
  | 'unknown'
  | 'expired'
  | 'exhausted'
  | 'interrupted';

/** A message marked as one that may leave. */
export interface PushJob {
  readonly task: PushTask;
  /** Its key in PUSH_SENDING. */
  readonly key: Key;
  readonly subscription: PushSubscriptionRecord;
  readonly notification: NotificationRecord;
}

/**
 * Marks a waiting message as one that may leave, or ends it where it would not be read. Null where
 * it waits no longer.
 */
export function beginSending(
  tx: StoreWriter,
  { key, value: task }: Versioned<PushTask>,
  { nowMs, publicKey }: { readonly nowMs: number; readonly publicKey: string },
): PushJob | PushEnd | null {
  if (tx.get(PUSH_QUEUE, key) === null) return null;
  tx.remove(PUSH_QUEUE, key);
  const subscription = tx.get(PUSH_SUBSCRIPTIONS, [task.userId, task.subscriptionId])?.value;
  const notification = tx.get(NOTIFICATIONS, [task.userId, task.number])?.value;
  if (subscription === undefined) return close(tx, task, 'unsubscribed');
  if (subscription.vapidKey !== publicKey) {
    removeSubscription(tx, subscription);
    return close(tx, task, 'unsubscribed');
  }
  if (notification === undefined || task.expiresAtMs <= nowMs) return close(tx, task, 'expired');
  const [, , seq = 0, subscriptionId = task.subscriptionId] = key;
  const sendingKey = [seq, subscriptionId];
  tx.put(PUSH_SENDING, sendingKey, task);
  return { task, key: sendingKey, subscription, notification };
}

/** Writes down what became of a message: its end, or when it is tried again. */
export function endSending(
  tx: StoreWriter,
  { task, key, subscription }: PushJob,
  { outcome, nowMs }: { readonly outcome: PushOutcome; readonly nowMs: number },
): PushEnd {
  tx.remove(PUSH_SENDING, key);
  switch (outcome.kind) {
    case 'taken':
      return close(tx, task, 'sent');
    case 'unsubscribed':
      removeSubscription(tx, subscription);
      return close(tx, task, 'unsubscribed');
    case 'refused':
    case 'unknown':
      return close(tx, task, outcome.kind);
    case 'later': {
      const tries = task.tries + 1;
      const dueAtMs =
        nowMs +
        Math.min(
          PUSH.retryMaximumMs,
          Math.max(outcome.retryAfterMs ?? 0, PUSH.retryFirstMs * 4 ** task.tries),
        );
      if (tries >= PUSH.triesMaximum) return close(tx, task, 'exhausted');
      if (dueAtMs >= task.expiresAtMs) return close(tx, task, 'expired');
      tx.put(PUSH_QUEUE, [task.host, dueAtMs, ...key], { ...task, tries });
      return 'waits';
    }
  }
}

/**
 * Ends what a process left as one that may have left: whether it did is unknown, so it is not
 * sent again.
 */
export function endInterrupted(
  tx: StoreWriter,
  { key, value: task }: Versioned<PushTask>,
): PushEnd {
  tx.remove(PUSH_SENDING, key);
  return close(tx, task, 'interrupted');
}

function close(tx: StoreWriter, { userId, number }: PushTask, end: PushEnd): PushEnd {
  const book = bookOf(tx, userId);
  tx.put(NOTIFICATION_BOOKS, [userId], { ...book, waiting: Math.max(0, book.waiting - 1) });
  const notification = tx.get(NOTIFICATIONS, [userId, number])?.value;
  if (notification === undefined) return end;
  const { waiting, sent, dropped } = notification.push;
  const push = {
    waiting: waiting - 1,
    sent: sent + (end === 'sent' ? 1 : 0),
    dropped: dropped + (end === 'sent' ? 0 : 1),
  };
  tx.put(NOTIFICATIONS, [userId, number], { ...notification, push });
  return end;
}

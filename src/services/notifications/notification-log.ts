import { NOTIFICATION, PUSH } from '../../../config/limits/notification.ts';
import type { UserId } from '../../domain/ids.ts';
import type { NotificationKind, NotificationRecord } from '../../domain/notification.ts';
import { notificationLevel } from '../../domain/notification-table.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { StoreReader, StoreWriter } from '../../ports/store.ts';
import type { FollowFacts } from '../commit.ts';
import { notificationOf, type Notification } from './notification-facts.ts';
import {
  NOTIFIED,
  NOTIFICATION_BOOKS,
  NOTIFICATIONS,
  PUSH_QUEUE,
  PUSH_SUBSCRIPTIONS,
  type NotificationBook,
  type PushSubscriptionRecord,
} from './tables.ts';

const EMPTY_BOOK: NotificationBook = { last: 0, readUpTo: 0, waiting: 0 };

/** A user's book of notifications. */
export function bookOf(reader: StoreReader, userId: UserId): NotificationBook {
  return reader.get(NOTIFICATION_BOOKS, [userId])?.value ?? EMPTY_BOOK;
}

/** Kept notifications that have not been read. */
export function unreadOf({ last, readUpTo }: NotificationBook): number {
  return Math.min(last - readUpTo, NOTIFICATION.keptPerUserMaximum);
}

/**
 * Makes notifications of facts, in the transaction of the fact: both are there or neither, so a
 * trade is notified exactly once over any crash. With the notification one message for each of the
 * user's browsers is laid into the queue. Nothing here can undo a trade: a notification that cannot
 * be made is logged and left out before anything of it is written.
 */
export function createNotificationLog({
  wallClock,
  log,
}: {
  /** Wall time: how long a message may wait is counted on it. */
  readonly wallClock: Clock;
  readonly log: Log;
}): FollowFacts {
  return (tx, event) => {
    if (!('userId' in event)) return;
    let notification: Notification | null;
    try {
      notification = notificationOf(tx, event);
    } catch (cause) {
      log.error({ userId: event.userId, type: event.type, cause }, 'notification.failed');
      return;
    }
    if (
      notification === null ||
      (notification.subject !== null &&
        tx.get(NOTIFIED, [event.userId, notification.subject]) !== null)
    )
      return;
    post(tx, notification, { userId: event.userId, atMs: event.atMs, nowMs: wallClock.nowMs() });
  };
}

function post(
  tx: StoreWriter,
  { facts, subject }: Notification,
  {
    userId,
    atMs,
    nowMs,
  }: { readonly userId: UserId; readonly atMs: number; readonly nowMs: number },
): void {
  const book = bookOf(tx, userId);
  const number = book.last + 1;
  const wanting =
    notificationLevel(facts.kind) !== 'list'
      ? tx.range(PUSH_SUBSCRIPTIONS, { prefix: [userId] }).map(({ value }) => value)
      : [];
  const queued = wanting.slice(0, Math.max(0, PUSH.waitingPerUserMaximum - book.waiting));
  const notification: NotificationRecord = {
    userId,
    number,
    atMs: nowMs,
    facts,
    push: { waiting: queued.length, sent: 0, dropped: wanting.length - queued.length },
  };
  const after: NotificationBook = { ...book, last: number, waiting: book.waiting + queued.length };
  tx.put(NOTIFICATIONS, [userId, number], notification);
  tx.put(NOTIFICATION_BOOKS, [userId], after);
  if (subject !== null) tx.put(NOTIFIED, [userId, subject], { number });
  // the next payout of the same shares is news again
  if (facts.kind === 'payout_taken_back')
    tx.remove(NOTIFIED, [userId, `redeemed:${facts.tokenId}`]);
  const seq = tx.append({
    type: 'notification.made',
    userId,
    atMs,
    notification,
    unread: unreadOf(after),
  });
  for (const browser of queued)
    queue(tx, browser, { number, seq, dueAtMs: nowMs, expiresAtMs: nowMs + lifeOf(facts.kind) });
  prune(tx, userId, number - NOTIFICATION.keptPerUserMaximum);
}

function queue(
  tx: StoreWriter,
  { userId, subscriptionId, host }: PushSubscriptionRecord,
  {
    number,
    seq,
    dueAtMs,
    expiresAtMs,
  }: {
    readonly number: number;
    readonly seq: number;
    readonly dueAtMs: number;
    readonly expiresAtMs: number;
  },
): void {
  tx.put(PUSH_QUEUE, [host, dueAtMs, seq, subscriptionId], {
    userId,
    number,
    subscriptionId,
    host,
    tries: 0,
    expiresAtMs,
  });
}

function lifeOf(kind: NotificationKind): number {
  return notificationLevel(kind) === 'security' ? PUSH.securityLifeMs : PUSH.tradeLifeMs;
}

/** Forgets the notification that has become one too many, and what it was about. */
function prune(tx: StoreWriter, userId: UserId, number: number): void {
  const old = number < 1 ? null : tx.get(NOTIFICATIONS, [userId, number]);
  if (old === null) return;
  const { facts } = old.value;
  if (
    facts.kind === 'position_redeemed' ||
    facts.kind === 'position_lost' ||
    facts.kind === 'position_removed'
  )
    tx.remove(NOTIFIED, [userId, `${facts.kind.slice('position_'.length)}:${facts.tokenId}`]);
  tx.remove(NOTIFICATIONS, [userId, number]);
}

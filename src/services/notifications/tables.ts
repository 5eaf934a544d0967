import type { UserId } from '../../domain/ids.ts';
import type { NotificationRecord } from '../../domain/notification.ts';
import type { Table } from '../../ports/store.ts';

/** What a user's notifications are counted by. */
export interface NotificationBook {
  /** Number of the newest; 0 before the first. */
  readonly last: number;
  /** Those up to this number have been read. */
  readonly readUpTo: number;
  /** Messages to the user's browsers that have not come to their end. */
  readonly waiting: number;
}

/**
 * A browser that wants to be notified. The sealed part holds the endpoint, a capability, and the
 * keys messages are encrypted to.
 */
export interface PushSubscriptionRecord {
  readonly userId: UserId;
  readonly subscriptionId: string;
  /** Host of the push service: one lane of the queue. */
  readonly host: string;
  readonly endpointDigest: string;
  readonly sealed: string;
  /** Our public key at the time: a browser takes messages signed by that one only. */
  readonly vapidKey: string;
  readonly createdAtMs: number;
}

/** One notification on its way to one browser. Times are people's. */
export interface PushTask {
  readonly userId: UserId;
  /** The notification's. */
  readonly number: number;
  readonly subscriptionId: string;
  readonly host: string;
  readonly tries: number;
  readonly expiresAtMs: number;
}

/** The notifications users chose. */
export interface NotificationChoice {
  /** Fills and ends of orders placed manually. */
  readonly manualTrades: boolean;
}

/** The notifications users chose: [userId]; everything where nothing was chosen. */
export const NOTIFICATION_CHOICES: Table<NotificationChoice> = { name: 'notification_choices' };
/** Notifications: [userId, number]. */
export const NOTIFICATIONS: Table<NotificationRecord> = { name: 'notifications' };
/** Books of notifications: [userId]. */
export const NOTIFICATION_BOOKS: Table<NotificationBook> = { name: 'notification_books' };
/** What a kept notification was about, where the fact may be stated twice: [userId, subject]. */
export const NOTIFIED: Table<{ readonly number: number }> = { name: 'notified' };
/** Browsers: [userId, subscriptionId]. */
export const PUSH_SUBSCRIPTIONS: Table<PushSubscriptionRecord> = { name: 'push_subscriptions' };
/** Whose an endpoint is: [endpointDigest]. */
export const PUSH_ENDPOINTS: Table<{ readonly userId: UserId; readonly subscriptionId: string }> = {
  name: 'push_endpoints',
};
/**
 * Messages that wait, a lane a host: [host, dueAtMs, seq, subscriptionId]; seq is the
 * notification's place in the journal.
 */
export const PUSH_QUEUE: Table<PushTask> = { name: 'push_queue' };
/**
 * Messages that may have left: [seq, subscriptionId]. What a start finds here is never sent again.
 */
export const PUSH_SENDING: Table<PushTask> = { name: 'push_sending' };

import { API } from '../../../config/limits/api.ts';
import { AppError } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';
import type { NotificationRecord } from '../../domain/notification.ts';
import type { Clock } from '../../ports/clock.ts';
import type { StoreReader } from '../../ports/store.ts';
import type { Page } from '../../ports/catalogue.ts';
import type { Commit } from '../../ports/commit.ts';
import { bookOf, unreadOf } from './notification-log.ts';
import { audit } from '../audit.ts';
import {
  NOTIFICATION_CHOICES,
  NOTIFICATION_BOOKS,
  NOTIFICATIONS,
  type NotificationChoice,
} from './tables.ts';

/** A notification as its user has it. */
export interface NotificationView {
  readonly notification: NotificationRecord;
  readonly isRead: boolean;
}

/** One page of the list, newest first. */
interface NotificationPage extends Page<NotificationView> {
  /** Of all, not of the page. */
  readonly unread: number;
}

/** What users were notified of. */
export interface Notifications {
  /** Errors: `invalid_request` for an invalid cursor. */
  list(
    userId: UserId,
    query: { readonly limit: number; readonly cursor: string | null },
  ): NotificationPage;
  /** The notifications the user chose; everything unless they chose. */
  choice(userId: UserId): NotificationChoice;
  /** Chooses; from the next fact on. */
  choose(userId: UserId, choice: NotificationChoice): Promise<NotificationChoice>;
  /**
   * Marks as read all up to that number, or all there are for null; gives how many are left unread.
   * Reading never goes back.
   */
  read(userId: UserId, upTo: number | null): Promise<number>;
}

/** Notifications of users who chose nothing. */
const EVERYTHING: NotificationChoice = { manualTrades: true };

/** Makes the service over what the board wrote. */
export function createNotifications({
  store,
  commit,
  clock,
}: {
  readonly store: StoreReader;
  readonly commit: Commit;
  /** Market time, as notifications are stamped. */
  readonly clock: Clock;
}): Notifications {
  return {
    list(userId, { limit, cursor }) {
      const book = bookOf(store, userId);
      const before = cursor === null ? book.last + 1 : numberOf(cursor);
      const rows = store
        .range(NOTIFICATIONS, {
          prefix: [userId],
          after: [userId, before],
          reverse: true,
          limit: Math.min(limit, API.pageMaximum) + 1,
        })
        .map(({ value }) => value);
      const data = rows.slice(0, limit);
      const last = data.at(-1);
      return {
        data: data.map((notification) => ({
          notification,
          isRead: notification.number <= book.readUpTo,
        })),
        nextCursor: last !== undefined && rows.length > data.length ? String(last.number) : null,
        unread: unreadOf(book),
      };
    },
    choice: (userId) => store.get(NOTIFICATION_CHOICES, [userId])?.value ?? EVERYTHING,
    async choose(userId, choice) {
      await commit((tx) => {
        tx.put(NOTIFICATION_CHOICES, [userId], choice);
        audit(tx, {
          userId,
          atMs: clock.nowMs(),
          action: 'notifications_chosen',
          subject: choice.manualTrades
            ? 'manual trades are notified'
            : 'manual trades are not notified',
        });
      });
      return choice;
    },
    async read(userId, upTo) {
      return commit((tx) => {
        const book = bookOf(tx, userId);
        const readUpTo = Math.max(book.readUpTo, Math.min(upTo ?? book.last, book.last));
        if (readUpTo === book.readUpTo) return unreadOf(book);
        const after = { ...book, readUpTo };
        tx.put(NOTIFICATION_BOOKS, [userId], after);
        tx.append({
          type: 'notifications.read',
          userId,
          atMs: clock.nowMs(),
          upTo: readUpTo,
          unread: unreadOf(after),
        });
        return unreadOf(after);
      });
    },
  };
}

function numberOf(cursor: string): number {
  if (/^[1-9]\d{0,14}$/.test(cursor)) return Number(cursor);
  throw new AppError('invalid_request', 'invalid cursor for this list', {
    fields: [{ path: '/cursor', message: 'must be the nextCursor of the page before' }],
  });
}

import type { NotificationFacts, NotificationKind } from './notification.ts';
import type {
  NotificationAbout,
  NotificationLevel,
  NotificationRow,
  NotificationRows,
  NotificationTextLimits,
} from './notification-row.ts';
import { ACCOUNT_NOTIFICATIONS } from './notification-rows-account.ts';
import { MONEY_NOTIFICATIONS } from './notification-rows-money.ts';
import { TRADE_NOTIFICATIONS } from './notification-rows-trades.ts';

const ROWS: NotificationRows = {
  ...TRADE_NOTIFICATIONS,
  ...MONEY_NOTIFICATIONS,
  ...ACCOUNT_NOTIFICATIONS,
};

/** Every kind, as the interface lists them. */
// the table's own type says that it has these keys and no others
export const NOTIFICATION_KINDS = Object.keys(ROWS) as readonly NotificationKind[];

/** Puts a notification into words; what others wrote is in its body alone, quoted and cut. */
export function notificationText(
  facts: NotificationFacts,
  limits: NotificationTextLimits,
): { readonly title: string; readonly body: string } {
  const row = rowOf(facts);
  return { title: row.title(facts), body: row.body(facts, limits) };
}

/** Returns the facts of a notification by name, as callers read them. */
export function notificationAbout(facts: NotificationFacts): NotificationAbout {
  return rowOf(facts).about(facts);
}

/** Returns where notifications of a kind go. */
export function notificationLevel(kind: NotificationKind): NotificationLevel {
  return ROWS[kind].level;
}

/** A row takes the facts of its own kind, by which it was found. */
function rowOf({ kind }: NotificationFacts): NotificationRow<NotificationFacts> {
  return ROWS[kind];
}

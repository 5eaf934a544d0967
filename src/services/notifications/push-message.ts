import { NOTIFICATION } from '../../../config/limits/notification.ts';
import { notificationId, type NotificationRecord } from '../../domain/notification.ts';
import { notificationText } from '../../domain/notification-table.ts';
import type { PushMessage } from '../../ports/push.ts';

/**
 * The message of a notification. Its id is the topic, by which a push service replaces what it has
 * not delivered, and the tag, by which a browser shows one: should a message ever come twice, a
 * person sees one.
 */
export function pushMessageOf(
  { number, atMs, facts }: NotificationRecord,
  lifeMs: number,
): PushMessage {
  const id = notificationId(number);
  return {
    payload: JSON.stringify({
      id,
      tag: id,
      kind: facts.kind,
      ...notificationText(facts, NOTIFICATION),
      atMs,
    }),
    topic: id,
    lifeMs,
  };
}

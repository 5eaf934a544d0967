import { expect, it } from 'vitest';
import {
  isOfSecurity,
  isPushed,
  notificationId,
  type NotificationKind,
} from '../../src/domain/notification.ts';

it('names a notification by its number among its user’s', () => {
  expect(notificationId(12)).toBe('ntf_12');
});

it.each<[NotificationKind, isPushed: boolean, isOfSecurity: boolean]>([
  ['trade', true, false],
  ['deposit_booked', true, false],
  ['confirmation_asked', true, false],
  ['money_departed', true, true],
  ['key_export_asked', true, true],
  ['key_exported', true, true],
  ['key_created', true, true],
  ['position_lost', false, false],
  ['agents_stopped', false, false],
])('%s goes to browsers: %s, and is worth knowing a day later: %s', (kind, pushed, security) => {
  expect([isPushed(kind), isOfSecurity(kind)]).toEqual([pushed, security]);
});

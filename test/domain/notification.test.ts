import { expect, it } from 'vitest';
import { notificationId } from '../../src/domain/notification.ts';

it('names a notification by its number among its user’s', () => {
  expect(notificationId(12)).toBe('ntf_12');
});

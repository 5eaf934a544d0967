import { expect, it } from 'vitest';
import {
  linkWords,
  pageOfNotification,
} from '../../../src/web/pages/activity/notification-page.ts';

it('a notification of a trade leads to the orders and fills of its market', () => {
  const about = { orderId: 'int_1', marketId: 'a b' };
  for (const kind of ['trade', 'trade_reversed', 'order_expired', 'order_rejected'] as const)
    expect(pageOfNotification({ kind, about })).toBe('/activity/trades?market=a%20b');
});

it('a request is there to confirm or refuse until it ends', () => {
  const asked = { kind: 'confirmation_asked', about: { endsAtMs: 5_000 } } as const;
  expect([linkWords(asked, 4_999), linkWords(asked, 5_000)]).toEqual(['Confirm or refuse', 'Open']);
  expect(linkWords({ kind: 'trade', about: {} }, 0)).toBe('Open');
});

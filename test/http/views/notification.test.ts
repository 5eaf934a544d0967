import { expect, it } from 'vitest';
import { asId } from '../../../src/domain/ids.ts';
import type { TokenId, UserId } from '../../../src/domain/ids.ts';
import type { NotificationRecord } from '../../../src/domain/notification.ts';
import { viewNewNotification } from '../../../src/http/views/notification.ts';

it('says usdc of the money a venue disputes, whichever wallet it lies in, and the token of shares', () => {
  const about = (asset: 'usdc:safe' | 'usdc:base' | TokenId) => {
    const record: NotificationRecord = {
      userId: asId<UserId>('usr_a'),
      number: 1,
      atMs: 0,
      facts: { kind: 'funds_disputed', asset, refusals: 1, reason: 'balance', retryAtMs: 5 },
      push: { waiting: 0, sent: 0, dropped: 0 },
    };
    return viewNewNotification(record).about['asset'];
  };
  expect([about('usdc:safe'), about('usdc:base'), about(asId<TokenId>('7001'))]).toEqual([
    'usdc',
    'usdc',
    '7001',
  ]);
});

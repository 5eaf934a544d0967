import { expect, it } from 'vitest';
import { asId, type TokenId, type UserId } from '../../../src/domain/ids.ts';
import type { NotificationRecord } from '../../../src/domain/notification.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
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

it('says in which wallet money came in, and which it has left', () => {
  const reported = (kind: 'deposit_booked' | 'money_departed') => {
    const { title, body, about } = viewNewNotification({
      userId: asId<UserId>('usr_a'),
      number: 1,
      atMs: 0,
      facts: { kind, cashAccount: 'usdc:solana', usdc: usdcMicros(5_000_000) },
      push: { waiting: 0, sent: 0, dropped: 0 },
    });
    return [title, body, about['wallet'], about['token']];
  };
  expect(reported('deposit_booked')).toEqual([
    'A deposit came in',
    '5 USDC in your Solana wallet.',
    'solana',
    'USDC',
  ]);
  expect(reported('money_departed')[0]).toBe('Money left your Solana wallet by your own key');
});

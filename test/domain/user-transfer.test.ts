import { describe, expect, it } from 'vitest';
import type { DomainEvent } from '../../src/domain/events.ts';
import { asId, type Address, type MarketId, type TransactionId } from '../../src/domain/ids.ts';
import type { TransactionPurpose } from '../../src/domain/transaction-purpose.ts';
import { usdcMicros } from '../../src/domain/units.ts';
import { readerOf, topicOf } from '../../src/domain/user-topic.ts';
import { transferBy, transferOf } from '../../src/domain/user-transfer.ts';
import { aLaunch } from '../support/fakes/fake-launches.ts';
import { anEntry } from '../support/fakes/fake-registry.ts';
import { aSwap } from '../support/fakes/fake-swaps.ts';
import { USER } from '../support/worlds/money-records.ts';

const TO = asId<Address>('0x0000000000000000000000000000000000000001');
const ID = asId<TransactionId>('txn_1');
const about = { userId: USER, atMs: 1, from: null };

const FACTS: readonly (readonly [string, DomainEvent, string, string, boolean])[] = [
  [
    'a swap that is followed',
    { type: 'swap.changed', ...about, swap: aSwap({ state: 'following' }) },
    'swap',
    aSwap().swapId,
    false,
  ],
  [
    'a swap that was refunded',
    { type: 'swap.changed', ...about, swap: aSwap({ state: 'refunded' }) },
    'swap',
    aSwap().swapId,
    true,
  ],
  [
    'a launch that waits',
    { type: 'launch.changed', ...about, launch: aLaunch({ state: 'queued' }) },
    'launch',
    aLaunch().launchId,
    false,
  ],
  [
    'an entry that is recorded',
    { type: 'registry.changed', ...about, record: anEntry({ state: 'recorded' }) },
    'registry',
    anEntry().entryId,
    true,
  ],
];

describe('a transfer of a user’s', () => {
  it.each(FACTS)('is %s, published in the topic of transfers', (_what, event, kind, id, isOver) => {
    expect(transferOf(event)).toEqual({ kind, id, isOver });
    expect([topicOf(event), readerOf(event)]).toEqual(['transfers', USER]);
  });

  it.each<readonly [string, TransactionPurpose]>([
    [
      'withdrawal',
      { owner: 'safe', kind: 'withdraw', data: { to: TO, usdc: usdcMicros(1), token: TO } },
    ],
    [
      'safe_transfer',
      { owner: 'safe', kind: 'transfer', data: { token: TO, amount: usdcMicros(1) } },
    ],
    ['claim', { owner: 'safe', kind: 'redeem', data: { marketId: asId<MarketId>('m') } }],
  ])('is a transaction that is a %s by itself', (kind, purpose) => {
    expect(transferBy({ purpose, transactionId: ID, state: 'mined' })).toEqual({
      kind,
      id: ID,
      isOver: false,
    });
    expect(transferBy({ purpose, transactionId: ID, state: 'failed' })?.isOver).toBe(true);
  });

  it('is known by its kind alone in a journal of format 1, which named no owner', () => {
    const earlier = (kind: string) =>
      transferBy({ purpose: { kind }, transactionId: ID, state: 'done' })?.kind ?? null;
    expect(['withdraw', 'transfer', 'send', 'redeem', 'wrap', 'lend'].map(earlier)).toEqual([
      'withdrawal',
      'safe_transfer',
      'transfer',
      'claim',
      null,
      null,
    ]);
  });

  it('is no step of something else, and nothing that sets an account up', () => {
    const purposes: readonly TransactionPurpose[] = [
      { owner: 'safe', kind: 'deploy', data: {} },
      { owner: 'safe', kind: 'wrap', data: { token: TO, amount: usdcMicros(1) } },
      { owner: 'swaps', kind: 'swap_approval', data: { swapId: aSwap().swapId } },
      { owner: 'launches', kind: 'launch', data: { launchId: aLaunch().launchId } },
    ];
    expect(
      purposes.map((purpose) => transferBy({ purpose, transactionId: ID, state: 'done' })),
    ).toEqual([null, null, null, null]);
  });
});

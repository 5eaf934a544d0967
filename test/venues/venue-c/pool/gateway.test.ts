import { expect, it } from 'vitest';
import { createVirtualClock } from '../../../../src/adapters/clock/virtual-clock.ts';
import { asId, type TransactionId, type UserId } from '../../../../src/domain/ids.ts';
import type { TransactionRecord } from '../../../../src/domain/transaction.ts';
import { createPoolGateway } from '../../../../src/venues/venue-c/pool/gateway.ts';
import { anAttempt } from '../../../support/attempts.ts';
import { T0 } from '../../../support/builders.ts';
import { ADA, anOrderIntent } from '../intents.ts';

const WALLET = `0x${'ad'.repeat(20)}`;

type State = Pick<TransactionRecord, 'state' | 'reason' | 'fee'> &
  Partial<Pick<TransactionRecord, 'transactionHash'>>;

/** What a gateway says of an order whose trade, and the right it needed, are in these states. */
function lookup(trade: State, right: State | null = null, asked: UserId[] = []) {
  const key = 'b9bd5b1c-4c39-4a15-9d3c-6d6f0f1f9a11';
  const recordOf = (of: State): TransactionRecord => ({
    transactionId: asId<TransactionId>('txn_1'),
    userId: ADA,
    account: { chain: 'BASE', rail: 'evm', address: WALLET },
    place: 1,
    purpose: { owner: 'safe', kind: 'deploy', data: {} },
    body: { kind: 'calls', calls: [] },
    attempts: [],
    dead: [],
    handle: null,
    sends: 1,
    lastSentAtMs: T0,
    refusals: 0,
    transactionHash: null,
    createdAtMs: T0,
    updatedAtMs: T0,
    ...of,
  });
  const gateway = createPoolGateway({
    transactions: {
      find: (_userId, name) => (name === key ? recordOf(trade) : right && recordOf(right)),
      enqueue: () => expect.unreachable(),
      settled: () => expect.unreachable(),
      async askAgain(userId) {
        asked.push(userId);
        return { moving: 1, changed: 0 };
      },
    },
    evm: {
      receipt: async () => (trade.transactionHash === undefined ? expect.unreachable() : null),
    },
    clock: createVirtualClock(T0),
  });
  const extra = {
    key,
    wallet: WALLET,
    pool: WALLET,
    trade: { to: WALLET, data: '0x' },
    right: null,
    gasWei: '1',
  };
  return gateway.lookup({ intent: anOrderIntent(), attempt: anAttempt(key, { extra }) });
}

it('a trade that was reverted states the gas it cost all the same, and one that never left none', async () => {
  const reason = 'the chain ran it and took everything back';
  expect([
    await lookup({ state: 'failed', reason, fee: '210000000000000' }),
    await lookup({ state: 'failed', reason: 'given up' }),
  ]).toEqual([
    { kind: 'absent', proof: reason, gas: { chain: 'BASE', units: '210000000000000' } },
    { kind: 'absent', proof: 'given up' },
  ]);
});

it('a trade that failed states the gas of its right too, and has not ended before that has', async () => {
  const failed = { state: 'failed', reason: 'given up' } as const;
  expect([
    await lookup({ ...failed, fee: '210' }, { state: 'done', reason: null, fee: '46' }),
    await lookup(failed, { state: 'done', reason: null, fee: '46' }),
    await lookup(failed, { state: 'submitted', reason: null }),
  ]).toEqual([
    { kind: 'absent', proof: 'given up', gas: { chain: 'BASE', units: '256' } },
    { kind: 'absent', proof: 'given up', gas: { chain: 'BASE', units: '46' } },
    { kind: 'absent', proof: null },
  ]);
});

it('a trade that was done, and that no node shows any more, has its queue ask the chain again', async () => {
  const asked: UserId[] = [];
  const done = { state: 'done', reason: null, transactionHash: '0xa' } as const;
  expect(await lookup(done, null, asked)).toEqual({
    kind: 'unreachable',
    cause: 'the node does not show a final transaction',
  });
  expect(asked).toEqual([ADA]);
});

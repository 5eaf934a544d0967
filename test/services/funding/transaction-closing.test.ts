import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { asId, type Address } from '../../../src/domain/ids.ts';
import type { TransactionPurpose, TransactionRecord } from '../../../src/domain/transaction.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
import { createTransactionBooking } from '../../../src/services/funding/transaction-closing.ts';
import { aUserId, T0 } from '../../support/builders.ts';
import { CONTRACTS } from '../../support/worlds/money-world.ts';

const SAFE = asId<Address>(`0x${'5a'.repeat(20)}`);
const clock = createVirtualClock(T0);
const books = createTransactionBooking({
  contracts: CONTRACTS,
  fundsInSafes: true,
  clock,
  marketClock: clock,
  random: createSeededRandom('closing'),
});

function aTransaction(purpose: TransactionPurpose): TransactionRecord {
  return {
    transactionId: asId('tx_1'),
    userId: aUserId(1),
    account: { chain: 'POLYGON', rail: 'safe', address: SAFE },
    place: 1,
    purpose,
    body: { kind: 'calls', calls: [] },
    state: 'done',
    reason: null,
    attempts: [],
    dead: [],
    handle: null,
    sends: 1,
    lastSentAtMs: T0,
    refusals: 0,
    transactionHash: null,
    createdAtMs: T0,
    updatedAtMs: T0,
  };
}

describe('the books of transactions', () => {
  it('own every kind there is', () => {
    const usdc = usdcMicros(1);
    const kinds: readonly TransactionPurpose[] = [
      { kind: 'deploy' },
      { kind: 'allowances', set: 'set-1' },
      { kind: 'withdraw', to: SAFE, usdc, token: SAFE },
      { kind: 'redeem', marketId: asId('0x1') },
      { kind: 'transfer', token: SAFE, amount: usdc },
      { kind: 'wrap', token: SAFE, amount: usdc },
      { kind: 'send', token: null, symbol: 'SOL', decimals: 9, units: '1', to: 'x', usdc: null },
      { kind: 'swap_approval', swapId: asId('swp_1') },
      { kind: 'swap', swapId: asId('swp_1') },
      { kind: 'launch', launchId: asId('lnc_1') },
      { kind: 'registry', entryId: asId('reg_1') },
    ];
    expect(kinds.filter((purpose) => books.owns?.({ purpose }) !== true)).toEqual([]);
  });

  it.each(['lend', 'toString', ''])(
    'throw on the unknown kind "%s", and book nothing',
    async (kind) => {
      // what a newer version of the program could have stored
      const record = aTransaction({ kind } as unknown as TransactionPurpose);
      const refusal = expect.objectContaining({ code: 'internal' }) as Error;
      expect(books.owns?.(record)).toBe(false);
      expect(() => books.verdict(record, null)).toThrowError(refusal);
      const store = createMemoryStore();
      await expect(store.write((tx) => books.close(tx, record, null))).rejects.toThrowError(
        refusal,
      );
      expect(store.readJournal(0, 10)).toEqual([]);
    },
  );
});

import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { asId, type TransactionId } from '../../../src/domain/ids.ts';
import type { TransactionRecord } from '../../../src/domain/transaction.ts';
import type { Store } from '../../../src/ports/store.ts';
import { readTransaction } from '../../../src/services/transactions/stored-transactions.ts';
import {
  newTransaction,
  putTransaction,
} from '../../../src/services/transactions/transaction-records.ts';
import {
  assertUnreserved,
  reservesBefore,
  reservesOf,
} from '../../../src/services/transactions/wallet-reserves.ts';
import { aUserId } from '../../support/builders.ts';

const USER = aUserId(1);
const WALLET = '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A';
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const demand = (units: bigint, token: string | null = USDC) => ({
  token,
  symbol: 'USDC',
  decimals: 6,
  held: 100n,
  units,
});
const wallet = (units: bigint, token: string | null = USDC) =>
  ({ chain: 'BASE', wallet: WALLET, demands: [demand(units, token)] }) as const;

/** Queues a transaction that takes so much. */
async function queue(store: Store, units: bigint, chain: 'BASE' | 'BSC' = 'BASE') {
  return store.write((tx) => {
    const record = newTransaction(
      tx,
      {
        userId: USER,
        account: { chain, rail: 'evm', address: WALLET },
        purpose: { owner: 'safe', kind: 'deploy', data: {} },
        body: { kind: 'calls', calls: [] },
        reserves: reservesOf(wallet(units)),
      },
      { transactionId: asId<TransactionId>(`txn_${units}_${chain}`), nowMs: 1 },
    );
    putTransaction(tx, { before: null, after: record });
    return record;
  });
}

async function becomes(
  store: Store,
  { userId, transactionId }: TransactionRecord,
  state: TransactionRecord['state'],
) {
  await store.write((tx) => {
    const before = readTransaction(tx, { userId, transactionId });
    putTransaction(tx, { before, after: { ...before, state } });
  });
}

describe('what a wallet is asked for', () => {
  it('L5: is refused beyond what queued transactions leave of it', async () => {
    const store = createMemoryStore();
    await queue(store, 60n);
    const before = reservesBefore(store, USER);
    assertUnreserved(store, USER, { ...wallet(40n), before });
    assertUnreserved(store, USER, { ...wallet(100n, null), before });
    const refusal = { code: 'insufficient_funds' };
    expect(() => assertUnreserved(store, USER, { ...wallet(41n), before })).toThrow(
      expect.objectContaining({ ...refusal, retryable: true }),
    );
    expect(() => assertUnreserved(store, USER, { ...wallet(101n), before })).toThrow(
      expect.objectContaining({ ...refusal, retryable: false }),
    );
  });

  it('is one thing whatever the case of its address, and another on each chain', async () => {
    const store = createMemoryStore();
    await queue(store, 60n, 'BSC');
    const before = reservesBefore(store, USER);
    assertUnreserved(store, USER, { ...wallet(100n), before });
    await queue(store, 60n);
    expect(() =>
      assertUnreserved(store, USER, { ...wallet(41n, USDC.toLowerCase()), before }),
    ).toThrow('reserved by transactions under way');
  });

  it('counts one that ends after the balance was asked for: it may be in that balance or not', async () => {
    const store = createMemoryStore();
    const queued = await queue(store, 60n);
    const before = reservesBefore(store, USER);
    await becomes(store, queued, 'done');
    expect(() => assertUnreserved(store, USER, { ...wallet(41n), before })).toThrow();
    assertUnreserved(store, USER, { ...wallet(100n), before: reservesBefore(store, USER) });
  });

  it('does not count twice what a block had before the balance was asked for', async () => {
    const store = createMemoryStore();
    const queued = await queue(store, 60n);
    await becomes(store, queued, 'mined');
    assertUnreserved(store, USER, { ...wallet(100n), before: reservesBefore(store, USER) });
  });
});

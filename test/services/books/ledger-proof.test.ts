import { describe, expect, it } from 'vitest';
import { LEDGER_PROOF } from '../../../config/limits/figures.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { asId, type UserId } from '../../../src/domain/ids.ts';
import type { LedgerEntry } from '../../../src/domain/ledger.ts';
import { createLedgerProof } from '../../../src/services/books/ledger-proof.ts';
import { postToLedger } from '../../../src/services/books/record-changes.ts';
import { BALANCES } from '../../../src/services/books/tables.ts';
import { aUserId, T0 } from '../../support/builders.ts';
import { createCountingMetrics } from '../../support/counting-metrics.ts';
import { createKeptLog } from '../../support/quiet.ts';

const ROUND_MS = LEDGER_PROOF.intervalMs;

function aLedger() {
  const [store, clock] = [createMemoryStore(), createVirtualClock(T0)];
  const [metrics, log] = [createCountingMetrics(), createKeptLog()];
  const check = createLedgerProof({ store, clock, metrics, log });
  const deposit = (userId: UserId, entryId: string, micros: number) => {
    const entry: LedgerEntry = {
      entryId,
      kind: 'deposit',
      atMs: T0,
      postings: [
        { owner: userId, asset: 'usdc:safe', column: 'settled', micros },
        { owner: 'outside', asset: 'usdc:safe', column: 'settled', micros: -micros },
      ],
    };
    return store.write((tx) => postToLedger(tx, userId, entry));
  };
  return { store, clock, metrics, log, check, deposit };
}

describe('the proof of the ledger', () => {
  it('shows a sum of 0 and when it was taken, and the cash of all users together', async () => {
    const { metrics, check, deposit } = aLedger();
    await deposit(aUserId(1), 'one', 3_000_000);
    await deposit(aUserId(2), 'two', 4_500_000);
    check();
    expect(metrics.gauges).toMatchObject({
      ledger_imbalance_usdc: 0,
      ledger_imbalance_checked_timestamp_seconds: T0 / 1_000,
      'money_usdc account=safe kind=cash': 7.5,
      'money_usdc account=solana kind=cash': 0,
    });
  });

  it('shows within a minute what came from nowhere, and names its asset in the log', async () => {
    const { store, clock, metrics, log, check, deposit } = aLedger();
    await deposit(aUserId(1), 'one', 3_000_000);
    check();
    await store.write((tx) =>
      tx.put(BALANCES, [aUserId(1), 'usdc:safe'], { settled: 3_250_000, provisional: 0 }),
    );
    check();
    expect(metrics.gauges.ledger_imbalance_usdc).toBe(0);
    await clock.advance(ROUND_MS);
    check();
    expect(metrics.gauges.ledger_imbalance_usdc).toBe(0.25);
    expect(log.lines).toMatchObject([
      { event: 'ledger.out_of_balance', fields: { assets: ['usdc:safe 250000'] } },
    ]);
  });

  it('reads a page of accounts a call, and is right though money moves between the pages', async () => {
    const { store, metrics, log, check } = aLedger();
    const accounts = LEDGER_PROOF.accountsPerRead + 10;
    const nameOf = (number: number) => asId<UserId>(`usr_${String(number).padStart(6, '0')}`);
    await store.write((tx) => {
      for (let number = 0; number < accounts; number += 1)
        tx.put(BALANCES, [nameOf(number), 'usdc:safe'], { settled: 1, provisional: 0 });
      tx.put(BALANCES, ['outside', 'usdc:safe'], { settled: -accounts, provisional: 0 });
    });
    const [early, late] = [nameOf(5), nameOf(accounts - 1)];
    const move = (entryId: string, micros: number) =>
      store.write((tx) =>
        postToLedger(tx, early, {
          entryId,
          kind: 'fill',
          atMs: T0,
          postings: [
            { owner: early, asset: 'usdc:safe', column: 'settled', micros },
            { owner: late, asset: 'usdc:safe', column: 'settled', micros: -micros },
          ],
        }),
      );
    await move('before', 7);
    check();
    expect(metrics.gauges).toEqual({});
    await move('between', 100);
    check();
    expect(metrics.gauges.ledger_imbalance_usdc).toBe(0);
    expect(log.lines).toEqual([]);
  });
});

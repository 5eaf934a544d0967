import { expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { asId } from '../../../src/domain/ids.ts';
import type { Rail } from '../../../src/ports/transactions.ts';
import { createCommit } from '../../../src/services/commit.ts';
import { createNeverProofs } from '../../../src/services/transactions/never-proofs.ts';
import { createAskEnded } from '../../../src/services/transactions/ended-again.ts';
import { transactionAt } from '../../../src/services/transactions/stored-transactions.ts';
import {
  newTransaction,
  putTransaction,
} from '../../../src/services/transactions/transaction-records.ts';
import { aUserId, T0 } from '../../support/builders.ts';
import { FakeEvmRail } from '../../support/fakes/fake-rails.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../../support/quiet.ts';

const USER = aUserId(1);
const ID = 'txn_1';

/** What becomes of one that was given up, where a block has one of its attempts after all. */
async function givenUp(executed: 'own' | 'cancel') {
  const [clock, store] = [createVirtualClock(T0), createMemoryStore()];
  await store.write((tx) => {
    const account = { chain: 'BASE', rail: 'evm', address: '0xaccount' } as const;
    const purpose = { owner: 'safe', kind: 'deploy', data: {} } as const;
    const body = { kind: 'calls', calls: [] } as const;
    const draft = { userId: USER, account, purpose, body };
    const made = newTransaction(tx, draft, { transactionId: asId(ID), nowMs: T0 });
    const attempts = (['own', 'cancel'] as const).map((id) => ({
      id,
      bytes: id,
      bound: { kind: 'nonce', nonce: 0 } as const,
      isCancel: id === 'cancel',
      sinceHeight: 1,
      signedAtMs: T0,
    }));
    putTransaction(tx, { before: null, after: { ...made, state: 'failed', attempts } });
  });
  const rail: Rail<{ readonly transactionHash: string }> = Object.assign(new FakeEvmRail(clock), {
    status: async () => ({ kind: 'confirmed', receipt: { transactionHash: executed } }) as never, // of its attempts
  });
  const ask = createAskEnded(
    {
      store,
      commit: createCommit({ store, bus: createKeptBus(), metrics: createKeptMetrics() }),
      rails: [rail],
      books: {
        verdict: () => ({ state: 'done', reason: null }),
        close: () => undefined,
        redo: () => true,
      },
      clock,
      log: createKeptLog(),
      metrics: createKeptMetrics(),
    },
    createNeverProofs(clock),
  );
  const { changed } = await ask({ userId: USER });
  return [changed, transactionAt(store, [USER, ID])?.state];
}

it('L4: what had failed is done where a block has its own bytes after all, and not where it has the call in their place', async () => {
  expect([await givenUp('own'), await givenUp('cancel')]).toEqual([
    [1, 'done'],
    [0, 'failed'],
  ]);
});

import { expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
import { bookArrival } from '../../../src/services/funding/movement-booking.ts';
import { explain } from '../../../src/services/funding/wallet-history.ts';
import { aUserId, T0 } from '../../support/builders.ts';

const USER = aUserId(1);

it('L4: what was booked explains nothing where a reorganisation has put it into a later block', async () => {
  const store = createMemoryStore();
  await store.write((tx) =>
    bookArrival(
      tx,
      {
        userId: USER,
        cashAccount: 'usdc:base',
        transferId: 'BASE:0xold',
        usdc: usdcMicros(5_000_000),
        transactionHash: '0xold',
        via: 'direct',
      },
      { nowMs: T0, bookedAtMs: T0 },
    ),
  );
  const [old, fresh] = ['0xold', '0xnew'].map((transactionHash) => ({
    transactionHash,
    micros: 5_000_000,
  }));
  if (old === undefined || fresh === undefined) return expect.unreachable();
  const explained = await explain(
    store,
    { userId: USER, chain: 'BASE', tokenId: null },
    { movements: [old, fresh], difference: 5_000_000, askAgain: async () => false },
  );
  expect(explained).toEqual([fresh]);
});

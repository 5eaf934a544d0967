import { expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { asId, type TokenId, type UserId } from '../../../src/domain/ids.ts';
import type { PositionRecord } from '../../../src/domain/position.ts';
import { shareMicros, usdcMicros } from '../../../src/domain/units.ts';
import { BALANCES, POSITIONS } from '../../../src/services/books/tables.ts';
import { walletDifferences } from '../../../src/services/funding/wallet-differences.ts';

const USER = asId<UserId>('usr_ada');
const token = (name: string) => asId<TokenId>(name);

it('books and wallet are compared in USDC and in shares the books have, not in what has lost or is a stranger’s', async () => {
  const store = createMemoryStore();
  await store.write((tx) => {
    const hold = (tokenId: string, shares: number, settled: number): void => {
      const position = { tokenId, cashAccount: 'usdc:solana', shares };
      tx.put(POSITIONS, [USER, tokenId], position as unknown as PositionRecord); // all that is read
      tx.put(BALANCES, [USER, tokenId], { provisional: 0, settled });
    };
    hold('Same', 5, 5);
    hold('Less', 5, 5);
    hold('Lost', 0, 0);
    tx.put(BALANCES, [USER, 'usdc:solana'], { provisional: 0, settled: 9 });
  });
  const tokens = new Map([
    [token('Same'), shareMicros(5)],
    [token('Less'), shareMicros(3)],
    [token('Lost'), shareMicros(7)],
    [token('Stranger'), shareMicros(1)],
  ]);
  const wallet = {
    holdings: async () => ({ usdc: usdcMicros(8), tokens }),
    history: () => Promise.reject(new Error('not asked')),
  };
  expect(await walletDifferences(store, { cashAccount: 'usdc:solana', wallet }, USER)).toEqual([
    { cashAccount: 'usdc:solana', asset: 'usdc:solana', booked: 9, onChain: 8 },
    { cashAccount: 'usdc:solana', asset: 'Less', booked: 5, onChain: 3 },
  ]);
});

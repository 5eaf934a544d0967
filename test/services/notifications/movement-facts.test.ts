import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { sharesArrivedEntry, sharesLeftEntry } from '../../../src/domain/ledger-entries.ts';
import { foldMove } from '../../../src/domain/position-fold.ts';
import { shareMicros } from '../../../src/domain/units.ts';
import { postToLedger, putPosition } from '../../../src/services/books/record-changes.ts';
import { POSITIONS } from '../../../src/services/books/tables.ts';
import { notificationOf } from '../../../src/services/notifications/notification-facts.ts';
import { aMarket, aTokenId, aUserId, T0 } from '../../support/builders.ts';

const USER = aUserId(1);
const TOKEN = aTokenId(1, 0);
const MARKET = aMarket(1);

/** A wallet whose shares others' hands move; positive ones come. */
async function aWallet() {
  const store = createMemoryStore();
  const move = async (micros: number, name: string): Promise<readonly unknown[]> => {
    const from = store.readJournal(0, 100).length;
    await store.write((tx) => {
      const shares = shareMicros(Math.abs(micros));
      const { marketId } = MARKET;
      const one = { userId: USER, marketId, tokenId: TOKEN, shares, transferId: name, atMs: T0 };
      const entry = micros > 0 ? sharesArrivedEntry(one) : sharesLeftEntry(one);
      postToLedger(tx, USER, entry, { transactionHash: name });
      const before = tx.get(POSITIONS, [USER, TOKEN])?.value ?? null;
      const at = { userId: USER, cashAccount: 'usdc:base', marketId, tokenId: TOKEN } as const;
      const moved = { ...at, outcome: 0, shares: micros, atMs: T0 } as const;
      putPosition(tx, before, foldMove(before, moved, MARKET), T0);
    });
    return store
      .readJournal(0, 100)
      .slice(from)
      .flatMap(({ event }) => notificationOf(store, event)?.facts ?? []);
  };
  return { move };
}

describe('notifications of shares that others’ hands move', () => {
  it('say of each arrival and of each part that left how much, and by which transaction', async () => {
    const { move } = await aWallet();
    expect(await move(5_000_000, '0xa')).toEqual([
      expect.objectContaining({
        kind: 'shares_arrived',
        shares: 5_000_000,
        cashAccount: 'usdc:base',
        transactionHash: '0xa',
      }),
    ]);
    expect(await move(-2_000_000, '0xb')).toEqual([
      expect.objectContaining({
        kind: 'shares_departed',
        shares: 2_000_000,
        transactionHash: '0xb',
      }),
    ]);
  });

  it('leave what closes a position to the end of that', async () => {
    const { move } = await aWallet();
    await move(5_000_000, '0xa');
    expect(await move(-5_000_000, '0xb')).toEqual([
      expect.objectContaining({ kind: 'position_removed' }),
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import { runOrderLoad } from '../support/loads/order-load.ts';
import { verifyBooks } from '../support/checks/verify-books.ts';

describe('intents under faults', () => {
  it('L1, L2, L4, L9: 300 intents through lost, late, refused and doubled answers and three power failures leave no order twice, none lost and every cent agreed', async () => {
    const { taken, duplicates, lost, cashDiffers, doubts, store } = await runOrderLoad({
      users: 15,
      requestsEach: 20,
      cuts: 3,
      seed: 'storm',
    });
    expect({ duplicates, lost, cashDiffers }).toEqual({ duplicates: 0, lost: 0, cashDiffers: 0 });
    expect(verifyBooks(store)).toMatchObject({ imbalanceMicros: 0, differing: [] });
    // The faults struck: answers were in doubt, and nearly all orders arrived all the same.
    expect(doubts).toBeGreaterThan(15);
    expect(taken).toBeGreaterThan(250);
  });
});

import { describe, expect, it } from 'vitest';
import { createBookKeeper } from '../../streams/watched-book.ts';
import { aMarket, T0 } from '../support/builders.ts';

describe('createBookKeeper', () => {
  it('shows an empty book, as disconnected, before its first connection', () => {
    const { marketId, outcomes } = aMarket(1);
    const { tokenId } = outcomes[0];
    const book = createBookKeeper(tokenId, marketId, () => T0);
    expect([book.view(), book.top(), book.heardAtMs()]).toEqual([
      {
        tokenId,
        marketId,
        epoch: 0,
        seq: 0,
        bids: [],
        asks: [],
        venueAtMs: 0,
        receivedAtMs: 0,
        distrust: 'disconnected',
      },
      null,
      0,
    ]);
  });
});

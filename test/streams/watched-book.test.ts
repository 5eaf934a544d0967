import { describe, expect, it } from 'vitest';
import { createBookKeeper } from '../../streams/watched-book.ts';
import { BookFold, UNSTATED } from '../../src/domain/book-fold.ts';
import { aLevel, aMarket, T0 } from '../support/builders.ts';

describe('createBookKeeper', () => {
  it('shows an empty book, as disconnected, before its first connection', () => {
    const { marketId, outcomes } = aMarket(1);
    const { tokenId } = outcomes[0];
    const book = createBookKeeper(tokenId, marketId, { nowMs: () => T0, speed: 1 });
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
    book.detach();
    expect(book.view().distrust).toBe('disconnected');
  });

  it('gives the same view until a frame, a confirmation or a doubt changes it', () => {
    const { marketId, outcomes } = aMarket(1);
    const { tokenId } = outcomes[0];
    let nowMs = T0;
    const book = createBookKeeper(tokenId, marketId, { nowMs: () => nowMs, speed: 1 });
    const live = new BookFold(tokenId);
    live.replace({ marketId, bids: [aLevel(4_800, 10)], asks: [], venueAtMs: T0 }, T0);
    book.attach(live);
    const first = book.view();
    expect(book.view()).toBe(first);
    live.setLevel('bid', 4_900, 5_000_000);
    live.finish(T0, T0, { bid: UNSTATED, ask: UNSTATED });
    expect(book.view().bids).toEqual([aLevel(4_900, 5), aLevel(4_800, 10)]);
    book.confirm(T0 + 100);
    expect(book.view()).toMatchObject({ receivedAtMs: T0 + 100, distrust: null });
    nowMs = T0 + 60_000;
    expect(book.view().distrust).toBe('stale');
    const stale = book.view();
    expect(book.view()).toBe(stale);
  });
});

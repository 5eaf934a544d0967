import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { VENUE_A } from '../../../../config/limits/venue-a.ts';
import { createVirtualClock } from '../../../../src/adapters/clock/virtual-clock.ts';
import { BookFold } from '../../../../src/domain/book-fold.ts';
import { asId, type TokenId } from '../../../../src/domain/ids.ts';
import { bookHash, createHashCheck } from '../../../../src/venues/venue-a/market-data/book-hash.ts';
import { createBookSource } from '../../../../src/venues/venue-a/books.ts';
import type { VenueClient } from '../../../../src/venues/venue-a/client.ts';
import { createMarketFrames } from '../../../../src/venues/venue-a/market-data/market-frames.ts';
import { bookSchema } from '../../../../src/venues/venue-a/market-data/market-schema.ts';
import { createKeptMetrics } from '../../../support/quiet.ts';

const RECORDED = JSON.parse(
  readFileSync(new URL('../../../fixtures/venue-a/clob-book.json', import.meta.url), 'utf8'),
) as Record<string, unknown> & { readonly asset_id: string };
const TOKEN = asId<TokenId>(RECORDED.asset_id);
const DAMAGED = { ...RECORDED, bids: [{ price: '0.01', size: '1' }] };

describe('the hash of a whole book', () => {
  it('is that of a recorded book, and of the vector of the venue', () => {
    const read = bookSchema.parse(RECORDED);
    expect(bookHash(read)).toBe(RECORDED['hash']);
    const level = (price: string) => ({ price, size: '100' });
    expect(
      bookHash({
        market: '0xaabbcc',
        asset_id: '100',
        timestamp: 123_456_789,
        hash: '',
        bids: [level('0.3'), level('0.4')],
        asks: [level('0.6'), level('0.7')],
        min_order_size: '100',
        tick_size: '0.01',
        neg_risk: false,
        last_trade_price: '0.5',
      }),
    ).toBe('0458ea5755c9f73d64a14636fa5c36ed460ec394');
  });

  it('is not to be had of a frame that leaves members out', () => {
    expect(bookHash(bookSchema.parse({ ...RECORDED, tick_size: undefined }))).toBeNull();
  });

  it('is believed once it was right, and no longer when it is wrong for too many in a row', () => {
    const { verdict } = createHashCheck(() => undefined);
    const [right, wrong] = [bookSchema.parse(RECORDED), bookSchema.parse(DAMAGED)];
    expect([verdict(wrong), verdict(right), verdict(wrong)]).toEqual(['unknown', 'right', 'wrong']);
    for (let count = 1; count < VENUE_A.hashesWrongMaximum; count += 1) verdict(wrong);
    expect([verdict(wrong), verdict(right), verdict(wrong)]).toEqual(['unknown', 'right', 'wrong']);
  });
});

describe('a whole book that differs from its hash', () => {
  it('is refused where it was fetched, and counted', async () => {
    const metrics = createKeptMetrics();
    let answer: unknown = RECORDED;
    // of the client only reads are made
    const client = { read: async () => answer } as unknown as VenueClient;
    const source = createBookSource({ url: '', clock: createVirtualClock(0), metrics, client });
    expect((await source.snapshot(TOKEN))?.tokenId).toBe(TOKEN);
    answer = DAMAGED;
    await expect(source.snapshot(TOKEN)).rejects.toMatchObject({ code: 'venue_protocol' });
    expect(metrics.counts).toEqual(
      new Map([
        ['venue_book_hashes_total venue_a right', 1],
        ['venue_book_hashes_total venue_a wrong', 1],
      ]),
    );
  });

  it('L8: is in doubt where it came as a frame, until the next one', () => {
    const book = new BookFold(TOKEN);
    const { verdict } = createHashCheck(() => undefined);
    const frames = createMarketFrames([book], {
      changed: () => undefined,
      dropped: () => undefined,
      isDamaged: (wire) => verdict(wire) === 'wrong',
    });
    const faults = [RECORDED, DAMAGED, RECORDED].map((frame) => {
      frames.take(Buffer.from(JSON.stringify({ ...frame, event_type: 'book' })), 1);
      return book.fault;
    });
    expect(faults).toEqual([null, 'gap', null]);
  });
});

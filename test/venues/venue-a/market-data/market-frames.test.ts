import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createMarketFrames,
  type DropReason,
} from '../../../../src/venues/venue-a/market-data/market-frames.ts';
import { BookFold } from '../../../../src/domain/book-fold.ts';
import type { BookChange } from '../../../../src/ports/venue-books.ts';
import { asId } from '../../../../src/domain/ids.ts';

const MARKET = `0x${'ab'.repeat(32)}`;
const UP = '71321045679252212594626385532706912750332728571942532289631379312455583992563';
const DOWN = '71321045679252212594626385532706912750332728571942532289631379312455583992564';
const STRANGER = '52114319501245915516055106046884209969926127482827954674443846427813813222426';
const HASH = 'bf32b3746fff40c76c98021b7f3f07261169dd26';

function start() {
  const books = [UP, DOWN].map((token) => new BookFold(asId(token)));
  const changes: BookChange[] = [];
  const drops: Partial<Record<DropReason, number>> = {};
  const frames = createMarketFrames(books, {
    changed: (change) => changes.push(change),
    dropped: (reason, count) => {
      drops[reason] = (drops[reason] ?? 0) + count;
    },
  });
  const take = (text: string | Buffer): void => frames.take(Buffer.from(text), 5_000);
  const state = () => ({
    books: books.map((book) => book.view()),
    drops,
    reported: changes.map((change) => (change.kind === 'book' ? change.tokenId : change)),
  });
  return { take, state, books };
}

const snapshots = JSON.stringify(
  [
    [UP, '0.49', '0.51'],
    [DOWN, '0.49', '0.51'],
  ].map(([token, bid, ask]) => ({
    market: MARKET,
    asset_id: token,
    timestamp: '1760000000123',
    hash: HASH,
    bids: [
      { price: '0.4', size: '120' },
      { price: bid, size: '35.5' },
    ],
    asks: [
      { price: '0.60', size: '80' },
      { price: ask, size: '20' },
    ],
    event_type: 'book',
    tick_size: '0.01',
  })),
);

function priceChange(changes: readonly object[]): string {
  return JSON.stringify({
    market: MARKET,
    price_changes: changes,
    timestamp: '1760000001000',
    event_type: 'price_change',
  });
}

const aChange = {
  asset_id: UP,
  price: '0.5',
  size: '85',
  side: 'BUY',
  hash: HASH,
  best_bid: '0.5',
  best_ask: '0.51',
};
const mirrored = {
  asset_id: DOWN,
  price: '0.5',
  size: '85',
  side: 'SELL',
  hash: HASH,
  best_bid: '0.49',
  best_ask: '0.5',
};

describe('market frames', () => {
  it('fold a snapshot list and a change with its mirror entry', () => {
    const { take, books, state } = start();
    take(snapshots);
    take(priceChange([aChange, mirrored]));
    expect(books.map((book) => book.top())).toEqual([
      { bid: { price: 5_000, size: 85_000_000 }, ask: { price: 5_100, size: 20_000_000 } },
      { bid: { price: 4_900, size: 35_500_000 }, ask: { price: 5_000, size: 85_000_000 } },
    ]);
    expect([books.map((book) => book.fault), state().drops, state().reported]).toEqual([
      [null, null],
      {},
      [UP, DOWN, UP, DOWN],
    ]);
  });

  it('L8: find a lost delta by the best prices the venue states', () => {
    const { take, books } = start();
    take(snapshots);
    take(priceChange([{ ...aChange, best_ask: '0.52' }]));
    expect(books.map((book) => book.fault)).toEqual(['gap', null]);
  });

  it('leave the mirror entry of an unwatched token alone', () => {
    const { take, state } = start();
    take(snapshots);
    take(priceChange([{ ...aChange, asset_id: STRANGER }]));
    expect([state().reported, state().drops]).toEqual([[UP, DOWN], {}]);
  });

  it('drop and count levels at price 0 and levels without a size', () => {
    const { take, state, books } = start();
    take(snapshots);
    take(priceChange([{ ...aChange, price: '0' }, { ...aChange, size: '' }, aChange]));
    expect([state().drops, books.map((book) => book.fault)]).toEqual([
      { empty_level: 2 },
      [null, null],
    ]);
  });

  it.each(['NO NEW ASSETS', 'INVALID OPERATION', Buffer.from([0xff, 0xfe, 0x22])])(
    'ignore and count words that are no JSON: %s',
    (word) => {
      const { take, state, books } = start();
      take(snapshots);
      take(word);
      expect([state().drops, books.map((book) => book.fault)]).toEqual([
        { not_json: 1 },
        [null, null],
      ]);
    },
  );

  it('take an empty list for nothing', () => {
    const { take, state } = start();
    take('[]');
    expect([state().drops, state().reported]).toEqual([{}, []]);
  });

  it.each([
    ['a truncated event', priceChange([aChange]).slice(0, -5)],
    ['a renamed field', priceChange([{ ...aChange, price: undefined, px: '0.5' }])],
    ['a number for a text', priceChange([{ ...aChange, size: 85 }])],
    ['a price finer than a tick', priceChange([{ ...aChange, price: '0.50001' }])],
    ['a negative size', priceChange([{ ...aChange, size: '-1' }])],
  ])('doubt every book of the socket after %s', (_what, frame) => {
    const { take, books } = start();
    take(snapshots);
    const before = books.map((book) => book.top());
    take(frame);
    expect([books.map((book) => book.fault), books.map((book) => book.top())]).toEqual([
      ['gap', 'gap'],
      before,
    ]);
  });

  it('tell trades, tick changes and resolutions, and doubt the book whose tick changed', () => {
    const { take, state, books } = start();
    take(snapshots);
    take(
      JSON.stringify({
        event_type: 'last_trade_price',
        market: MARKET,
        asset_id: UP,
        price: '0.51',
        side: 'BUY',
        size: '20',
        fee_rate_bps: '0',
        timestamp: '1760000001200',
      }),
    );
    take(
      JSON.stringify({
        event_type: 'tick_size_change',
        market: MARKET,
        asset_id: UP,
        old_tick_size: '0.01',
        new_tick_size: '0.001',
        timestamp: '1760000002000',
      }),
    );
    take(
      JSON.stringify({
        event_type: 'market_resolved',
        id: '1',
        market: MARKET,
        assets_ids: [UP, DOWN],
        winning_asset_id: UP,
        winning_outcome: 'Up',
        timestamp: '1760000600000',
      }),
    );
    take(
      JSON.stringify({
        event_type: 'market_resolved',
        id: '2',
        market: '0xother',
        assets_ids: [STRANGER],
        winning_asset_id: STRANGER,
        winning_outcome: 'Up',
        timestamp: '1760000600000',
      }),
    );
    expect(state().reported.slice(2)).toEqual([
      {
        kind: 'trade',
        tokenId: UP,
        price: 5_100,
        shares: 20_000_000,
        venueAtMs: 1_760_000_001_200,
      },
      { kind: 'tick_size', tokenId: UP, tickSize: 10 },
      UP,
      { kind: 'resolved', marketId: MARKET, winner: UP, venueAtMs: 1_760_000_600_000 },
    ]);
    expect(books.map((book) => book.fault)).toEqual(['tick_changed', null]);
  });

  it('count events of an unknown kind without doubting the books', () => {
    const { take, state, books } = start();
    take(snapshots);
    take(JSON.stringify({ event_type: 'lunar_phase' }));
    expect([state().drops, books.map((book) => book.fault)]).toEqual([
      { unknown_event: 1 },
      [null, null],
    ]);
  });
});

const aDecimal = fc.oneof(
  fc.constantFrom(
    '0',
    '1',
    '',
    '.5',
    '0.5',
    '0.50',
    '5',
    '0.00',
    '00.5',
    '1.0',
    '0.12345',
    '123456789.123456',
    '1234567890',
    '1.',
    '.',
    '-1',
    '1e3',
    '0.9999',
    '0.0001',
  ),
  fc.integer({ min: 0, max: 10_000 }).map((ticks) => (ticks / 10_000).toString()),
  fc.double({ min: 0, max: 5_000, noNaN: true }).map(String),
);
const anyChange = fc.record(
  {
    asset_id: fc.constantFrom(UP, DOWN, STRANGER, '12', ''),
    price: aDecimal,
    size: aDecimal,
    side: fc.constantFrom('BUY', 'SELL', 'buy'),
    hash: fc.constantFrom(HASH, '', 'a\\b', 'ü'),
    best_bid: aDecimal,
    best_ask: aDecimal,
  },
  { requiredKeys: ['asset_id', 'price', 'size', 'side'] },
);
const likelyChange = fc.record({
  asset_id: fc.constantFrom(UP, DOWN),
  price: fc.integer({ min: 1, max: 99 }).map((cents) => (cents / 100).toString()),
  size: fc.constantFrom('0', '85', '12.5', '0.000001'),
  side: fc.constantFrom('BUY', 'SELL'),
});
const mutate = (text: string, mutation: { at: number; to: string; cut: number }): string => {
  const at = mutation.at % text.length;
  return text.slice(0, at) + mutation.to + text.slice(at + mutation.cut);
};

describe('the scanner of price changes', () => {
  // A space at the end is legal JSON and no dialect of the scanner: such a frame is read the slow
  // way.
  const compare = (frames: readonly string[]): void => {
    const scanned = start();
    const parsed = start();
    for (const each of [scanned, parsed]) each.take(snapshots);
    for (const frame of frames) {
      scanned.take(frame);
      parsed.take(`${frame} `);
    }
    expect(scanned.state()).toEqual(parsed.state());
  };

  it('agrees with JSON and schema on any frames of valid and invalid members', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.oneof(likelyChange, anyChange), { maxLength: 6 }).map(priceChange), {
          maxLength: 6,
        }),
        compare,
      ),
      { numRuns: 2_000 },
    );
  });

  it('agrees with JSON and schema on frames with bytes cut, changed and put in', () => {
    const mutation = fc.record({
      at: fc.nat(),
      to: fc.constantFrom(
        '',
        '"',
        '\\',
        '0',
        '9',
        '.',
        ',',
        '}',
        ']',
        '{',
        ' ',
        'é',
        '\n',
        '1',
        '-',
        'e',
        '"x":1,',
        '"price":"0.3",',
        ':',
      ),
      cut: fc.constantFrom(0, 1, 2, 7),
    });
    fc.assert(
      fc.property(
        fc.array(likelyChange, { minLength: 1, maxLength: 3 }),
        fc.array(mutation, { minLength: 1, maxLength: 3 }),
        (changes, mutations) => {
          compare([mutations.reduce(mutate, priceChange(changes)), priceChange(changes)]);
        },
      ),
      { numRuns: 5_000 },
    );
  });

  it('agrees with JSON and schema on frames with members left out, repeated and in any order', () => {
    const member = fc.constantFrom(
      `"asset_id":"${UP}"`,
      `"asset_id":"${DOWN}"`,
      '"price":"0.3"',
      '"price":"0.35"',
      '"size":"7"',
      '"size":"0"',
      '"side":"BUY"',
      '"side":"SELL"',
      '"best_bid":"0.3"',
      '"best_ask":""',
      '"hash":""',
    );
    const change = fc
      .array(member, { minLength: 3, maxLength: 7 })
      .map((members) => `{${members.join(',')}}`);
    const changes = fc
      .array(change, { maxLength: 2 })
      .map((rows) => `"price_changes":[${rows.join(',')}]`);
    const whole = fc.shuffledSubarray(
      [
        '"event_type":"price_change"',
        `"market":"${MARKET}"`,
        '"timestamp":"1760000001000"',
        '"timestamp":"1760000009000"',
      ],
      { minLength: 2 },
    );
    fc.assert(
      fc.property(changes, whole, fc.nat({ max: 4 }), (rows, members, at) => {
        compare([`{${members.toSpliced(at, 0, rows).join(',')}}`]);
      }),
      { numRuns: 5_000 },
    );
  });

  it('takes members in any order', () => {
    const { take, books } = start();
    take(snapshots);
    take(
      `{"event_type":"price_change","timestamp":"1760000001000","price_changes":[{"best_ask":"0.51","side":"BUY","size":"85","best_bid":"0.5","price":"0.5","asset_id":"${UP}"}],"market":"${MARKET}"}`,
    );
    expect([books[0]?.bestBid, books[0]?.fault]).toEqual([5_000, null]);
  });
});

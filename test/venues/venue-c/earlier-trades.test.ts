import { describe, expect, it } from 'vitest';
import { VENUE_C_ORDER } from '../../../config/limits/venue-c.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import type { VenueFill } from '../../../src/domain/fill.ts';
import { asId, type OrderId } from '../../../src/domain/ids.ts';
import { priceTicks, shareMicros } from '../../../src/domain/units.ts';
import {
  createEarlierTrades,
  type SettledTrade,
} from '../../../src/venues/venue-c/earlier-trades.ts';
import { T0 } from '../../support/builders.ts';
import { ORDER_ID, SLUG, YES, anOrderIntent } from './intents.ts';
import { aWire } from './wire.ts';

const ACCOUNT = { tokenId: 'token', secret: 'c2VjcmV0' };
const FOUND_MS = VENUE_C_ORDER.earlierTradeAfterMs;
const UNDONE_MS = VENUE_C_ORDER.earlierTradeUndoneAfterMs;

/** Shares that an order was met by, in seconds after T0; the newest is final. */
const fill = (
  tradeId: string,
  shares: number,
  second: number,
  word: VenueFill['word'] = 'matched',
): VenueFill => ({
  tradeId: asId(tradeId),
  orderId: asId(ORDER_ID),
  marketId: asId(SLUG),
  tokenId: asId(YES),
  side: 'buy',
  role: 'maker',
  legs: [{ shares: shareMicros(shares * 1_000_000), price: priceTicks(4_000) }],
  fee: { unit: 'cash', micros: 0 },
  word,
  matchedAtMs: T0 + second * 1_000,
  transactionHash: word === 'matched' ? null : '0xnewest',
});
/** What the history has of it. */
const row = (shares: string, transactionHash: string | null, change: object = {}) => ({
  blockTimestamp: T0 / 1_000,
  market: { slug: SLUG },
  outcomeIndex: 0,
  outcomeTokenAmount: shares,
  strategy: 'Limit Buy',
  transactionHash,
  ...change,
});

describe('trades of an order of venue_c that others have followed', () => {
  async function settled(
    rows: readonly object[],
    fills: readonly VenueFill[],
    { afterMs = FOUND_MS + 2_000, times = 1, heard = [] as readonly SettledTrade[] } = {},
  ) {
    const { client, asked } = aWire({ '/portfolio/history': { data: rows, nextCursor: null } });
    const earlier = createEarlierTrades(createVirtualClock(T0 + afterMs));
    for (const trade of heard) earlier.heard(trade);
    const asking = { client, account: ACCOUNT };
    let last: readonly VenueFill[] = [];
    for (let time = 0; time < times; time += 1)
      last = await earlier.settled(asking, anOrderIntent(), fills);
    return {
      words: last.map(({ word }) => word),
      hashes: last.map((one) => one.transactionHash),
      asked,
    };
  }

  it('are final by a transaction of so many shares in the history, asked for once', async () => {
    const { words, hashes, asked } = await settled(
      [row('12.000000', '0xnewest'), row('8.000000', '0xfirst')],
      [fill('a', 8, 0), fill('b', 12, 1, 'confirmed')],
      { times: 3 },
    );
    expect([words, hashes]).toEqual([
      ['confirmed', 'confirmed'],
      ['0xfirst', '0xnewest'],
    ]);
    expect(asked).toHaveLength(1);
  });

  it('take no row of the newest one, another market, outcome or side, nor one without a transaction', async () => {
    const { words } = await settled(
      [
        row('8.000000', '0xnewest'),
        row('8.000000', '0xa', { market: { slug: 'another' } }),
        row('8.000000', '0xb', { outcomeIndex: 1 }),
        row('8.000000', '0xc', { strategy: 'Limit Sell' }),
        row('8.000000', null),
      ],
      [fill('a', 8, 0), fill('b', 8, 1, 'confirmed')],
    );
    expect(words).toEqual(['matched', 'confirmed']);
  });

  it('L2: take no row of another price, or of a block before they were matched or long after', async () => {
    const { words } = await settled(
      [
        row('8.000000', '0xa', { outcomeTokenPrice: '0.41' }),
        row('8.000000', '0xb', { blockTimestamp: T0 / 1_000 - 2 }),
        row('8.000000', '0xc', { blockTimestamp: T0 / 1_000 + FOUND_MS / 1_000 + 1 }),
      ],
      [fill('a', 8, 0), fill('b', 12, 1, 'confirmed')],
    );
    expect(words).toEqual(['matched', 'confirmed']);
  });

  it('L2, L3: are what the socket said of them, whatever the history has, and it is not asked', async () => {
    const heard = [
      {
        tradeEventId: 't1',
        orderId: asId<OrderId>(ORDER_ID),
        shares: 8_000_000,
        transactionHash: null,
      },
      {
        tradeEventId: 't2',
        orderId: asId<OrderId>(ORDER_ID),
        shares: 5_000_000,
        transactionHash: '0xb',
      },
    ];
    const { words, hashes, asked } = await settled(
      [row('8.000000', '0xanother')],
      [fill('a', 8, 0), fill('b', 5, 1), fill('c', 12, 2, 'confirmed')],
      { heard },
    );
    expect([words, hashes]).toEqual([
      ['failed', 'confirmed', 'confirmed'],
      [null, '0xb', '0xnewest'],
    ]);
    expect(asked).toEqual([]);
  });

  it('L3: are undone where they are long past and not there, and not before', async () => {
    const fills = [fill('a', 8, 0), fill('b', 12, 1, 'confirmed')];
    const rows = [row('12.000000', '0xnewest')];
    const soon = await settled(rows, fills, { afterMs: UNDONE_MS - 1 });
    expect(soon.words).toEqual(['matched', 'confirmed']);
    const late = await settled(rows, fills, { afterMs: UNDONE_MS });
    expect(late.words).toEqual(['failed', 'confirmed']);
  });

  it('are not asked about while they may be under way, nor is the newest one ever', async () => {
    const young = await settled([], [fill('a', 8, 0), fill('b', 12, 1)], { afterMs: FOUND_MS - 1 });
    const alone = await settled([], [fill('a', 8, 0)], { afterMs: UNDONE_MS });
    expect([young.words, alone.words]).toEqual([['matched', 'matched'], ['matched']]);
    expect([young.asked, alone.asked]).toEqual([[], []]);
  });
});

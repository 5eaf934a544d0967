import { describe, expect, it } from 'vitest';
import { fillsOf } from '../../../../src/venues/venue-c/order-book/fills.ts';
import { statedOrderSchema } from '../../../../src/venues/venue-c/order-book/schema.ts';
import { T0 } from '../../../support/builders.ts';
import { ORDER_ID, anOrderIntent } from '../intents.ts';
import { aMatch, aStatedOrder, anExecution } from '../order-answers.ts';

const settled = (settlementStatus: string, totals: object) =>
  anExecution({ matched: true, settlementStatus, tradeEventId: 'newest', txHash: '0xaa' }, totals);
const fills = (
  parts: Parameters<typeof aStatedOrder>[0],
  change: Parameters<typeof anOrderIntent>[0] = {},
) => fillsOf(statedOrderSchema.parse(aStatedOrder(parts)), anOrderIntent(change));
const short = (stated: ReturnType<typeof fills>) =>
  stated.map(({ tradeId, role, word, legs, fee }) => [tradeId, role, word, legs, fee]);

describe('fills of an order at venue_c', () => {
  it('are none of one that met nothing', () => {
    expect(fills({})).toEqual([]);
  });

  it('are one as it meets others, named alike however they are listed, its fee as stated', () => {
    const matches = [aMatch('b', 6, 'two'), aMatch('a', 4, 'one')];
    const execution = settled('CONFIRMED', {
      contractsGross: '10000000',
      contractsFee: '225000',
      usdGross: '4900000',
    });
    const [one, other] = [matches, matches.toReversed()].map((makerMatches) =>
      short(fills({ makerMatches, execution })),
    );
    expect(one).toEqual([
      [
        'a',
        'taker',
        'confirmed',
        [{ shares: 10_000_000, price: 4_900, usdc: 4_900_000 }],
        { unit: 'shares', micros: 225_000 },
      ],
    ]);
    expect(other).toEqual(one);
  });

  it('are one for each time it is met, at its own price and without a fee', () => {
    const makerMatches = [aMatch('m1', 4, ORDER_ID, T0), aMatch('m2', 6, ORDER_ID, T0 + 5_000)];
    const execution = settled('MINED', { contractsGross: '10000000', usdGross: '5000000' });
    expect(short(fills({ makerMatches, execution }))).toEqual([
      [
        'm1',
        'maker',
        'matched',
        [{ shares: 4_000_000, price: 5_000 }],
        { unit: 'cash', micros: 0 },
      ],
      ['m2', 'maker', 'mined', [{ shares: 6_000_000, price: 5_000 }], { unit: 'cash', micros: 0 }],
    ]);
  });

  it('L3: say of earlier trades no more than that they were matched when the newest one fails', () => {
    const makerMatches = [aMatch('t1', 4, 'other', T0), aMatch('m1', 6, ORDER_ID, T0 + 5_000)];
    const execution = settled('FAILED', {
      contractsGross: '10000000',
      contractsFee: '80000',
      usdGross: '4920000',
    });
    expect(short(fills({ makerMatches, execution }))).toEqual([
      [
        't1',
        'taker',
        'matched',
        [{ shares: 4_000_000, price: 4_800, usdc: 1_920_000 }],
        { unit: 'shares', micros: 80_000 },
      ],
      ['m1', 'maker', 'failed', [{ shares: 6_000_000, price: 5_000 }], { unit: 'cash', micros: 0 }],
    ]);
  });

  it('L3: say of trades of the same moment no more than that they were matched', () => {
    const makerMatches = [aMatch('m1', 4, ORDER_ID, T0), aMatch('m2', 6, ORDER_ID, T0)];
    const execution = settled('CONFIRMED', { contractsGross: '10000000', usdGross: '5000000' });
    expect(
      fills({ makerMatches, execution }).map(({ word, transactionHash }) => [
        word,
        transactionHash,
      ]),
    ).toEqual([
      ['matched', null],
      ['matched', null],
    ]);
  });

  it('keep the money that changed hands where price and shares give another', () => {
    const makerMatches = [aMatch('m1', 3, ORDER_ID)];
    const execution = settled('RETRYING', { contractsGross: '3000000', usdGross: '1500001' });
    expect(short(fills({ makerMatches, execution }))).toEqual([
      [
        'm1',
        'maker',
        'retrying',
        [{ shares: 3_000_000, price: 5_000, usdc: 1_500_001 }],
        { unit: 'cash', micros: 0 },
      ],
    ]);
  });

  it('of a sale cost dollars', () => {
    const execution = settled('CONFIRMED', {
      contractsGross: '10000000',
      usdGross: '5000000',
      usdFee: '112500',
    });
    const [fill] = fills(
      { order: { side: 1, orderType: 'FAK' }, execution, makerMatches: [aMatch('a', 10, 'one')] },
      { side: 'sell' },
    );
    expect([fill?.tradeId, fill?.fee]).toEqual(['newest', { unit: 'cash', micros: 112_500 }]);
  });
});

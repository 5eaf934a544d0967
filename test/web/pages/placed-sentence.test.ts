import { describe, expect, it } from 'vitest';
import type { Order } from '../../../src/web/api/venues.ts';
import {
  isOver,
  isTaken,
  isWithVenue,
  placedSentence,
  placedTitle,
} from '../../../src/web/pages/markets/placed-sentence.ts';

/** Of an order the fields that its sentence is made of. */
function anOrder(part: Partial<Order> = {}): Order {
  return {
    state: 'live',
    action: 'buy',
    feesUsdc: '0',
    feeShares: '0',
    reason: null,
    price: '0.45',
    requestedShares: '10',
    filledShares: '0',
    filledUsdc: '0',
    reversedShares: '0',
    averagePrice: null,
    settlementState: null,
    leftoverShares: '0',
    cancelRequested: false,
    gas: null,
    ...part,
  } as Order;
}

const PART = { filledShares: '2.5', filledUsdc: '1.1', averagePrice: '0.44' } as const;

it.each([
  ['live', '0', true],
  ['delayed', '0', false],
  ['unknown', '0', false],
  ['filled', '5', true],
  ['cancelled', '2', true],
  ['cancelled', '0', false],
  ['rejected', '0', false],
] as const)(
  'an order that is %s with %s shares filled empties its ticket: %s',
  (state, filledShares, is) => {
    expect(isTaken({ state, filledShares })).toBe(is);
  },
);

it.each([
  ['submitting', 'limit', true],
  ['unknown', 'limit', true],
  ['delayed', 'market', true],
  ['live', 'market', true],
  ['live', 'limit', false],
  ['matched', 'market', false],
  ['filled', 'market', false],
] as const)(
  'an order that is %s, of kind %s, waits for the decision of the venue: %s',
  (state, orderType, is) => {
    expect(isWithVenue({ state, orderType })).toBe(is);
  },
);

it('an order is over once it has ended and its trades are final', () => {
  expect(isOver(anOrder({ state: 'filled', settlementState: 'provisional' }))).toBe(false);
  expect(isOver(anOrder({ state: 'filled', settlementState: 'settled' }))).toBe(true);
  expect(isOver(anOrder({ state: 'live' }))).toBe(false);
});

describe('the sentence of an order that was placed', () => {
  it('says of one that the venue holds that no cancel ends it, and of no other', () => {
    const held = 'The venue decides within seconds; it cannot be cancelled before.';
    expect(placedSentence(anOrder({ state: 'delayed' }))).toBe(held);
    expect(placedSentence(anOrder({ state: 'delayed' }), true)).toBe('');
    expect(placedSentence(anOrder())).not.toContain(held);
  });

  it('says how much rests at which price', () => {
    expect(placedSentence(anOrder())).toBe('10.00 shares rest at 45¢.');
  });

  it('says what the network kept for a transaction that failed', () => {
    const reason = 'Its transaction was reverted on the chain; nothing but gas was spent.';
    const gas = { symbol: 'ETH', amount: '0.00021', amountUsd: '0.74' };
    expect(placedSentence(anOrder({ state: 'rejected', reason, gas }))).toBe(
      `${reason} The network kept 0.00021 ETH ($0.74) as gas for the failed transaction.`,
    );
  });

  it('says what the network took for an order whose fills do not state it', () => {
    const gas = { symbol: 'SOL', amount: '0.00218', amountUsd: '0.16' };
    expect(
      placedSentence(anOrder({ ...PART, state: 'cancelled', cancelRequested: true, gas })),
    ).toMatch(/The network took 0\.0022 SOL \(\$0\.16\) beside what the fills state\.$/);
  });

  it('says what filled before what rests', () => {
    expect(placedSentence(anOrder({ ...PART, settlementState: 'settled' }))).toBe(
      '2.50 shares at 44¢ for $1.10, settled. 7.50 shares rest at 45¢.',
    );
  });

  it('names what the balance changes by, the fee in it', () => {
    const fee = { ...PART, state: 'filled', feesUsdc: '0.03', settlementState: 'settled' } as const;
    expect(placedSentence(anOrder(fee))).toBe(
      '2.50 shares at 44¢ for $1.13, fee of $0.03 included, settled.',
    );
    expect(placedSentence(anOrder({ ...fee, action: 'sell' }))).toBe(
      '2.50 shares at 44¢ for $1.07 after a fee of $0.03, settled.',
    );
  });

  it('of trades that failed says that what was given for them is back', () => {
    const all = anOrder({ state: 'filled', reversedShares: '8', settlementState: 'reversed' });
    expect(placedSentence(all)).toBe(
      'A trade of 8.00 shares failed: what was paid for them is back.',
    );
    const some = { ...PART, state: 'filled', settlementState: 'partly_reversed' } as const;
    expect(placedSentence(anOrder({ ...some, action: 'sell', reversedShares: '8' }))).toBe(
      '2.50 shares at 44¢ for $1.10. A trade of 8.00 shares failed: they are back.',
    );
  });

  it('leaves out of what rests what traded and was taken back', () => {
    const order = anOrder({ reversedShares: '4', settlementState: 'reversed' });
    expect(placedSentence(order)).toBe(
      'A trade of 4.00 shares failed: what was paid for them is back. 6.00 shares rest at 45¢.',
    );
  });

  it('names the shares a venue kept as its fee', () => {
    const kept = { ...PART, state: 'filled', feeShares: '0.075', feesUsdc: '0.03' } as const;
    expect(placedSentence(anOrder(kept))).toBe('2.50 shares less a fee of 0.08 at 44¢ for $1.10.');
  });

  it('of one that ended in part says of how many, and what became of the rest', () => {
    const cancelled = anOrder({
      ...PART,
      state: 'cancelled',
      settlementState: 'settled',
      cancelRequested: true,
      reason: 'It was cancelled as requested.',
    });
    expect(`${placedTitle(cancelled)} ${placedSentence(cancelled)}`).toBe(
      'Filled in part. 2.50 of 10.00 shares at 44¢ for $1.10, settled. The rest was cancelled.',
    );
    const reason = 'A part of it traded; the book had no more at its price.';
    expect(placedSentence({ ...cancelled, cancelRequested: false, reason })).toBe(
      `2.50 of 10.00 shares at 44¢ for $1.10, settled. ${reason}`,
    );
  });

  it('of one that ended untouched says why, and that alone', () => {
    const reason = 'It was cancelled as requested.';
    const cancelled = anOrder({ state: 'cancelled', cancelRequested: true, reason });
    expect(`${placedTitle(cancelled)} ${placedSentence(cancelled)}`).toBe(`Cancelled. ${reason}`);
  });
});

it.each([
  ['live', 'In the book.', 'Waiting for its price.'],
  ['delayed', 'The venue holds it for a moment.', 'On its way to the chain.'],
  ['filled', 'Filled.', 'Filled.'],
  ['rejected', 'The venue refused it.', 'It did not trade.'],
] as const)('an order that is %s is titled %s, and with a pool %s', (state, book, pool) => {
  expect(placedTitle({ state, filledShares: '0' })).toBe(book);
  expect(placedTitle({ state, filledShares: '0' }, true)).toBe(pool);
});

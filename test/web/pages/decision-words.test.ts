import { describe, expect, it } from 'vitest';
import {
  alikeWords,
  type Decision,
  decisionReason,
  endWords,
  orderSentence,
} from '../../../src/web/pages/agents/decision-words.ts';

type Order = NonNullable<Decision['order']>;

/** Of an order the fields that its words are made of. */
function anOrder(part: Partial<Order> = {}): Order {
  return {
    state: 'filled',
    action: 'buy',
    reason: null,
    filledShares: '8',
    filledUsdc: '4.8',
    averagePrice: '0.6',
    settlementState: 'settled',
    ...part,
  } as Order;
}
const NOTHING = {
  filledShares: '0',
  filledUsdc: '0',
  averagePrice: null,
  settlementState: null,
} as const;
const MOVED = anOrder({ ...NOTHING, state: 'rejected', reason: 'The price had moved.' });

describe('the order of a decision', () => {
  it('on paper is said to have been sent nowhere, with why it traded nothing', () => {
    expect(orderSentence(MOVED, 'paper')).toBe(
      'On paper, nothing was sent: it would have bought nothing. The price had moved.',
    );
    expect(orderSentence(anOrder(), 'paper')).toBe(
      'On paper, nothing was sent: bought 8.00 shares at 60¢.',
    );
    expect(orderSentence(anOrder({ ...NOTHING, state: 'live' }), 'paper')).toBe(
      'On paper, nothing was sent: nothing bought yet.',
    );
  });

  it('with real money says its state, what it traded and whether that is final', () => {
    expect(orderSentence(anOrder(), 'live')).toBe(
      'Order: filled, bought 8.00 shares at 60¢, settled.',
    );
    expect(orderSentence(anOrder({ state: 'cancelled' }), 'live')).toBe(
      'Order: filled in part, then cancelled, bought 8.00 shares at 60¢, settled.',
    );
    expect(orderSentence(MOVED, 'live')).toBe(
      'Order: rejected, nothing bought. The price had moved.',
    );
  });

  it('says in its line what it cost, whether that was paper, and what it brought once it ended', () => {
    expect(
      endWords({ order: anOrder(), outcome: { kind: 'order' }, mode: 'paper', realizedPnl: '3.1' }),
    ).toBe('on paper: $4.80 at 60¢, won +$3.10');
    expect(
      endWords({ order: anOrder(), outcome: { kind: 'order' }, mode: 'live', realizedPnl: '-4.9' }),
    ).toBe('$4.80 at 60¢, lost $4.90');
    expect(
      endWords({ order: MOVED, outcome: { kind: 'order' }, mode: 'paper', realizedPnl: null }),
    ).toBe('on paper: it would have bought nothing');
    const without = { order: null, mode: 'live', realizedPnl: null } as const;
    expect(endWords({ ...without, outcome: { kind: 'none' } })).toBe('');
    expect(endWords({ ...without, outcome: { kind: 'refused' } })).toBe('not placed');
  });
});

describe('why a strategy decided', () => {
  const lacking = (value: string) => ({
    reason: `No decision without ${value}.`,
    criteria: [{ name: 'inputs', value: `missing: ${value}`, threshold: 'all', passed: false }],
  });

  it('names what it waits for, and that a round begins without it', () => {
    expect(decisionReason(lacking('exchange price at start, price to beat'))).toBe(
      'It waits for the exchange price at start and the price to beat. That is usual in the first seconds of a round: it comes by itself.',
    );
  });

  it('does not call a feed that is missing usual', () => {
    expect(decisionReason(lacking('oracle price, price to beat'))).toBe(
      'It waits for the oracle price and the price to beat.',
    );
  });

  it('is its own sentence otherwise', () => {
    expect(decisionReason({ reason: 'the ask is 0.99, needed at most 0.98.', criteria: [] })).toBe(
      'The ask is 0.99, needed at most 0.98.',
    );
  });
});

it('counts the decisions before one that were decided alike', () => {
  expect([1, 5].map(alikeWords)).toEqual([
    'An earlier decision is alike.',
    '5 earlier decisions are alike.',
  ]);
});

import { describe, expect, it } from 'vitest';
import { explainOrder } from '../../src/domain/order-reason.ts';
import type { OrderState } from '../../src/domain/order.ts';
import { shareMicros } from '../../src/domain/units.ts';

const explained = (state: OrderState, reason: string | null, cancelWanted = false) =>
  explainOrder({ state, reason, cancelWanted });

const ADDRESS = '0xE111180000d2663C0091e4f400237545B87B996B';

describe('why an order ended or waits', () => {
  it.each<[OrderState, string, RegExp]>([
    ['cancelled', 'INVALID', /no longer in your account/],
    ['cancelled', 'FOK orders are fully filled or killed', /in the book matched/],
    ['rejected', 'order_version_mismatch; asked again, the venue names no version', /version/],
    [
      'rejected',
      `not enough balance / allowance: the allowance is not enough -> spender: ${ADDRESS}, allowance: 0, order amount: 5000000`,
      /had not let the exchange/,
    ],
    [
      'rejected',
      'not enough balance / allowance: the balance is not enough -> balance: 1000000, order amount: 5000000',
      /too little money/,
    ],
    [
      'rejected',
      'chain 8453 refused the call: minimum buy amount not reached',
      /price moved beyond the worst/,
    ],
    ['cancelled', 'Market order unmatched: order one', /in the book matched/],
    ['cancelled', 'Order was not filled', /in the book matched/],
    ['rejected', 'chain 8453 refused the call: ERC20: transfer amount exceeds balance', /held too/],
    [
      'rejected',
      'chain 8453 refused the call: ERC20InsufficientAllowance(0, 1)',
      /let the contract/,
    ],
    ['rejected', 'chain 8453 refused the call: panic 17', /^The contract would have refused it/],
    ['live', 'post_only_mode', /orders that rest/],
    ['signed', 'Trading restricted in your region, see https://venue/geoblock', /from where/],
    ['rejected', 'an unknown word', /^The venue refused it\.$/],
    ['cancelled', 'by_operator', /^The venue ended it\.$/],
    ['unknown', 'answered 500', /answer is missing/],
  ])('%s "%s": a sentence, and the words of the venue beside it', (state, words, sentence) => {
    const { reason, venueReason } = explained(state, words);
    expect(reason).toMatch(sentence);
    expect(reason).toMatch(/^[A-Z][^\d]*\.$/);
    expect(venueReason).toBe(words);
  });

  it.each<[OrderState, string, string | null]>([
    ['rejected', 'never booked by the venue (answered 500)', 'answered 500'],
    ['rejected', 'the venue took no orders in time: post-only mode', 'post-only mode'],
    ['cancelled', 'interrupted before signing', null],
    ['delayed', 'insufficient funds for gas', null],
    ['live', 'a trade with a pool needs ETH for gas: about 1 ETH', 'about 1 ETH'],
    ['delayed', 'the chain shows nonce 46 as the next one, and it is used', null],
    ['rejected', 'its time passed while it waited in its account’s queue', null],
    ['rejected', 'the chain ran it and took everything back', null],
    ['rejected', 'given up: not executed in time', null],
    ['rejected', 'given up: underpriced', 'underpriced'],
    ['rejected', 'another transaction of the account used its nonce', null],
    ['rejected', 'no transaction was made of it in its time', null],
    [
      'rejected',
      'the venue took no orders in time: no transaction was made of it in its time',
      null,
    ],
    [
      'rejected',
      'the venue took no orders in time: 20 transactions wait for this account already',
      null,
    ],
    ['cancelled', 'it could not be sent in time', null],
    ['rejected', 'it could not be sent again in time', null],
    ['delayed', 'its block was taken back', null],
    ['rejected', 'undone: the chain ran it and took everything back', null],
    ['rejected', 'no money is sent out: buying is stopped: by you', null],
    ['cancelled', 'nothing matched', null],
    ['cancelled', 'the market has ended', null],
    ['cancelled', 'ended with its market', null],
    ['cancelled', 'the venue gave the rest back', null],
    ['cancelled', 'the venue gave all of it back', null],
    ['cancelled', 'nothing to be had at this price', null],
    ['cancelled', 'cancelled at once', null],
    ['cancelled', 'given up after 20 attempts', null],
    ['rejected', 'no trusted book when the order arrived', null],
    ['rejected', 'the book had not enough at its price when it arrived', null],
    ['cancelled', 'the rest found no seller', null],
    ['rejected', '20000 orders rest on paper already', null],
    ['cancelled', 'cancelled by its agent', null],
    ['cancelled', 'nothing to be had at once', null],
    ['cancelled', 'the rest was not to be had', null],
    [
      'cancelled',
      'the pool moved: fewer shares brought the sum that was asked for, and the rest is yours',
      null,
    ],
  ])('%s "%s": words of this service are not given out as the venue\'s', (state, words, own) => {
    const { reason, venueReason } = explained(state, words);
    expect(reason).toMatch(/^[A-Z].*\.$/);
    expect(reason).not.toBe(words);
    expect(venueReason).toBe(own);
  });

  it('names no venue where the order was a transaction of the wallet itself', () => {
    const words = [
      'the chain ran it and took everything back',
      'given up: insufficient funds for gas',
      'given up: not executed in time',
      'chain 8453 refused the call: minimum buy amount not reached',
      'no transaction was made of it in its time',
      'it could not be sent in time',
    ];
    const said = words.map((one) => explained('rejected', one).reason ?? '');
    expect(said.filter((sentence) => /venue/i.test(sentence))).toEqual([]);
    expect(
      said.map((sentence) => /reverted|coin for gas|given up|worst one|passed/.exec(sentence)?.[0]),
    ).toEqual(['reverted', 'coin for gas', 'given up', 'worst one', 'passed', 'passed']);
  });

  it('says of an order whose trades were taken back what happened to them, beside its own end', () => {
    const [filledShares, reversedShares] = [shareMicros(5), shareMicros(5)];
    const explain = (order: Partial<Parameters<typeof explainOrder>[0]>) =>
      explainOrder({
        state: 'filled',
        reason: null,
        cancelWanted: false,
        filledShares,
        reversedShares,
        ...order,
      }).reason;
    const all =
      'What traded was taken back, since its settlement failed or the chain removed its block: what was given for it is back.';
    expect(explain({})).toBe(all);
    expect(explain({ state: 'cancelled', cancelWanted: true })).toBe(
      `It was cancelled as requested. ${all}`,
    );
    expect(explain({ reversedShares: shareMicros(2) })).toMatch(/^A part of what traded was taken/);
    expect(explain({ reversedShares: shareMicros(0) })).toBeNull();
    expect(explain({ state: 'rejected', reason: 'undone: reverted' })).not.toContain('given for');
  });

  it('does not say of an order for what is to be had at once that its rest was cancelled', () => {
    const [state, reason, cancelWanted] = ['cancelled', null, false] as const;
    const filledShares = shareMicros(2_000_000);
    const explain = (life: 'part_now' | 'rests') =>
      explainOrder({ state, reason, cancelWanted, filledShares, intent: { life } }).reason;
    expect(explain('part_now')).toBe('A part of it traded; the book had no more at its price.');
    expect(explain('rests')).toContain('by itself, without saying why');
  });

  it('is said of every end without a word, and of nothing that goes well', () => {
    expect(explained('cancelled', null).reason).toContain('by itself, without saying why');
    expect(explained('cancelled', null, true).reason).toBe('It was cancelled as requested.');
    expect(
      explainOrder({
        state: 'cancelled',
        reason: null,
        cancelWanted: true,
        cancelledBy: 'stop',
      }).reason,
    ).toBe('It was cancelled by a stop of trading.');
    expect(explained('rejected', null).reason).toContain('without saying why');
    expect(explained('expired', null).reason).toContain('time was over');
    expect(explained('unknown', null).reason).toContain('being asked');
    const well: readonly OrderState[] = ['signed', 'submitting', 'live', 'matched', 'filled'];
    expect(well.map((state) => explained(state, null).reason)).toEqual(well.map(() => null));
  });
});

it('an order that filled nothing is not said to have been ended by its venue, or given back where nothing was taken', () => {
  const reasonOf = (words: string) => explained('cancelled', words).reason;
  expect(reasonOf('nothing to be had at this price')).toBe(
    'Nothing in the book matched it at its price.',
  );
  expect(reasonOf('the venue gave all of it back')).toBe(
    'The venue filled nothing of it at its price or a better one: what it set aside is yours again.',
  );
});

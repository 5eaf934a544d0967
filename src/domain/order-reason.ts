import { meaningOf, type Meaning, type Reason } from './reason.ts';
import { isTerminal, type OrderIntent, type OrderRecord } from './order.ts';
import { TRADED_TRANSACTION_MEANINGS } from './traded-transaction-reason.ts';
import { shareMicros } from './units.ts';

const NEVER_BOOKED = 'It never reached the books of the venue, which does not know it.';
const NOT_IN_TIME = 'The venue took no orders within the time it was good for.';
const REST_NOT_THERE = 'A part of it traded; the book had no more at its price.';

const MEANINGS: readonly Meaning[] = [
  ...TRADED_TRANSACTION_MEANINGS,
  { words: /^never booked by the venue \((.*)\)$/s, sentence: NEVER_BOOKED, isOwn: true },
  { words: /^the venue took no orders in time: (.*)$/s, sentence: NOT_IN_TIME, isOwn: true },
  {
    words: /^interrupted before signing$/,
    sentence: 'The service was interrupted before it was signed; nothing was sent.',
    isOwn: true,
  },
  {
    words: /^it could not be sent again in time$/,
    sentence: 'Its time passed before it could be sent again.',
    isOwn: true,
  },
  {
    words: /^no longer known to the venue$/,
    sentence: 'The venue no longer knows it.',
    isOwn: true,
  },
  {
    words: /^(?:nothing matched|nothing to be had at (?:once|this price)|cancelled at once)$/,
    sentence: 'Nothing in the book matched it at its price.',
    isOwn: true,
  },
  {
    words: /^insufficient funds for gas$/,
    sentence:
      'The wallet holds too little of its chain’s coin for gas; it goes on once there is more.',
    isOwn: true,
  },
  {
    words: /^a trade with a pool needs \S+ for gas: (.*)$/s,
    sentence: 'It waits for its chain’s coin for gas in your wallet.',
    isOwn: true,
  },
  {
    words: /^the chain shows nonce \d+ as the next one, and it is used$/,
    sentence: 'It waits until the chain shows again what the wallet sent before it.',
    isOwn: true,
  },
  {
    words: /^its time passed while it waited in its account’s queue$/,
    sentence: 'Its time passed while its transaction waited for its turn in the wallet.',
    isOwn: true,
  },
  {
    words: /^the market has ended$/,
    sentence: 'The market ended before it could trade.',
    isOwn: true,
  },
  {
    words: /^ended with its market$/,
    sentence: 'Its market is over, and the venue ended what had not traded.',
    isOwn: true,
  },
  {
    words: /^given up after \d+ attempts$/,
    sentence: 'It was given up after as many attempts as an order may have.',
    isOwn: true,
  },
  {
    words:
      /^(?:no money is sent out: |buying is stopped|you stopped your trading)|^agent .* is not enabled$/,
    sentence: 'Buying was stopped before it left.',
    isOwn: true,
  },
  {
    words: /^the venue gave all of it back$/,
    sentence:
      'The venue filled nothing of it at its price or a better one: what it set aside is yours again.',
    isOwn: true,
  },
  {
    words: /^the venue gave the rest back$/,
    sentence: 'The venue filled a part of it and gave the rest back.',
    isOwn: true,
  },
  {
    words: /^no trusted book when the order arrived$/,
    sentence: 'The order book could not be relied on when it arrived.',
    isOwn: true,
  },
  {
    words: /^the book had not enough at its price when it arrived$/,
    sentence: 'The price had moved: when it arrived, the book had not enough left at its price.',
    isOwn: true,
  },
  {
    words: /^(?:the rest found no (?:seller|buyer)|the rest was not to be had)$/,
    sentence: REST_NOT_THERE,
    isOwn: true,
  },
  {
    words: /^the pool moved: fewer shares brought the sum/,
    sentence:
      'The pool moved in your favour: fewer shares brought the sum that was asked for, and the rest stays yours.',
    isOwn: true,
  },
  {
    words: /^\d+ orders rest on paper already$/,
    sentence: 'As many orders rest on paper already as may.',
    isOwn: true,
  },
  { words: /^cancelled by its agent$/, sentence: 'Its agent took it back.', isOwn: true },
  {
    words: /allowance is not enough|insufficient .*allowance/i,
    sentence:
      'Your wallet had not let the exchange take what the order spends; it does so before the next order.',
  },
  {
    words: /not enough balance|insufficient (?:funds|balance)/i,
    sentence: 'The venue finds too little money, or too few shares, for it in your account.',
  },
  {
    words: /^invalid$/i,
    sentence: 'The venue cancelled it, since what it would spend was no longer in your account.',
  },
  {
    words: /order_version_mismatch/i,
    sentence: 'The venue takes another version of orders than the one it was signed in.',
  },
  {
    words: /fully filled or killed|no orders found to match|order unmatched|order was not filled/i,
    sentence: 'Nothing in the book matched it at its price.',
  },
  {
    words: /post.only/i,
    sentence: 'The venue took only orders that rest at that time.',
  },
  { words: /cancel-only/i, sentence: 'The venue took nothing but cancels at that time.' },
  {
    words: /trading is currently disabled/i,
    sentence: 'The venue had switched trading off at that time.',
  },
  {
    words: /not yet ready to process/i,
    sentence: 'The venue had just listed the market and took no orders for it yet.',
  },
  {
    words: /trading (?:is )?restricted|geoblock/i,
    sentence: 'The venue takes no orders from where this service runs.',
  },
  {
    words: /lower than the minimum|minimum size|min size/i,
    sentence: 'It is smaller than the least order the venue takes.',
  },
  { words: /tick size/i, sentence: "Its price lies between two of the market's ticks." },
  { words: /rate limit|too many requests/i, sentence: 'The venue asked for slower calls.' },
];

/** What an order's explanation is made of; how it was to trade and what did where that is known. */
type ExplainedOrder = Pick<OrderRecord, 'state' | 'reason' | 'cancelWanted' | 'cancelledBy'> &
  Partial<Pick<OrderRecord, 'filledShares' | 'reversedShares'>> & {
    readonly intent?: Pick<OrderIntent, 'life'>;
  };

/**
 * Explains an order to people in one sentence; ids, addresses, figures in micros and what else a
 * venue writes stay in `venueReason`.
 */
export function explainOrder(order: ExplainedOrder): Reason {
  if (isCarriedOutLate(order)) return { reason: CARRIED_OUT_LATE, venueReason: order.reason };
  const ended = explainEnd(order);
  // one that never was says so itself
  const takenBack = order.state === 'rejected' ? null : explainTakenBack(order);
  if (takenBack === null) return ended;
  return { ...ended, reason: ended.reason === null ? takenBack : `${ended.reason} ${takenBack}` };
}

/** Of an order that its venue or its chain had refused for good, and that traded in the end. */
const CARRIED_OUT_LATE =
  'It had come to nothing at first, and was carried out after all: the chain took a block back and made it again. What it traded is in your portfolio.';

/** An end is not changed any more: what came after it is in the order's figures. */
function isCarriedOutLate({
  state,
  filledShares = shareMicros(0),
  reversedShares = shareMicros(0),
}: ExplainedOrder): boolean {
  return state === 'rejected' && filledShares > reversedShares;
}

/** What became of trades that were not final after all; its state tells what had been matched. */
function explainTakenBack({
  filledShares = shareMicros(0),
  reversedShares = shareMicros(0),
}: ExplainedOrder): string | null {
  if (reversedShares === 0) return null;
  const what = reversedShares < filledShares ? 'A part of what traded' : 'What traded';
  return `${what} was taken back, since its settlement failed or the chain removed its block: what was given for it is back.`;
}

function explainEnd({ reason, ...order }: ExplainedOrder): Reason {
  if (reason === null) return { reason: unexplained(order), venueReason: null };
  const known = meaningOf(MEANINGS, reason);
  if (known !== null) return known;
  return { reason: fallback(order.state), venueReason: reason };
}

/** Explains why the venue does not find funds that the ledger has; empty words say nothing. */
export function explainDispute(words: string): Reason {
  if (words === '') return { reason: null, venueReason: null };
  return (
    meaningOf(MEANINGS, words) ?? {
      reason: 'The venue refused an order for want of funds the ledger has.',
      venueReason: words,
    }
  );
}

/** An order that ended without a word, and not because its owner wanted it so. */
function unexplained({
  state,
  cancelWanted,
  cancelledBy,
  intent,
  filledShares = shareMicros(0),
}: Omit<ExplainedOrder, 'reason'>): string | null {
  if (state === 'unknown') return fallback(state);
  if (state === 'rejected') return 'The venue refused it without saying why.';
  if (state === 'expired') return 'Its time was over before all of it had traded.';
  if (state !== 'cancelled') return null;
  if (cancelWanted && cancelledBy === 'stop') return 'It was cancelled by a stop of trading.';
  if (cancelWanted) return 'It was cancelled as requested.';
  // What is to be had at once ends so: no venue says more of it.
  return intent?.life === 'part_now' && filledShares > 0
    ? REST_NOT_THERE
    : 'The venue cancelled it by itself, without saying why.';
}

function fallback(state: OrderRecord['state']): string {
  if (state === 'unknown')
    return "The venue's answer is missing; it is being asked what became of the order.";
  if (state === 'rejected') return 'The venue refused it.';
  if (state === 'expired') return 'Its time was over before all of it had traded.';
  return isTerminal(state) ? 'The venue ended it.' : 'It waits for the venue.';
}

import type { RowAlert } from './row-alerts.ts';

const DECIDED =
  "decided by the venue's word, or the chain's, by asking; nothing for a person to do";
const UNSAID =
  'the order says that it is under way, its money stays set aside, and the venue is asked until it says';
const TAKEN_BACK =
  'one fill taken back is reversed once and its owner notified; many open the breaker';
const REFUSED = 'its caller is answered why, and nothing was made';
const ORDINARY = 'an ordinary course of things at this venue';
const COUNTED = 'booked once, by its id; nothing for a person to do';
const REPAIRED = 'found and repaired within seconds';
const THROTTLED = 'where it lasts the alert of `rate-limited` rings, with the name of the venue';
const QUEUE =
  "the account's queue makes it again until the chain has it; one that has stopped rings";
const CLAIMED_AGAIN =
  'its owner is notified and it is claimed again; a market that stays unpaid rings as late payout';
const RESTARTING = 'where it lasts the alert of `engine-restart` rings, with the name of the venue';

/** Every row of venue_c with its alert, or the reason why no operator is called. */
export const VENUE_C_ROW_ALERTS: Readonly<Record<string, RowAlert>> = {
  'book-answer-late': { why: DECIDED },
  'book-answer-lost': { why: DECIDED },
  'known-client-id': { why: DECIDED },
  'edge-says-429': { why: THROTTLED },
  'edge-says-502': { why: DECIDED },
  'engine-not-ready': { why: RESTARTING },
  'engine-not-ready-for-long': { why: RESTARTING },
  'time-in-body': { why: DECIDED },
  'signature-stale': { why: DECIDED },
  'order-cut-on-the-way': { why: DECIDED },
  'status-says-429': { why: THROTTLED },
  'status-says-502': { why: UNSAID },
  'status-unsigned': { why: UNSAID },
  'status-without-answer': { why: UNSAID },
  'right-taken-back': { why: REFUSED },
  'taker-held-back': { why: ORDINARY },
  'taker-held-and-killed': { why: DECIDED },
  'offer-gone-before-arrival': { why: ORDINARY },
  'dearer-on-the-way': { why: ORDINARY },
  'killed-unheard': { why: DECIDED },
  'killed-before-arrival': { why: DECIDED },
  'matched-then-failed': { why: TAKEN_BACK },
  'retried-then-mined': { why: ORDINARY },
  'sale-failed': { why: TAKEN_BACK },
  'killed-while-settling': { why: TAKEN_BACK },
  'met-in-two-trades': { why: ORDINARY },
  'first-of-two-trades-failed': { why: TAKEN_BACK },
  'second-of-two-trades-failed': { why: TAKEN_BACK },
  'met-while-dead': { why: COUNTED },
  'met-as-it-is-cancelled': { why: COUNTED },
  'met-in-part-then-cancelled': { why: COUNTED },
  'cancel-unanswered': { why: DECIDED },
  'engine-stops-over-resting': { why: RESTARTING },
  'expires-here': { why: ORDINARY },
  'expired-while-dead': { why: ORDINARY },
  'market-ends-over-resting': { why: ORDINARY },
  'whole-books-doubled': { why: ORDINARY },
  'whole-book-missing': { why: REPAIRED },
  'last-book-missing': { why: REPAIRED },
  'books-cut': { why: REPAIRED },
  'no-book-to-be-had': { why: REFUSED },
  'own-orders-doubled': { why: COUNTED },
  'own-orders-missing': { why: REPAIRED },
  'signature-stale-on-reconnect': { why: REPAIRED },
  'right-lost': { why: QUEUE },
  'right-underpriced': { why: ORDINARY },
  'right-and-its-block-taken-back': { why: QUEUE },
  'killed-while-allowing': { why: QUEUE },
  'met-twice-at-once': { why: DECIDED },
  'pool-moved-against-purchase': { why: ORDINARY },
  'pool-may-take-nothing': { why: QUEUE },
  'pool-purchase-waits-too-long': { why: QUEUE },
  'pool-sale-lost': { why: QUEUE },
  'pool-purchase-underpriced': { why: ORDINARY },
  'pool-purchase-and-its-block-taken-back': { why: QUEUE },
  'pool-killed-after-sending': { why: QUEUE },
  'pool-killed-with-lost-transaction': { why: QUEUE },
  'pool-sale-and-its-block-taken-back': { why: QUEUE },
  'claim-lost': { why: QUEUE },
  'claim-underpriced': { why: ORDINARY },
  'claim-and-its-block-taken-back': { why: QUEUE },
  'claim-undone': { why: CLAIMED_AGAIN },
  'claim-killed': { why: QUEUE },
  'voided-pays-halves': { why: ORDINARY },
  'loser-is-paid-nothing': { why: ORDINARY },
};

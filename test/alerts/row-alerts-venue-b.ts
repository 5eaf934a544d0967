import type { RowAlert } from './row-alerts.ts';

const DECIDED = "decided by the chain's word, by asking; nothing for a person to do";
const UNSAID =
  'the order says that it is under way, its money stays set aside, and the venue is asked until it says';
const TAKEN_BACK =
  'one fill taken back is reversed once and its owner notified; many open the breaker';
const REFUSED = 'its caller is answered why, and nothing was made';
const RETURNED = 'its owner is notified of what the order got; what came back is free';
const ORDINARY = 'an ordinary course of things at this venue';
const REPAIRED = 'found and repaired within seconds';

const LASTS =
  'where it lasts the alert of `rate-limited` or `silent-stall` calls an operator, with the name of the venue';

/** Every row of venue_b with its alert, or the reason why no operator is called. */
export const VENUE_B_ROW_ALERTS: Readonly<Record<string, RowAlert>> = {
  'open-is-no-fill': { why: ORDINARY },
  'part-refunded': { why: RETURNED },
  'all-refunded': { why: RETURNED },
  'sale-refunded': { why: RETURNED },
  'quote-beside-book': { why: RETURNED },
  'price-moves-on-the-way': { why: RETURNED },
  'offer-expired': { why: REFUSED },
  'route-not-found': { why: REFUSED },
  'route-lags': { why: REFUSED },
  'router-lags': { why: REFUSED },
  'quotes-throttled': { why: LASTS },
  'quote-cut': { why: REFUSED },
  'quote-html': { why: REFUSED },
  'status-throttled': { why: LASTS },
  'status-lags': { why: UNSAID },
  'status-cut': { why: DECIDED },
  'status-html': { why: UNSAID },
  'transaction-lost': { why: DECIDED },
  'transaction-never-lands': { why: DECIDED },
  'send-unanswered': { why: DECIDED },
  'node-behind': { why: DECIDED },
  'opening-forked-away': { why: TAKEN_BACK },
  'opening-lands-again': { why: TAKEN_BACK },
  'fill-forked-away': { why: TAKEN_BACK },
  'refund-forked-away': { why: DECIDED },
  'wallet-unknown': { why: REFUSED },
  'wallet-forgotten': { why: REFUSED },
  'identity-down': { why: REFUSED },
  'no-sol': { why: REFUSED },
  'first-buy-makes-tokens': { why: ORDINARY },
  'no-sellers': { why: REFUSED },
  'below-one-contract': { why: REFUSED },
  'dollars-buy-whole-contracts': { why: RETURNED },
  'two-rails': { why: ORDINARY },
  'maintenance-begins': { why: REFUSED },
  'maintenance-over-open-order': { why: RETURNED },
  'market-pauses-over-open-order': { why: RETURNED },
  'market-paused': { why: REFUSED },
  'cancel-under-way': { why: REFUSED },
  'limit-met-in-part': { why: ORDINARY },
  'limit-met-and-reverted': { why: ORDINARY },
  'limit-met-and-lost': { why: DECIDED },
  'limit-cancelled-as-it-fires': { why: ORDINARY },
  'finer-steps': { why: ORDINARY },
  'killed-under-way': { why: DECIDED },
  'killed-unanswered': { why: DECIDED },
  'rail-opens-late': { why: ORDINARY },
  'redemption-not-routed': { why: ORDINARY },
  'redemption-lost': { why: DECIDED },
  'redemption-in-maintenance': { why: ORDINARY },
  'loser-pays-nothing': { why: ORDINARY },
  'frames-doubled': { why: ORDINARY },
  'stream-cut': { why: REPAIRED },
  'stream-stalls': { why: LASTS },
  'stream-stalls-over-limit': { why: LASTS },
  'reads-throttled': { why: LASTS },
  'reads-html': { why: REFUSED },
  'one-side-empty': { why: ORDINARY },
};

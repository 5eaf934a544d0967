/**
 * What has gone, or can go, wrong at venue_b and on its chain (venue_b.md sections 9, 13, 17 and
 * 21).
 */
export const VENUE_B_ROWS = [
  {
    name: 'open-is-no-fill',
    section: 'venue_b',
    right: 'under way, its money set aside, until fills say otherwise',
  },
  {
    name: 'part-refunded',
    section: 'venue_b',
    right: 'ends with what it got; the rest is free once',
  },
  {
    name: 'all-refunded',
    section: 'venue_b',
    right: 'closed is not filled: ends with nothing, nothing spent',
  },
  {
    name: 'sale-refunded',
    section: 'venue_b',
    right: 'ends with nothing; the contracts can be sold again',
  },
  { name: 'quote-beside-book', section: 'venue_b', right: 'comes to nothing; nothing spent' },
  {
    name: 'price-moves-on-the-way',
    section: 'venue_b',
    right: 'never dearer than agreed: all of it comes back',
  },
  { name: 'offer-expired', section: 'venue_b', right: 'not signed, refused as retryable' },
  {
    name: 'route-not-found',
    section: 'venue_b',
    right: 'refused as no liquidity, nothing made; the next one trades',
  },
  {
    name: 'route-lags',
    section: 'venue_b',
    right: 'refused as unavailable, nothing made; the next one trades',
  },
  {
    name: 'router-lags',
    section: 'venue_b',
    right: 'refused as unavailable, nothing made; the next one trades',
  },
  {
    name: 'quotes-throttled',
    section: 'venue_b',
    right: 'refused with a wait, nothing made; the next one trades',
  },
  {
    name: 'quote-cut',
    section: 'venue_b',
    right: 'nothing was signed, so nothing is doubtful; the next one trades',
  },
  {
    name: 'quote-html',
    section: 'venue_b',
    right: 'refused as unavailable, no JSON assumed; the next one trades',
  },
  {
    name: 'status-throttled',
    section: 'venue_b',
    right: 'nothing concluded while the venue does not say, one attempt',
  },
  {
    name: 'status-lags',
    section: 'venue_b',
    right: 'nothing concluded while the venue does not say, one attempt',
  },
  {
    name: 'status-cut',
    section: 'venue_b',
    right: 'nothing concluded while the venue does not say, one attempt',
  },
  { name: 'status-html', section: 'venue_b', right: 'nothing concluded from a page, one attempt' },
  { name: 'transaction-lost', section: 'venue_b', right: 'the same bytes again; one order' },
  {
    name: 'transaction-never-lands',
    section: 'venue_b',
    right: 'proven never to land, then one more offer for the same intent',
  },
  { name: 'send-unanswered', section: 'venue_b', right: 'found by its signature; one order' },
  {
    name: 'node-behind',
    section: 'venue_b',
    right: 'nothing concluded from a node that does not know yet',
  },
  {
    name: 'opening-forked-away',
    section: 'venue_b',
    right: 'its fill taken back once, money free, nothing sent anew',
  },
  {
    name: 'opening-lands-again',
    section: 'venue_b',
    right: 'the first fill taken back once, the second booked once',
  },
  {
    name: 'fill-forked-away',
    section: 'venue_b',
    right: 'the first fill taken back once, the second booked once',
  },
  {
    name: 'refund-forked-away',
    section: 'venue_b',
    right: 'has not ended before that is final; filled as it then was',
  },
  {
    name: 'wallet-unknown',
    section: 'venue_b',
    right: 'refused before an offer is asked for; trades once it is known',
  },
  {
    name: 'wallet-forgotten',
    section: 'venue_b',
    right: 'purchases refused, sales and payouts go on',
  },
  { name: 'identity-down', section: 'venue_b', right: 'not guessed; not asked again once known' },
  {
    name: 'no-sol',
    section: 'venue_b',
    right: 'refused with that reason before an offer is asked for',
  },
  {
    name: 'first-buy-makes-tokens',
    section: 'venue_b',
    right: 'its cost in SOL paid, and no more than it may',
  },
  {
    name: 'no-sellers',
    section: 'venue_b',
    right: 'no offer asked for where its side has no ask',
  },
  { name: 'below-one-contract', section: 'venue_b', right: 'refused before an offer is asked for' },
  {
    name: 'dollars-buy-whole-contracts',
    section: 'venue_b',
    right: 'whole contracts bought, the rest free',
  },
  { name: 'two-rails', section: 'venue_b', right: 'only the rail of USDC' },
  {
    name: 'maintenance-begins',
    section: 'venue_b',
    right: 'purchases refused, limits wait and fire after it',
  },
  { name: 'maintenance-over-open-order', section: 'venue_b', right: 'all of it comes back, once' },
  {
    name: 'market-pauses-over-open-order',
    section: 'venue_b',
    right: 'all of it comes back, once',
  },
  {
    name: 'market-paused',
    section: 'venue_b',
    right: 'nothing made; limits wait and fire after it',
  },
  { name: 'cancel-under-way', section: 'venue_b', right: 'refused: it ends by itself' },
  {
    name: 'limit-met-in-part',
    section: 'venue_b',
    right: 'rests again with what is left, then the rest; one attempt at a time',
  },
  {
    name: 'limit-met-and-reverted',
    section: 'venue_b',
    right: 'rests again after a pause; one attempt at a time',
  },
  {
    name: 'limit-met-and-lost',
    section: 'venue_b',
    right: 'another attempt after the proof, not before',
  },
  {
    name: 'limit-cancelled-as-it-fires',
    section: 'venue_b',
    right: 'its fill counts, no other attempt follows',
  },
  {
    name: 'finer-steps',
    section: 'venue_b',
    right: '0.97 trades at 0.97 or better, never a tenth of a cent dearer',
  },
  { name: 'killed-under-way', section: 'venue_b', right: 'found by its signature after the start' },
  { name: 'killed-unanswered', section: 'venue_b', right: 'the same bytes again after the start' },
  {
    name: 'rail-opens-late',
    section: 'venue_b',
    right: 'asked again until the rail is open; paid once',
  },
  { name: 'redemption-not-routed', section: 'venue_b', right: 'asked again; paid once' },
  {
    name: 'redemption-lost',
    section: 'venue_b',
    right: 'proven never to land, then again; paid once',
  },
  { name: 'redemption-in-maintenance', section: 'venue_b', right: 'paid all the same, once' },
  { name: 'loser-pays-nothing', section: 'venue_b', right: 'ends at zero; no offer asked for' },
  { name: 'frames-doubled', section: 'venue_b', right: 'the book is right, once' },
  {
    name: 'stream-cut',
    section: 'venue_b',
    right: 'another socket, and what was missed is asked for',
  },
  { name: 'stream-stalls', section: 'venue_b', right: 'current by asking, or not trusted' },
  {
    name: 'stream-stalls-over-limit',
    section: 'venue_b',
    right: 'the limit fires by what is asked for',
  },
  { name: 'reads-throttled', section: 'venue_b', right: 'no order by an unanswered book' },
  { name: 'reads-html', section: 'venue_b', right: 'no order by a page' },
  {
    name: 'one-side-empty',
    section: 'venue_b',
    right: 'valid books, both of one side and of none',
  },
] as const;

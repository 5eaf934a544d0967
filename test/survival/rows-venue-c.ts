/**
 * What has gone, or can go, wrong at venue_c and on its chain (venue_c.md sections 2, 3 and 8 to
 * 14).
 */
export const VENUE_C_ROWS = [
  {
    name: 'book-answer-late',
    section: 'venue_c',
    right: 'one order, found by its own id before the answer is there',
  },
  { name: 'book-answer-lost', section: 'venue_c', right: 'one order, found by its own id' },
  { name: 'known-client-id', section: 'venue_c', right: '409 is no refusal: looked up, one order' },
  {
    name: 'edge-says-429',
    section: 'venue_c',
    right: 'HTML or not: the same bytes a little later; one order',
  },
  {
    name: 'edge-says-502',
    section: 'venue_c',
    right: 'unknown until asked, then the same bytes; one order',
  },
  {
    name: 'engine-not-ready',
    section: 'venue_c',
    right: '425: the same bytes once it is; one order',
  },
  {
    name: 'engine-not-ready-for-long',
    section: 'venue_c',
    right: 'given up in its time, money free, nothing sent later',
  },
  {
    name: 'time-in-body',
    section: 'venue_c',
    right: 'the other 425 waits for no maintenance: the same bytes, which have no time in them',
  },
  {
    name: 'signature-stale',
    section: 'venue_c',
    right: 'the call is signed anew, the order is not; one order',
  },
  { name: 'order-cut-on-the-way', section: 'venue_c', right: 'the same bytes again; one order' },
  {
    name: 'status-says-429',
    section: 'venue_c',
    right: 'nothing concluded while the venue does not say, one attempt',
  },
  {
    name: 'status-says-502',
    section: 'venue_c',
    right: 'nothing concluded from a page, one attempt',
  },
  {
    name: 'status-unsigned',
    section: 'venue_c',
    right: 'nothing concluded while the venue does not say, one attempt',
  },
  {
    name: 'status-without-answer',
    section: 'venue_c',
    right: 'nothing concluded while the venue does not say, one attempt',
  },
  {
    name: 'right-taken-back',
    section: 'venue_c',
    right: 'signed once more, the right asked for first; filled whole',
  },
  {
    name: 'taker-held-back',
    section: 'venue_c',
    right: 'held, its money set aside, until the venue matches it',
  },
  {
    name: 'taker-held-and-killed',
    section: 'venue_c',
    right: 'found by its own id after the start; one order',
  },
  {
    name: 'offer-gone-before-arrival',
    section: 'venue_c',
    right: 'comes to nothing, nothing spent',
  },
  {
    name: 'dearer-on-the-way',
    section: 'venue_c',
    right: 'what there is at its price, the rest free',
  },
  {
    name: 'killed-unheard',
    section: 'venue_c',
    right: 'found by its own id after the start; one order',
  },
  {
    name: 'killed-before-arrival',
    section: 'venue_c',
    right: 'as the venue has it after the start; never two',
  },
  {
    name: 'matched-then-failed',
    section: 'venue_c',
    right: 'its fill taken back once, money free',
  },
  {
    name: 'retried-then-mined',
    section: 'venue_c',
    right: 'not final while it is tried again; once, by the transaction that was mined',
  },
  { name: 'sale-failed', section: 'venue_c', right: 'the shares are held again and can be sold' },
  {
    name: 'killed-while-settling',
    section: 'venue_c',
    right: 'its fill taken back once after the start',
  },
  {
    name: 'met-in-two-trades',
    section: 'venue_c',
    right: 'both final, though the venue states only how the newest is settled',
  },
  {
    name: 'first-of-two-trades-failed',
    section: 'venue_c',
    right: 'the first taken back, the second final',
  },
  {
    name: 'second-of-two-trades-failed',
    section: 'venue_c',
    right: 'the first final, the second taken back',
  },
  { name: 'met-while-dead', section: 'venue_c', right: 'booked once after the start' },
  { name: 'met-as-it-is-cancelled', section: 'venue_c', right: 'its fill counts' },
  {
    name: 'met-in-part-then-cancelled',
    section: 'venue_c',
    right: 'its part counts, the rest is free',
  },
  { name: 'cancel-unanswered', section: 'venue_c', right: 'asked about, then ended; money free' },
  {
    name: 'engine-stops-over-resting',
    section: 'venue_c',
    right: 'a cancel that is refused ends nothing; what it then trades counts',
  },
  {
    name: 'expires-here',
    section: 'venue_c',
    right: 'the venue knows no expiry: cancelled by the service in its time',
  },
  { name: 'expired-while-dead', section: 'venue_c', right: 'cancelled after the start' },
  {
    name: 'market-ends-over-resting',
    section: 'venue_c',
    right: 'ends with the market, money free',
  },
  { name: 'whole-books-doubled', section: 'venue_c', right: 'the book is right, once' },
  { name: 'whole-book-missing', section: 'venue_c', right: 'the next one replaces it whole' },
  { name: 'last-book-missing', section: 'venue_c', right: 'current by asking, or not trusted' },
  {
    name: 'books-cut',
    section: 'venue_c',
    right: 'another socket, and what was missed is asked for',
  },
  { name: 'no-book-to-be-had', section: 'venue_c', right: 'no order without a book' },
  { name: 'own-orders-doubled', section: 'venue_c', right: 'booked once' },
  { name: 'own-orders-missing', section: 'venue_c', right: 'found by asking, booked once' },
  {
    name: 'signature-stale-on-reconnect',
    section: 'venue_c',
    right: 'another socket, signed anew; nothing missed',
  },
  {
    name: 'right-lost',
    section: 'chain 8453',
    right: 'the same right again; one right, one order',
  },
  {
    name: 'right-underpriced',
    section: 'chain 8453',
    right: 'paid what it takes; one right, one order',
  },
  {
    name: 'right-and-its-block-taken-back',
    section: 'chain 8453',
    right: 'given once, and the order settled once',
  },
  {
    name: 'killed-while-allowing',
    section: 'chain 8453',
    right: 'goes on after the start; one right, one order',
  },
  {
    name: 'met-twice-at-once',
    section: 'chain 8453',
    right: 'which trade its status is of is not stated; each is settled by the chain’s own word',
  },
  {
    name: 'pool-moved-against-purchase',
    section: 'chain 8453',
    right: 'never dearer than accepted: nothing bought, money free',
  },
  {
    name: 'pool-may-take-nothing',
    section: 'chain 8453',
    right: 'refused by the chain, then with the right given anew',
  },
  {
    name: 'pool-purchase-waits-too-long',
    section: 'chain 8453',
    right: 'its right comes too late: nothing is bought after its time, money free',
  },
  { name: 'pool-sale-lost', section: 'chain 8453', right: 'the same bytes again; sold once' },
  {
    name: 'pool-purchase-underpriced',
    section: 'chain 8453',
    right: 'paid what it takes; bought once',
  },
  {
    name: 'pool-purchase-and-its-block-taken-back',
    section: 'chain 8453',
    right: 'bought once, as the chain then has it',
  },
  {
    name: 'pool-killed-after-sending',
    section: 'chain 8453',
    right: 'found in the queue after the start; bought once',
  },
  {
    name: 'pool-killed-with-lost-transaction',
    section: 'chain 8453',
    right: 'the same bytes again after the start; sold once',
  },
  {
    name: 'pool-sale-and-its-block-taken-back',
    section: 'chain 8453',
    right: 'sold once, as the chain then has it',
  },
  { name: 'claim-lost', section: 'chain 8453', right: 'the same bytes again; paid once' },
  { name: 'claim-underpriced', section: 'chain 8453', right: 'paid what it takes; paid once' },
  {
    name: 'claim-and-its-block-taken-back',
    section: 'chain 8453',
    right: 'paid once, as the chain then has it',
  },
  {
    name: 'claim-undone',
    section: 'chain 8453',
    right: 'taken out of the books with its block, then claimed again; paid once',
  },
  { name: 'claim-killed', section: 'chain 8453', right: 'goes on after the start; paid once' },
  { name: 'voided-pays-halves', section: 'chain 8453', right: 'half a dollar a share, once' },
  { name: 'loser-is-paid-nothing', section: 'chain 8453', right: 'ends at zero' },
] as const;

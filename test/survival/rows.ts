import { VENUE_B_ROWS } from './rows-venue-b.ts';
import { VENUE_C_ROWS } from './rows-venue-c.ts';

/** Where a row belongs: those of venue_b, venue_c and its chain are in their own. */
export type Section =
  | 'submitting'
  | 'filling'
  | 'ending'
  | 'market-data'
  | 'service'
  | 'venue_b'
  | 'venue_c'
  | 'chain 8453';

/** A case that has gone wrong for a user, and what is right. */
export interface SurvivalRow {
  readonly name: string;
  readonly section: Section;
  /** What right looks like, in a sentence. */
  readonly right: string;
}

/**
 * Every row there is, in order. Rows are added, never dropped. What an operator hears of each:
 * test/alerts/row-alerts.ts.
 */
export const ROWS = [
  {
    name: 'late-ack',
    section: 'submitting',
    right: 'one order; unknown until asked by id, then live or matched',
  },
  {
    name: 'lost-ack',
    section: 'submitting',
    right: 'one order; unknown until asked by id, then live or matched',
  },
  {
    name: 'late-book',
    section: 'submitting',
    right: 'adopted when it appears; nothing new placed meanwhile',
  },
  {
    name: 'refused-silently',
    section: 'submitting',
    right: 'decided "not there" only by the venue\'s word, then the same bytes again',
  },
  {
    name: 'retry-duplicated',
    section: 'submitting',
    right: 'looked up, never taken as success or failure by itself',
  },
  { name: 'success-without-id', section: 'submitting', right: 'rejected with that text' },
  { name: 'batch-leg-empty', section: 'submitting', right: 'that leg rejected, the others kept' },
  {
    name: 'fok-stuck-live',
    section: 'submitting',
    right: 'not counted as exposure once the venue decides; no second order',
  },
  {
    name: 'delayed-then-matched',
    section: 'submitting',
    right: 'waits; cancel refused with a clear reason',
  },
  { name: 'delayed-then-dead', section: 'submitting', right: 'reservation released once' },
  { name: 'trade-before-response', section: 'submitting', right: 'one fill, one order' },
  {
    name: 'engine-restart',
    section: 'submitting',
    right: 'backs off, then re-reads the book of open orders',
  },
  {
    name: 'post-only-window',
    section: 'submitting',
    right: 'marketable orders wait, cancels go through',
  },
  { name: 'cancel-only', section: 'submitting', right: 'no new orders, cancels go through' },
  { name: 'rate-limited', section: 'submitting', right: 'waits; no JSON assumed' },
  {
    name: 'geoblocked',
    section: 'submitting',
    right: 'trading stops with a clear state, data goes on',
  },
  { name: 'balance-cache-stale', section: 'submitting', right: 'refreshes once, then believes it' },
  {
    name: 'phantom-reservation',
    section: 'submitting',
    right: "pauses that user's trading with an alert, no hammering",
  },
  {
    name: 'order-version-mismatch',
    section: 'submitting',
    right: 're-reads the version, signs a new intent, never loops',
  },

  {
    name: 'ghost-fill',
    section: 'filling',
    right: 'provisional position reversed exactly once; no hedge, no re-buy before the end',
  },
  { name: 'retrying-then-confirmed', section: 'filling', right: 'one settlement' },
  { name: 'confirmed-then-replayed-matched', section: 'filling', right: 'ignored' },
  { name: 'duplicate-trade', section: 'filling', right: 'counted once' },
  { name: 'several-fills-one-tx', section: 'filling', right: 'each counted' },
  { name: 'split-match', section: 'filling', right: 'all counted, one order' },
  { name: 'maker-other-token', section: 'filling', right: 'right side, right price (1 − p)' },
  { name: 'maker-entries-of-others', section: 'filling', right: 'only ours counted' },
  { name: 'overfill-dust', section: 'filling', right: 'accepted as dust, books balance' },
  {
    name: 'underfill-dust',
    section: 'filling',
    right: "closed by the venue's word, not by equality",
  },
  { name: 'zero-price-level', section: 'filling', right: 'dropped and counted' },
  { name: 'sell-before-confirmed', section: 'filling', right: 'waits for settlement' },
  {
    name: 'balance-drops-elsewhere',
    section: 'filling',
    right: 'order ends cancelled, agent told',
  },
  {
    name: 'reverted-35-percent',
    section: 'filling',
    right: 'breaker opens, an alert fires, books balance',
  },

  { name: 'fill-races-cancel', section: 'ending', right: 'fill wins, counted once' },
  {
    name: 'cancel-already-gone',
    section: 'ending',
    right: 'asked by id before anything is concluded',
  },
  {
    name: 'cancel-before-id',
    section: 'ending',
    right: 'cancelled as soon as the id is known to exist',
  },
  { name: 'reason-suffix', section: 'ending', right: 'understood as cancelled, reason kept' },
  { name: 'gtd-early', section: 'ending', right: 'ends as expired' },
  { name: 'heartbeat-lost', section: 'ending', right: 'seen, orders end, agents told' },
  { name: 'market-resolved-silently', section: 'ending', right: 'found by polling' },
  { name: 'resolved-fifty-fifty', section: 'ending', right: 'redeemed at 0.5' },

  {
    name: 'silent-stall',
    section: 'market-data',
    right:
      "found within 5 s on an active market by its sibling's activity or REST; book untrusted; no alarm on a quiet market",
  },
  { name: 'no-snapshot', section: 'market-data', right: 'REST book after 2 s, new socket' },
  {
    name: 'gap',
    section: 'market-data',
    right: 'top-of-book checksum finds it, book refetched, untrusted meanwhile',
  },
  {
    name: 'tick-change',
    section: 'market-data',
    right: 'new epoch: book dropped, deltas ignored until the snapshot',
  },
  { name: 'one-sided, empty', section: 'market-data', right: 'valid book, no division by nothing' },
  { name: 'crossed', section: 'market-data', right: 'refetched' },
  { name: 'mirror-broken', section: 'market-data', right: 'untrusted, alert' },
  { name: 'non-json-frame', section: 'market-data', right: 'ignored and counted' },
  { name: 'object-or-array', section: 'market-data', right: 'both' },
  {
    name: 'time-backwards',
    section: 'market-data',
    right: 'order of arrival kept, age computed on the newest',
  },
  { name: 'too-many-tokens', section: 'market-data', right: 'sharded below it' },
  { name: 'late-hydration', section: 'market-data', right: 'retried, never cached as absent' },
  { name: 'stale-listing', section: 'market-data', right: 'price never taken from it' },
  {
    name: 'late-strike',
    section: 'market-data',
    right: 'own capture of the settlement feed, then compared',
  },
  { name: 'schema-drift', section: 'market-data', right: 'rejected loudly at the edge, alarm' },

  { name: 'kill-anywhere', section: 'service', right: 'same end state as without it' },
  { name: 'two-daemons', section: 'service', right: 'refused, or fenced at the signer' },
  { name: 'crash-loop', section: 'service', right: 'one daily loss budget, not a thousand' },
  { name: 'disk-full', section: 'service', right: 'nothing sent, clear alarm, reads go on' },
  { name: 'clock-jump', section: 'service', right: 'deadlines hold, no double round' },
  { name: 'slow-reader', section: 'service', right: 'others unaffected, it resynchronises' },
  { name: 'storm', section: 'service', right: 'all current again in 2 s' },
  { name: 'poisoned-title', section: 'service', right: 'no money moves by it' },

  ...VENUE_B_ROWS,
  ...VENUE_C_ROWS,
] as const satisfies readonly SurvivalRow[];

/** Name of a row. */
export type RowName = (typeof ROWS)[number]['name'];

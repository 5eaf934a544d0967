import { VENUE_B_ROW_ALERTS } from './row-alerts-venue-b.ts';

/** What an operator hears of a survival row: the alert it raises, or why none. */
export type RowAlert = { readonly alert: string } | { readonly why: string };

const DECIDED = "decided by the venue's word within seconds, by asking; nothing for a person to do";
const COUNTED = 'booked once, by its id; nothing for a person to do';
const REPAIRED =
  'found and repaired by REST within seconds; only repeated silence or contradiction is for people';
const ORDINARY = 'an ordinary message of the venue';

/**
 * Every row with its alert (`config/prometheus/rules/predictd.yml`), or the reason
 * why nobody is called: an alert asks a person to look, so what heals by itself within seconds
 * raises none, and what a user alone did is told to that user.
 */
export const ROW_ALERTS: Readonly<Record<string, RowAlert>> = {
  'late-ack': { why: DECIDED },
  'lost-ack': { why: DECIDED },
  'late-book': { why: DECIDED },
  'refused-silently': { why: DECIDED },
  'retry-duplicated': { why: DECIDED },
  'success-without-id': {
    why: "the order is rejected with the venue's text, which its owner reads",
  },
  'batch-leg-empty': { why: 'orders go out one by one' },
  'fok-stuck-live': { why: DECIDED },
  'delayed-then-matched': { why: ORDINARY },
  'delayed-then-dead': { why: ORDINARY },
  'trade-before-response': { why: COUNTED },
  'engine-restart': { alert: 'VenueRestarting' },
  'post-only-window': { alert: 'VenuePostOnly' },
  'cancel-only': { alert: 'VenueCancelOnly' },
  'rate-limited': { alert: 'VenueThrottles' },
  geoblocked: { alert: 'VenueRestricted' },
  'balance-cache-stale': { why: "one refresh of the venue's cache heals it" },
  'phantom-reservation': { alert: 'FundsDisputed' },
  'order-version-mismatch': { alert: 'OrderVersionMismatch' },
  'ghost-fill': {
    why: 'one trade taken back is reversed once and told to its owner; many of them are reverted-35-percent',
  },
  'retrying-then-confirmed': { why: ORDINARY },
  'confirmed-then-replayed-matched': { why: COUNTED },
  'duplicate-trade': { why: COUNTED },
  'several-fills-one-tx': { why: ORDINARY },
  'split-match': { why: ORDINARY },
  'maker-other-token': { why: ORDINARY },
  'maker-entries-of-others': { why: ORDINARY },
  'overfill-dust': { why: COUNTED },
  'underfill-dust': { why: DECIDED },
  'zero-price-level': { why: 'the level is dropped and counted; the book is whole without it' },
  'sell-before-confirmed': { why: 'the sale waits for the settlement' },
  'balance-drops-elsewhere': { alert: 'MoneyMismatched' },
  'reverted-35-percent': { alert: 'SettlementBreakerOpen' },
  'fill-races-cancel': { why: COUNTED },
  'cancel-already-gone': { why: DECIDED },
  'cancel-before-id': { why: DECIDED },
  'reason-suffix': { why: ORDINARY },
  'gtd-early': { why: 'the order ends as expired, a minute early' },
  'heartbeat-lost': { alert: 'OrdersEndedUnasked' },
  'market-resolved-silently': { why: 'found by polling' },
  'resolved-fifty-fifty': { why: 'redeemed at what the venue pays' },
  'silent-stall': { alert: 'BooksUntrusted' },
  'no-snapshot': { why: REPAIRED },
  gap: { why: REPAIRED },
  'tick-change': { why: ORDINARY },
  'one-sided, empty': { why: ORDINARY },
  crossed: { why: REPAIRED },
  'mirror-broken': { alert: 'BookMirrorBroken' },
  'non-json-frame': { why: ORDINARY },
  'object-or-array': { why: ORDINARY },
  'time-backwards': { why: ORDINARY },
  'too-many-tokens': { why: 'sockets are shared out below the bound, so it cannot come up' },
  'late-hydration': { why: 'asked again until it is there; agents enter later or not at all' },
  'stale-listing': { why: 'no price is taken from listings' },
  'late-strike': { alert: 'StrikeContradicted' },
  'schema-drift': { alert: 'VenueSchemaDrift' },
  'kill-anywhere': { why: 'one start heals it; many are a crash loop' },
  'two-daemons': {
    why: 'the second one is refused at its start, with a sentence and exit code 2: its supervisor tells; the first goes on',
  },
  'crash-loop': { alert: 'CrashLoop' },
  'disk-full': { alert: 'StoreUnavailable' },
  'clock-jump': { alert: 'ClockStepped' },
  'slow-reader': { why: 'that client is closed and resynchronises; nobody else notices' },
  storm: { why: 'all are current again within seconds' },
  'poisoned-title': { why: 'no money moves by it; the receipt says what was read' },
  ...VENUE_B_ROW_ALERTS,
};

/** Alerts that belong to no row: the service's own health. */
export const SERVICE_ALERTS: readonly string[] = [
  'MarketVersionUnsupported',
  'ServiceDown',
  'LedgerOutOfBalance',
  'ChainUnavailable',
  'TransactionQueueStopped',
  'DepositsUnproven',
  'OffersRefused',
  'FeedStale',
  'UsersUnseen',
  'StoreFallsBehind',
  'FaultLogged',
  'EventLoopBlocked',
  'MetricSeriesDropped',
];

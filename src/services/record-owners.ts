import { slotOf } from '../domain/slot.ts';
import type { Key } from '../ports/store.ts';

/**
 * Whose a record is: the user whose id is this part of its key, where a part that is no user's id
 * is the service's; `record`, whom the record itself names as `userId`; `all`, the service's, which
 * both shards of a split keep. The others are found by `slotOfRecord`, or by who asks.
 */
type OwnerRule =
  | 0
  | 1
  | 'record'
  | 'all'
  | 'account'
  | 'entry'
  | 'challenge'
  | 'ending'
  | 'key'
  | 'session'
  | 'wallet';

/** Whose the records of tables are, by the name of the table. */
export type TableOwners = Readonly<Record<string, OwnerRule>>;

/**
 * Every table but those of venues, with whose its records are. Those that are found by another
 * record come before that: forgetting goes in this order. Paper trading has tables of its own of
 * the same kinds.
 */
export const RECORD_OWNERS = {
  // Orders, money and positions.
  balances: 'account',
  ledger_entries: 'entry',
  orders: 0,
  order_ids: 'record',
  open_orders: 0,
  market_orders: 0,
  order_keys: 0,
  fills: 0,
  open_fills: 0,
  token_fills: 0,
  user_fills: 0,
  open_holds: 0,
  positions: 0,
  position_times: 0,
  open_positions: 1,
  agent_results: 0,
  venue_results: 0,
  risk: 0,
  agent_risk: 0,
  user_caps: 0,
  funds_disputes: 0,
  wallet_mismatches: 0,
  adoptions: 0,
  equity_samples: 0,
  idempotency_keys: 0,
  idempotency_expiry: 1,
  // Of markets, and of the operator.
  traded_markets: 'all',
  resolutions: 'all',
  venue_access: 'all',
  restores: 'all',
  // ['all'], ['user' or 'self', userId]; ['operator', venueId], ['user', userId, venueId].
  stops: 1,
  stop_sweeps: 1,
  breakers: 1,
  // Agents, of which shadow runs are no user's.
  agents: 0,
  agent_markets: 0,
  unwinds: 0,
  decisions: 0,
  enabled_periods: 0,
  signal_receipts: 'all',
  farm_assessments: 'all',
  farm_assessment_ages: 'all',
  'paper.exchange': 0,
  'paper.exchange_resting': 0,
  'paper.pairs': 0,
  'paper.open_pairs': 0,
  'paper.comparisons': 0,
  // What goes to chains, and what comes from there.
  transactions: 0,
  open_transactions: 0,
  payments: 1,
  transaction_keys: 0,
  daily_out: 0,
  safes: 0,
  swaps: 0,
  open_swaps: 0,
  possible_refunds: 0,
  launches: 0,
  images: 0,
  registry_records: 0,
  added_tokens: 0,
  arrivals: 0,
  departures: 0,
  redeemed_transfers: 0,
  redeemed_payouts: 0,
  redemptions: 0,
  token_arrivals: 0,
  token_arrival_times: 0,
  unknown_tokens: 0,
  waiting_arrivals: 1,
  coin_marks: 1,
  wallet_marks: 0,
  deposit_addresses: 0,
  deposits: 0,
  open_deposits: 0,
  deposit_credits: 0,
  deposit_watches: 0,
  // Up to where chains were read, for all users at once.
  arrival_marks: 'all',
  chain_cursors: 'all',
  // Notifications.
  notification_choices: 0,
  notifications: 0,
  notification_books: 0,
  notified: 0,
  push_subscriptions: 0,
  push_endpoints: 'record',
  push_queue: 'record',
  push_sending: 'record',
  // API keys, and what their callers ask.
  api_key_prefixes: 'record',
  api_key_uses: 'key',
  api_key_spends: 'key',
  api_key_activity: 'key',
  api_key_questions: 0,
  api_key_consents: 'record',
  api_keys: 0,
  confirmations: 0,
  confirmation_names: 0,
  // Sign-in. Limits of phones and addresses go on in both, and end by themselves.
  challenges: 'challenge',
  phones: 'all',
  code_askers: 0,
  send_counts: 'all',
  login_attempts: 'all',
  sign_in_expiry: 'ending',
  refresh_tokens: 'session',
  refresh_token_families: 'record',
  user_refresh_token_families: 0,
  user_phones: 'record',
  user_identities: 'record',
  usernames: 'record',
  removed_addresses: 'record',
  key_exports: 0,
  wallet_keys: 0,
  // [userId], and ['service'].
  data_keys: 0,
  users: 0,
  // The service's own secrets, which tokens and messages of before the split are checked by.
  identity_secrets: 'all',
  signing_keys: 'all',
  vapid_keys: 'all',
  // Of the journal, which both have up to the split.
  journal_tree: 'all',
  journal_tree_anchor: 'all',
  store_probes: 'all',
} as const satisfies TableOwners;

/** Finds whose a record is by other records; null of users who are not sought. */
export interface OwnerLookups {
  keyOwner(keyId: string): string | null;
  sessionOwner(familyId: string): string | null;
  walletOwner(address: string): string | null;
}

/** Returns the slot whose user has a record of a table; null where it is the service's. */
export function slotOfRecord(
  rule: OwnerRule,
  { key, value }: { readonly key: Key; readonly value: unknown },
  lookups: OwnerLookups,
): number | null {
  const [first = '', second = '', third = ''] = key.map(String);
  switch (rule) {
    case 0:
    case 'account':
      return userSlot(first);
    case 1:
      return userSlot(second);
    case 'record':
      return userSlot(textIn(value, 'userId'));
    case 'entry':
      return slotOfEntry(value);
    case 'challenge':
      return slotOf(first);
    case 'ending':
      // [atMs, kind, ...key of the record that ends].
      return second === 'challenge' ? slotOf(third) : userSlot(third);
    case 'key':
      return userSlot(lookups.keyOwner(first) ?? '');
    case 'session':
      return userSlot(lookups.sessionOwner(first) ?? '');
    case 'wallet':
      return userSlot(lookups.walletOwner(first) ?? '');
    case 'all':
      return null;
  }
}

/** An entry is one user's: the others in it are the venue, its fee box, and the world outside. */
function slotOfEntry(value: unknown): number | null {
  const postings: unknown = Object(value).postings;
  if (!Array.isArray(postings)) return null;
  const owners = postings.map((posting: unknown) => userSlot(textIn(posting, 'owner')));
  return owners.find((slot) => slot !== null) ?? null;
}

/** Other text, a digest of a phone, say, may resemble an id that names a slot. */
function userSlot(id: string): number | null {
  return id.startsWith('usr_') ? slotOf(id) : null;
}

function textIn(value: unknown, name: string): string {
  const found: unknown = Object(value)[name];
  return typeof found === 'string' ? found : '';
}

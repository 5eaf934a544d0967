import type { Random } from '../ports/random.ts';

/** Every fault the sandbox can produce by name, and what it does (reference: survival.md). */
export const FAULTS = {
  'late-ack':
    'POST /order(s): the order is taken, the answer leaves `delayMs` later (default 8 s).',
  'lost-ack': 'POST /order(s): the order is taken, the connection is cut instead of an answer.',
  'late-book':
    'POST /order(s): the connection is cut at once, the order is booked `delayMs` later (default 3 s), after a cancel-all if there is one.',
  'refused-silently': 'The connection is reset before the request is looked at.',
  'retry-duplicated':
    'POST /order(s): the order is taken, the answer says `Duplicated` (pool venue: 409), as after a copy made on the way.',
  'success-without-id':
    'POST /order(s): HTTP 200 with `success: true`, no order id and an error text; nothing is taken.',
  'batch-leg-empty': 'POST /orders: the first leg is not taken and comes back without an id.',
  'fok-stuck-live': 'A killed FOK is shown as LIVE by /data/order for `delayMs` (default 3 s).',
  'delayed-then-matched':
    'A marketable order is held `delayMs` (default 250 ms), then matched; it cannot be cancelled meanwhile.',
  'delayed-then-dead': 'A marketable order is held `delayMs` (default 250 ms), then killed.',
  'trade-before-response':
    'POST /order(s): the answer leaves `delayMs` (default 500 ms) after the socket has published the fill.',
  'engine-restart': 'Every order route answers 425 `service not ready`.',
  'post-only-window':
    'Orders that are not post-only answer 503 with code `post_only_mode` and Retry-After; cancels work.',
  'cancel-only': 'New orders answer 503 cancel-only; cancels work.',
  'trading-disabled': 'Orders and cancels answer 503 disabled.',
  'rate-limited': 'Any REST call answers 429 with Retry-After and a JSON body.',
  'rate-limited-html': 'Any REST call answers 429 with an HTML page.',
  geoblocked:
    'Order routes answer 403 before authentication, and the website says that we are blocked.',
  'balance-cache-stale':
    'A deposit is not seen by the funds check until /balance-allowance/update is called.',
  'allowance-missing':
    'An order is refused as if its account had not let the exchange take what it spends, and /balance-allowance says 0. Pool venue: the next trade with a pool finds that the pool may take nothing of its account any more.',
  'phantom-reservation':
    'A quick fill stays in the sum of active orders for `delayMs`, or for as long as the venue runs.',
  'order-version-mismatch': 'POST /order(s): refused with `order_version_mismatch`.',
  'ghost-fill': 'A trade is MATCHED and ends FAILED; balances are given back.',
  'retrying-then-confirmed': 'A trade goes MATCHED, RETRYING, MINED with a new hash, CONFIRMED.',
  'confirmed-then-replayed-matched':
    'User channel: an old MATCHED frame follows the CONFIRMED one.',
  'duplicate-trade': 'User channel: every frame of the trade is sent twice.',
  'dropped-user-events': 'User channel: a frame is not sent.',
  'several-fills-one-tx': 'Trades mined in the same second share one transaction.',
  'overfill-dust': 'A taker gets one lot (0.0001 to 0.01 shares) more than it asked for.',
  'underfill-dust':
    'A taker gets one lot less than it asked for; a limit order stays live with that dust.',
  'balance-drops-elsewhere':
    "`delayMs` (default 500 ms) after an order came to rest its account's collateral leaves; the venue cancels it as INVALID.",
  'heartbeat-lost':
    '`delayMs` (default 15 s) after an order came to rest the dead-man switch of its key fires: all orders of the key are cancelled.',
  'split-match': 'One match comes as several trades with rising bucket index.',
  'sell-before-confirmed':
    'Shares of trades that are not final count as absent in the funds check.',
  'reverted-35-percent': 'While armed, every third trade or so (35 %) ends FAILED.',
  'fill-races-cancel':
    'An order is filled by the market maker just before its cancel is looked at.',
  'cancel-already-gone':
    'A cancel answers "already canceled or matched" although the order stays live.',
  'reason-suffix': 'Order statuses of cancelled orders carry a free-text suffix.',
  'gtd-early': "A GTD order expires a minute before the venue's own early minute.",
  'market-resolved-silently': 'Market channel: the resolution message never comes.',
  'silent-stall':
    'Market channel: the socket stays open and answers PONG, but sends no data while armed.',
  'no-snapshot': 'Market channel: no book follows the subscription.',
  gap: 'Market channel: one price_change frame is lost.',
  crossed:
    'Market channel: a price_change brings a bid at the best ask, and says so of its best prices.',
  'mirror-broken': "Market channel: the second token's entries are lost from a price_change.",
  'object-or-array': 'Market channel: a frame comes as a list of one.',
  'schema-drift': 'Market channel: a price_change calls its list `changes`.',
  'tick-announced-twice': 'Market channel: a tick_size_change is sent twice.',
  'too-many-tokens': 'Market channel: a socket that names over 200 tokens gets no data.',
  'non-json-frame':
    'Market channel: `PONG`, `NO NEW ASSETS`, `INVALID OPERATION`, bytes that are not UTF-8 and `[]` come before the next frame.',
  'time-backwards': 'Market channel: a frame carries a timestamp one second in the past.',
  'zero-price-level':
    'Market channel: a level at price "0" and one of size "" are added to the next price_change.',
  'socket-dropped': 'Any venue socket: the next message to it cuts the connection instead.',
  'bad-gateway': 'Any REST call answers 502 with an HTML page.',
  'late-hydration': 'Discovery: a new market answers 404 or empty token ids.',
  'stale-listing': 'Discovery: listing data is minutes old.',
  'late-strike': 'Discovery: the price to beat appears late.',
  'other-version':
    'Discovery: a market is listed as of version "v2" of the exchange, with position ids beside its token ids.',
  'strike-contradicted': 'Discovery: the price to beat is stated a thousandth too high.',
  'feed-stall': 'Price feeds: the socket stays open and sends nothing while armed.',
  'feed-rate-limited': 'Feed REST calls answer 429.',
  'feed-bad-gateway': 'Feed REST calls answer 502 with an HTML page.',
  'solana-transaction-lost':
    'Solana: the node answers with the signature, and the transaction never reaches a block.',
  'solana-answer-lost':
    'Solana: the node takes the transaction, the connection is cut instead of an answer.',
  'solana-node-behind':
    'Solana: while armed, the node tells of slots, heights and transactions of twenty seconds ago.',
  'solana-fork':
    'Solana: the blocks from the next transaction on are dropped `delayMs` later (default 3 s), confirmed ones included.',
  'service-unavailable': 'Contract venue: any REST call answers 503 `amm_map_lagging`.',
  'route-not-found': 'Contract venue, /order: 400 `route_not_found`.',
  'stale-route': 'Contract venue, /order: 500 `failed_to_compute_route` with the slots it lags by.',
  'stale-quote':
    'Contract venue, /order: the quote is a cent better than the book, so that the order reverts.',
  'expired-blockhash':
    'Contract venue, /order: the transaction carries a blockhash that has expired.',
  'slow-fill': 'Contract venue: an order is closed `delayMs` later (default 10 s).',
  'partial-fill':
    'Contract venue: half of the contracts of an order are filled, the rest comes back.',
  'reverted-fill': 'Contract venue: an order is closed without a fill, all of it comes back.',
  'clearing-maintenance':
    'Contract venue: while armed, nothing is routed but redemptions, and open orders revert.',
  'unverified-wallet': 'Contract venue: while armed, no wallet counts as verified.',
  'verification-late': 'Proof: a wallet is verified `delayMs` after its page (default 10 s).',
  'verification-refused': 'Proof: the page refuses, and the wallet stays unverified.',
  'verification-unavailable': 'Proof: any call answers 503.',
  'nonce-gap':
    'Chain 8453: the node answers with the hash and loses the transaction; later ones of the account wait for its nonce.',
  'evm-answer-lost':
    'Chain 8453: the node takes the transaction, the connection is cut instead of an answer.',
  'underpriced-gas':
    'Chain 8453: the base fee rises above what the transaction pays, and the node refuses it.',
  'block-taken-back':
    'Chain 8453: the block of the next transaction is taken back `delayMs` later (default 3 s); what others did is in the blocks that follow, the transaction and later ones of its account are not.',
  'pool-moved':
    'Pool venue: a pool is moved against the next trade with it, by a tenth of its price, between quote and block.',
  'market-voided':
    'Pool venue: the next market to end is void, traded with a pool or by orders: each share pays a half.',
  'unreadable-frame': 'Contract venue: a book of the socket has a level that cannot be read.',
  'doubled-frames': 'Contract venue, pool venue: a frame of the socket is sent twice.',
  'missing-frames': 'Pool venue: a frame of the socket is lost, and nothing says so.',
  'stale-signature':
    'Pool venue: a signed request, or a reconnecting socket, is refused as if its time were past.',
  'stale-timestamp':
    'Pool venue, POST /orders: 425 for the timestamp in the body, which only a new body cures.',
  'view-late':
    'Viewed venue: the answer leaves `delayMs` later (default 12 s), in time of the wall.',
  'view-down': 'Viewed venue: any call answers 500.',
  'view-busy': 'Viewed venue: any call answers 429, without Retry-After.',
  'view-bad-numbers': 'Viewed venue: rows of an answer have numbers that are none.',
  'relayer-late':
    'Relayer, POST /submit: the action is taken, the answer leaves `delayMs` later (default 12 s).',
  'relayer-lost':
    'Relayer, POST /submit: the action is taken, the connection is cut instead of an answer.',
  'relayer-busy': 'Relayer, POST /submit: refused as if the wallet had another action in flight.',
  'relayer-doubled':
    'Relayer, POST /submit: the action is broadcast twice; the copy fails on chain and is listed first.',
  'relayer-foreign-hash': 'Relayer: the hash given for an action is that of a foreign transaction.',
  'relayer-stuck': 'Relayer: actions are taken and not broadcast while armed.',
  'bridge-unavailable': 'Bridge: any call answers 502 with an HTML page.',
  'bridge-stuck': 'Bridge: transfers stay as they are while armed.',
  'bridge-failed':
    'Bridge: the next transfer that would be credited ends FAILED, and nothing is credited.',
  'push-unavailable': 'Push service: a message is refused with 503.',
  'push-busy': 'Push service: a message is refused with 429 and Retry-After.',
  'push-hangs': 'Push service: a message is not taken, and never answered.',
  'push-lost': 'Push service: a message is taken, the connection is cut instead of an answer.',
  'push-gone': 'Push service: the browser of the next message has unsubscribed.',
  'assessor-late': 'Language model: the answer leaves `delayMs` later (default 12 s of real time).',
  'assessor-refusing': 'Language model: answers with a refusal and no content.',
  'assessor-nonsense': 'Language model: answers with a text that is no verdict.',
  'assessor-down': 'Language model: the connection is cut instead of an answer.',
  'token-data-busy': 'Token data: a call of the rankings answers 429 with Retry-After.',
  'pinning-down': 'Pinning: the connection is cut instead of an answer to an upload.',
  'pinning-other-file': 'Pinning: another file is kept in the place of the one uploaded.',
  'router-no-route': 'Router: a quote answers 404, no route.',
  'bridge-route-late': 'Router: what was taken in for another chain is not paid at this question.',
  'bridge-route-refunded':
    'Router: what was taken in for another chain is given back where it came from.',
  'bridge-route-partial': 'Router: what was taken in for another chain is paid there in dollars.',
  'router-down': 'Router: the connection is cut instead of an answer.',
  'token-data-down': 'Token data: the connection is cut instead of an answer.',
  'stale-inference': 'The inference network answers with an old timestamp.',
} as const satisfies Record<string, string>;

/** Name of a fault. */
export type FaultName = keyof typeof FAULTS;

/** What a fault is about to hit; a rule with a matching subject only fires there. */
interface FaultSubject {
  readonly owner?: string;
  readonly address?: string;
  readonly marketId?: string;
  readonly tokenId?: string;
  readonly orderId?: string;
  readonly path?: string;
  readonly asset?: string;
}

/** How a fault fires. */
export interface FaultRule {
  /** How often it fires before it is spent; without it, until cleared. */
  readonly times?: number;
  /** Chance per opportunity in percent, 1 to 100; always by default. */
  readonly percent?: number;
  /** Delay of faults that have one, in milliseconds of the clock. */
  readonly delayMs?: number;
  /** Only where every named field is equal. */
  readonly match?: FaultSubject;
}

/** A fault that fires now. */
interface FaultHit {
  readonly name: FaultName;
  /** The rule's delay, or the caller's default. */
  delayOr(defaultMs: number): number;
}

/** Switches faults on and off by name and decides, with seeded chance, when they fire. */
export interface FaultBoard {
  /**
   * Arms a fault; several rules of one name are tried in order. Throws on an unknown name or a bad
   * rule.
   */
  arm(name: FaultName, rule?: FaultRule): void;
  /** Disarms all rules of a name. Throws on an unknown name. */
  clear(name: FaultName): void;
  clearAll(): void;
  /** Uses up one firing when a rule applies to the subject; null when none does. */
  take(name: FaultName, subject?: FaultSubject): FaultHit | null;
  /** Tells without using anything up whether a rule applies; chance is not drawn. */
  isArmed(name: FaultName, subject?: FaultSubject): boolean;
  /** Names that are armed now. */
  armed(): readonly FaultName[];
}

/** True for the name of a fault. */
export function isFaultName(name: string): name is FaultName {
  return Object.hasOwn(FAULTS, name);
}

interface Armed {
  readonly rule: FaultRule;
  left: number;
}

/** Makes a fault board with nothing armed. */
export function createFaultBoard(random: Random): FaultBoard {
  const rules = new Map<FaultName, Armed[]>();
  const named = (name: FaultName): FaultName => {
    if (!isFaultName(name)) throw new RangeError(`no such fault: ${String(name)}`);
    return name;
  };
  return {
    arm(name, rule = {}) {
      named(name);
      checkRule(name, rule);
      const list = rules.get(name) ?? [];
      rules.set(name, [...list, { rule, left: rule.times ?? Number.POSITIVE_INFINITY }]);
    },
    clear(name) {
      rules.delete(named(name));
    },
    clearAll() {
      rules.clear();
    },
    take(name, subject = {}) {
      const list = rules.get(named(name));
      const armed = list?.find(({ rule }) => applies(rule, subject));
      if (list === undefined || armed === undefined) return null;
      const percent = armed.rule.percent ?? 100;
      if (percent < 100 && random.integer(100) >= percent) return null;
      armed.left -= 1;
      if (armed.left === 0) dropSpent(rules, name, list);
      return { name, delayOr: (defaultMs) => armed.rule.delayMs ?? defaultMs };
    },
    isArmed(name, subject = {}) {
      return rules.get(named(name))?.some(({ rule }) => applies(rule, subject)) ?? false;
    },
    armed() {
      return [...rules.keys()];
    },
  };
}

function dropSpent(rules: Map<FaultName, Armed[]>, name: FaultName, list: readonly Armed[]): void {
  const kept = list.filter(({ left }) => left > 0);
  if (kept.length === 0) rules.delete(name);
  else rules.set(name, kept);
}

function checkRule(name: FaultName, { times, percent, delayMs }: FaultRule): void {
  const whole = (value: number | undefined, least: number, most: number) =>
    value === undefined || (Number.isInteger(value) && value >= least && value <= most);
  if (
    !whole(times, 1, Number.MAX_SAFE_INTEGER) ||
    !whole(percent, 1, 100) ||
    !whole(delayMs, 0, 3_600_000)
  ) {
    throw new RangeError(`bad rule for fault ${name}`);
  }
}

function applies(rule: FaultRule, subject: FaultSubject): boolean {
  for (const [field, wanted] of Object.entries(rule.match ?? {})) {
    // The keys of a rule's match are those of a subject.
    if (subject[field as keyof FaultSubject] !== wanted) return false;
  }
  return true;
}

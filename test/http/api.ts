import { ONLY_SHARD } from '../../src/ports/user-directory.ts';
import type { AdoptionReport } from '../../src/services/adoption/adoption.ts';
import { assertAdopted } from '../../src/services/adoption/lacking-users.ts';
import { NO_COMPARISON } from '../../src/domain/paper-comparison.ts';
import { connect } from 'node:net';
import { openSignInSecrets } from '../../src/adapters/identity/sign-in-secrets.ts';
import { createInternalSecret } from '../../src/adapters/identity/internal-secret.ts';
import { createOwnCodes } from '../../src/adapters/identity/own-codes.ts';
import { openKeyVault } from '../../src/adapters/keys/key-vault.ts';
import { createLocalEncryptor } from '../../src/adapters/keys/local-encryptor.ts';
import { createVirtualClock, type VirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore, type MemoryStore } from '../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import { createWalletAddresses } from '../../src/adapters/safe-relayer/derive.ts';
import { loadKeccak } from '../../src/adapters/wire/keccak.ts';
import { BROWSING_LOOKUPS } from '../../config/limits/lookups.ts';
import { POLYGON_CHAIN } from '../../config/profiles/profile.ts';
import { AppError } from '../../src/domain/errors.ts';
import type { BookView } from '../../src/domain/book.ts';
import type { JournalEntry } from '../../src/domain/events.ts';
import {
  asId,
  type TransactionId,
  type Address,
  type IntentId,
  type MarketId,
  type UserId,
} from '../../src/domain/ids.ts';
import { serverUnderTest } from './server-under-test.ts';
import type { MarketEnd } from '../../src/domain/market.ts';
import type { OrderRecord } from '../../src/domain/order.ts';
import { priceTicks, shareMicros, usdcMicros } from '../../src/domain/units.ts';
import type { Candle } from '../../src/ports/candles.ts';
import { routeTable, VENUE_APIS } from '../../src/app/route-table.ts';
import { openListener } from '../../src/http/listener/open-listener.ts';
import { startHttpServer, type HttpServer } from '../../src/http/server.ts';
import type { Readiness, ApiServices } from '../../src/http/services.ts';
import { type Loop, processLoop } from '../../src/http/call-queue.ts';
import type { LivePrice, LiveSources } from '../../src/http/live/sources.ts';
import type { Lease } from '../../src/ports/lease.ts';
import { ONE_TIME, type MarketTime } from '../../src/ports/market-time.ts';
import type { Metrics } from '../../src/ports/metrics.ts';
import type { Bridge } from '../../src/ports/bridge.ts';
import { createDeposits } from '../../src/services/funding/deposit-addresses.ts';
import { createAccounts, type Wallets } from '../../src/services/sign-in/accounts.ts';
import type { Commit } from '../../src/ports/commit.ts';
import { createCommit } from '../../src/services/commit.ts';
import { createApiKeys } from '../../src/services/api-keys/api-keys.ts';
import { createKeyActivity } from '../../src/services/api-keys/key-activity.ts';
import { createNotificationLog } from '../../src/services/notifications/notification-log.ts';
import { createNotifications } from '../../src/services/notifications/notifications.ts';
import { createPushSubscriptions } from '../../src/services/notifications/push-subscriptions.ts';
import {
  aTokenListing,
  aRoutedToken,
  createFakeRouterTokens,
  createFakeTokenData,
  fakePrices,
} from '../support/fakes/fake-token-data.ts';
import { createKeptLog } from '../support/quiet.ts';
import { createFakeLaunches } from '../support/fakes/fake-launches.ts';
import { createFakeRegistry } from '../support/fakes/fake-registry.ts';
import { createFakeView, type FakeView } from '../support/fakes/fake-view.ts';
import { createFakeSwaps } from '../support/fakes/fake-swaps.ts';
import { createFakePush } from '../support/fakes/fake-push.ts';
import { createConfirmations } from '../../src/services/confirmations/confirmations.ts';
import { createPositionCloser } from '../../src/services/position-closer.ts';
import { createIdempotency } from '../../src/services/idempotency.ts';
import type { TransferView } from '../../src/services/funding/safe-transfers.ts';
import type { TokenTransferView } from '../../src/services/funding/token-transfers.ts';
import type { WithdrawalView } from '../../src/services/funding/withdrawals.ts';
import { createLookups } from '../../src/services/lookups.ts';
import { createMarketSearch } from '../../src/services/market-search.ts';
import { pageOfTokenArrivals } from '../../src/services/funding/token-arrivals.ts';
import { createProfileRemoval } from '../../src/services/profile-removal.ts';
import { createMarkets } from '../../src/services/markets.ts';
import { createMissedEvents } from '../../src/services/missed-events.ts';
import type { OrderEstimate } from '../../src/services/orders/estimate.ts';
import type { PlaceOrder } from '../../src/services/orders/place-order.ts';
import type { HealthChange } from '../../src/services/agents/health.ts';
import { isLacking } from '../../src/services/books/restores.ts';
import { openDisputes } from '../../src/services/books/funds-disputes.ts';
import { walletMismatches } from '../../src/services/books/wallet-mismatches.ts';
import type { StopRecord } from '../../src/services/books/tables.ts';
import { createLocalBackend } from '../../src/mcp/local-backend.ts';
import { createMcp } from '../../src/mcp/mcp.ts';
import { PAGES } from '../../src/web/routes.ts';
import { RESOURCES } from '../../src/mcp/resource-table.ts';
import { TOOLS } from '../../src/mcp/tool-table.ts';
import type { Tool } from '../../src/mcp/tool.ts';
import { createRateLimits } from '../../src/services/rate-limits.ts';
import type { Store } from '../../src/ports/store.ts';
import type { EvmChain } from '../../src/ports/evm.ts';
import type { Solana } from '../../src/ports/solana.ts';
import { createFederatedIdentity } from '../../src/services/sign-in/federated-identity.ts';
import { createKeyExport } from '../../src/services/keys/key-export.ts';
import { createCodes } from '../../src/services/sign-in/codes.ts';
import { cancelAll } from '../../src/services/orders/cancel-all.ts';
import { stopKey } from '../../src/services/orders/stop-check.ts';
import { createTradeHistory } from '../../src/services/history/trade-history.ts';
import { gasOfTransactions } from '../../src/services/transactions/gas-of.ts';
import { transfersUnderWay } from '../../src/services/transfers-under-way.ts';
import { createViewedPositions } from '../../src/services/portfolio/viewed-positions.ts';
import { createUserLimits } from '../../src/services/user-limits.ts';
import { readEquity } from '../../src/services/portfolio/equity-history.ts';
import { createSessions } from '../../src/services/sign-in/sessions.ts';
import { createSolanaGate } from '../../src/services/web3/solana-gate.ts';
import { createRealtime } from '../../src/services/tokens/realtime.ts';
import { createBscReads } from '../../src/services/web3/bsc.ts';
import { createTokenLists } from '../../src/services/tokens/token-lists.ts';
import { createTokenLookups } from '../../src/services/tokens/token-lookups.ts';
import { createAddedTokens } from '../../src/services/web3/added-tokens.ts';
import { createWalletViews } from '../../src/services/web3/wallet-views.ts';
import {
  createModelGoogle,
  createModelSocial,
  type ModelGoogle,
  type ModelSocial,
} from '../support/fakes/model-identity-providers.ts';
import { assertDescribed } from './described.ts';
import type { MarketQuery } from '../../src/ports/catalogue.ts';
import {
  agentView,
  anEstimate,
  aListing,
  aMarket,
  anOrderRecord,
  DECISION,
  EVENT,
  HOLDING,
  MARKET_ID,
  PERFORMANCE,
  recordedDecision,
  WHALE,
  TOKEN_ID,
} from './samples.ts';
import { orderIdOf } from '../support/attempts.ts';
import { VENUE_A, VENUE_D } from '../support/venue-ids.ts';
import { aFill } from '../support/worlds/money-records.ts';
import { createCountedNumbers } from '../support/counted-numbers.ts';

/** Two secrets of internal calls: one replaces the other. */
export const INTERNAL_SECRET = 'internal-secret-of-the-tests-0001';
export const NEXT_INTERNAL_SECRET = 'internal-secret-of-the-tests-0002';
/** The origin whose pages may call. */
export const APP_ORIGIN = 'https://app.example.com';
/** Where the API's users send money on EVM chains. */
export const DEPOSIT_ADDRESS = '0x75F00B003FBBBA193FABEB06284c3187a4C1232E';
/** A market of the venue whose ids are tickers. */
export const TICKER = 'KXHIGHNY-26NOV24-B52';
/** Dollars for a coin of every chain but POLYGON, whose coin has no price; times 10^18. */
const COIN_PRICE_E18 = 2_000n * 10n ** 18n;
/** Moment the virtual clock of an API starts at. */
export const START_MS = 1_800_000_000_000;
const noMetrics = {
  count: () => {},
  gauge: () => {},
  observe: () => {},
  startTimer: () => () => {},
  beforeRead: () => {},
};

/** An hour with trades, and one without. */
const CANDLES: readonly Candle[] = [
  {
    endsAtMs: START_MS,
    trades: candlePrices(9_400, 9_600, 9_300, 9_500),
    bid: candlePrices(9_300, 9_400, 9_200, 9_400),
    ask: null,
    volume: shareMicros(12_000_000),
    openInterest: shareMicros(800_000_000),
  },
  {
    endsAtMs: START_MS + 3_600_000,
    trades: null,
    bid: null,
    ask: null,
    volume: shareMicros(0),
    openInterest: null,
  },
];

function candlePrices(...[open, high, low, close]: readonly number[]): Candle['trades'] {
  const ticks = (value: number | undefined) => priceTicks(value ?? 1);
  return { open: ticks(open), high: ticks(high), low: ticks(low), close: ticks(close) };
}

/**
 * A running API over a memory store, a virtual clock and small working models of the trading
 * services.
 */
export interface TestApi {
  readonly server: HttpServer;
  readonly url: string;
  readonly clock: VirtualClock;
  readonly store: MemoryStore;
  readonly services: ApiServices;
  /** Codes sent, newest last. */
  readonly codes: { readonly phone: string; readonly code: string }[];
  readonly google: ModelGoogle;
  readonly social: ModelSocial;
  readonly placed: { readonly userId: UserId; readonly request: PlaceOrder }[];
  /** Users whose wallets were to be read soon. */
  readonly walletsRead: UserId[];
  readonly books: Map<string, BookView>;
  /** Markets that have ended, by the names of their books. */
  readonly ends: Map<string, MarketEnd>;
  /**
   * Tokens that must be looked up, by what their lookup gives; of others those that begin with 9
   * are none of the venue's, and all else is known.
   */
  readonly sought: Map<string, (userId: UserId) => Promise<boolean>>;
  readonly readiness: { value: Readiness };
  /** How far adopting has come, and how often it was begun. */
  readonly adoption: { value: AdoptionReport; begun: number };
  /** What venues know of users, and how many links were made. */
  readonly identity: { isVerified: boolean; links: number };
  /** The view-only venue. */
  readonly view: FakeView;
  /** Events logged as errors. */
  readonly errors: readonly string[];
  /** What the order service answers; a test may replace it. */
  readonly behaviour: {
    place: (userId: UserId, request: PlaceOrder) => Promise<OrderRecord>;
    ended: (userId: UserId, intentId: IntentId, withinMs: number) => Promise<OrderRecord>;
    estimate: (userId: UserId, request: PlaceOrder) => Promise<OrderEstimate>;
  };
  /** Tells everybody who reads a token that its book changed. */
  touchBook(tokenId: string): void;
  touchPrice(price: LivePrice): void;
  /** Tells that agents have begun or ceased to be degraded. */
  touchHealth(change: HealthChange): void;
  publish(entries: readonly JournalEntry[]): void;
  /** Signs a new user in and, unless asked otherwise, gives them a username. */
  signIn(options?: {
    readonly username?: string | null;
    readonly phone?: string;
  }): Promise<SignedInUser>;
  request(method: string, path: string, options?: RequestOptions): Promise<Reply>;
  close(): Promise<void>;
}

export interface SignedInUser {
  readonly userId: UserId;
  readonly token: string;
  readonly refreshToken: string;
}

export interface RequestOptions {
  readonly token?: string;
  readonly body?: unknown;
  /** Sent as it is. */
  readonly rawBody?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** A loop that is never late: no test depends on how much a machine has to do. */
const calmLoop: Loop = { ...processLoop, nowMs: () => 0 };

/** `loop` takes the place of the process's own where calls wait for their turn. */
export async function startApi({
  loop = calmLoop,
  metrics = noMetrics,
  marketTime = ONE_TIME,
  tools = TOOLS,
  lease = { isHeld: () => true },
}: {
  readonly loop?: Loop;
  readonly metrics?: Metrics;
  readonly marketTime?: MarketTime;
  /** Of MCP; absent: those of the service. */
  readonly tools?: readonly Tool[];
  readonly lease?: Lease;
} = {}): Promise<TestApi> {
  const errors: string[] = [];
  const silent = {
    debug: () => {},
    info: () => {},
    warn: () => {},
    error: (_fields: unknown, event: string) => void errors.push(event),
  };
  const clock = createVirtualClock(START_MS);
  const store = createMemoryStore();
  const random = createSeededRandom(7);
  const keccak = await loadKeccak();
  const vault = await openKeyVault({
    store,
    encryptor: createLocalEncryptor(new Uint8Array(32).fill(3), random),
    random,
    keccak,
  });
  const { safeOf } = createWalletAddresses(keccak, POLYGON_CHAIN.wallets);
  const listeners = new Set<(entry: JournalEntry) => void>();
  const bus = {
    publish: (entries: readonly JournalEntry[]) =>
      entries.forEach((entry) => listeners.forEach((listener) => listener(entry))),
    subscribe: (listener: (entry: JournalEntry) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const missedEvents = createMissedEvents({ store, bus });
  const commit = createCommit({
    store,
    bus,
    metrics: noMetrics,
    follow: createNotificationLog({ wallClock: clock, log: silent }),
  });
  const idempotency = createIdempotency({ store, commit, clock, made: [] });
  const { tokens, digests } = await openSignInSecrets({
    store,
    vault,
    random,
    clock,
    log: silent,
    issuer: 'predictd',
    audience: 'predictd-api',
  });
  const codes: { phone: string; code: string }[] = [];
  const walletsRead: UserId[] = [];
  const accounts = createAccounts({
    store,
    commit,
    clock,
    random,
    digests,
    directory: ONLY_SHARD,
    vault,
    safeOf,
    grantUsdc: usdcMicros(0),
    log: silent,
    venues: [
      {
        id: VENUE_A,
        faucet: null,
        accounts: {
          open: async () => {},
          deposits: async () => [],
          collateral: async () => usdcMicros(0),
        },
      },
    ],
    syncDeposits: async () => {},
  });
  const codesDeps = {
    store,
    commit,
    clock,
    random,
    directory: ONLY_SHARD,
    vault,
    digests,
    metrics: noMetrics,
    countries: new Set(['US', 'GB']),
    phones: createOwnCodes({
      random,
      clock,
      digests,
      deliver: async (phone, code) => void codes.push({ phone, code }),
    }),
  };
  const sessions = createSessions({ ...codesDeps, tokens, accounts, log: silent });
  const keyExport = createKeyExport({
    store,
    commit,
    clock,
    digests,
    vault,
    codes: createCodes(codesDeps),
  });
  const keyActivity = createKeyActivity({ store, commit });
  const apiKeys = createApiKeys({
    store,
    commit,
    clock,
    random,
    directory: ONLY_SHARD,
    digests,
    tokens,
  });
  const google = createModelGoogle();
  const social = createModelSocial(() => clock.nowMs());
  const federatedIdentity = createFederatedIdentity({
    store,
    commit,
    clock,
    random,
    directory: ONLY_SHARD,
    vault,
    digests,
    sessions,
    google,
    social,
  });
  const push = createFakePush();
  const trading = tradingModel(store);
  const books = new Map<string, BookView>();
  const ends = new Map<string, MarketEnd>();
  const sought: TestApi['sought'] = new Map();
  const bookListeners = new Map<string, Set<() => void>>();
  const prices = new Map<string, LivePrice>();
  const priceListeners = new Map<string, () => void>();
  const adoption: TestApi['adoption'] = {
    begun: 0,
    value: {
      state: 'none',
      upToMs: null,
      users: { adopted: 0, lacking: 0 },
      orders: 0,
      left: [],
      current: null,
    },
  };
  const readiness = {
    value: { ready: true, checks: [{ name: 'store', ok: true, detail: null }] } as Readiness,
  };
  const numbers = createCountedNumbers();
  const live: LiveSources = {
    bus,
    nowMs: () => marketTime.toMarketMs(clock.nowMs()),
    marketTime,
    numbers,
    knowsBook: (tokenId) => !tokenId.startsWith('9') && !sought.has(tokenId),
    findBook: (userId, tokenId) =>
      sought.get(tokenId)?.(userId) ?? Promise.resolve(!tokenId.startsWith('9')),
    endOf: (tokenId) => ends.get(tokenId) ?? null,
    watchBook: (tokenId, _venue, onChange) => {
      const all = bookListeners.get(tokenId) ?? new Set();
      all.add(onChange);
      bookListeners.set(tokenId, all);
      if (books.has(tokenId)) onChange();
      return {
        current: () => books.get(tokenId) ?? null,
        end: () => ends.get(tokenId) ?? null,
        stop: () => void all.delete(onChange),
      };
    },
    watchMarketPrice: () => null,
    watchPrice: (asset, onChange) => {
      priceListeners.set(asset, onChange);
      return {
        current: () => prices.get(asset) ?? null,
        stop: () => void priceListeners.delete(asset),
      };
    },
  };
  const markets = createMarkets({
    lookups: createLookups(clock, BROWSING_LOOKUPS),
    marketClock: clock,
    directory: directoryModel(),
    topOf: () => null,
  });
  const identity: TestApi['identity'] = { isVerified: false, links: 0 };
  const looks = walletsModel(
    { store, commit, clock },
    (userId) => accounts.profile(userId).wallets,
  );
  const view = createFakeView(VENUE_D);
  const services: ApiServices = {
    gasPaid: (userId, transactionIds) => gasOfTransactions(store, userId, transactionIds),
    coinPrice: (chain) => (chain === 'POLYGON' ? null : COIN_PRICE_E18),
    equity: {
      read: (userId, query) => readEquity(store, userId, { ...query, nowMs: clock.nowMs() }),
    },
    viewedPositions: createViewedPositions({
      views: [view],
      walletOf: (userId) => accounts.profile(userId).wallets.evm,
      clock,
      log: silent,
      metrics: noMetrics,
    }),
    missedEvents,
    journalTree: {
      prove: (seq) => ({
        anchor: { entries: 7, root: 'ab'.repeat(32), atMs: START_MS },
        path: seq === 7 ? ['cd'.repeat(32), 'ef'.repeat(32)] : null,
      }),
    },
    adoption: {
      begin() {
        adoption.begun += 1;
        return adoption.value;
      },
      report: () => adoption.value,
      assertAdopted: (scope) => assertAdopted(store, scope),
    },
    transfersUnderWay: (userId) => transfersUnderWay(store, userId),
    awaitsBooking: () => false,
    walletRounds: { soon: (userId) => void walletsRead.push(userId) },
    tokenArrivals: (userId, page) => pageOfTokenArrivals(store, userId, page),
    sessions,
    federatedIdentity,
    accounts,
    apiKeys,
    keyActivity,
    grantable: { venues: VENUE_APIS.map(({ venue }) => venue), tools },
    keyExport,
    notifications: createNotifications({ store, commit, clock }),
    pushSubscriptions: createPushSubscriptions({
      store,
      commit,
      clock,
      random,
      digests,
      vault,
      push,
    }),
    ...trading.services,
    confirmations: createConfirmations({
      store,
      commit,
      random,
      clock,
      orders: trading.services.orders,
      idempotency,
    }),
    closing: createPositionCloser({ store, ...trading.services, redeemsByOrder: () => false }),
    ...moneyModel(),
    userLimits: createUserLimits({
      store,
      commit,
      clock,
      operator: { orderUsdc: usdcMicros(5_000_000_000), openPositions: 500 },
    }),
    internal: createInternalSecret([INTERNAL_SECRET, NEXT_INTERNAL_SECRET]),
    ...looks,
    profileRemoval: createProfileRemoval({
      store,
      commit,
      clock,
      digests,
      directory: ONLY_SHARD,
      log: silent,
      vault,
      codes: createCodes(codesDeps),
      agents: { stopAll: async () => [] },
      wallets: looks.wallets,
      deposits: { refresh: async () => undefined },
    }),
    tokens: tokensModel(clock),
    swaps: createFakeSwaps(),
    launches: createFakeLaunches(),
    registry: createFakeRegistry(),
    bsc: bscModel(clock),
    realtime: createRealtime({
      watchAsset: (_asset, onChange) => {
        onChange({ priceE18: 150n * 10n ** 18n, atMs: START_MS });
        return () => undefined;
      },
      prices: fakePrices(() => ({ priceE18: 2n * 10n ** 18n, atMs: START_MS })),
      clock,
      epoch: 'test',
    }),
    deposits: createDeposits({
      store,
      commit,
      bus,
      clock,
      random,
      log: silent,
      metrics: noMetrics,
      bridge: bridgeModel,
      safeOf: (userId) => accounts.profile(userId).wallets.safe,
    }),
    browsing: () => ({
      markets,
      books: {
        async book(_userId, tokenId) {
          const book = books.get(tokenId);
          return book === undefined ? null : numbers.answer(book);
        },
        endOf: async (_userId, tokenId) => ends.get(tokenId) ?? null,
      },
      candles: async (_userId, { bookId }) =>
        [MARKET_ID, TICKER, TOKEN_ID].some((id) => id === bookId) ? CANDLES : null,
    }),
    walletLacks: async () => [],
    identityAt: () => ({
      isVerified: async () => identity.isVerified,
      link: async () => `https://verify.example.com/${(identity.links += 1)}`,
    }),
    marketSearch: createMarketSearch({ venues: [VENUE_A], markets: () => markets }),
    system: {
      version: '0.1.0',
      profile: 'test',
      server: serverUnderTest(),
      readiness: () => readiness.value,
      metricsText: async (format) => `# HELP up ${format}\nup 1\n`,
    },
  };
  const rateLimits = createRateLimits(clock);
  const server = await startHttpServer({
    lease,
    listener: await openListener(serverUnderTest()),
    host: '127.0.0.1',
    port: 0,
    routes: routeTable,
    venues: VENUE_APIS,
    services,
    live,
    clock,
    random,
    log: silent,
    metrics,
    isMetricsOpen: false,
    corsOrigins: [APP_ORIGIN],
    trustedProxies: ['127.0.0.1'],
    rateLimits,
    idempotency,
    endpoints: (direct) => [
      createMcp({
        backend: createLocalBackend({ direct, apiKeys, keyActivity }),
        tools,
        resources: RESOURCES,
        routes: routeTable,
        venues: VENUE_APIS,
        version: '0.1.0',
        hosts: ['localhost', '127.0.0.1'],
        origins: [APP_ORIGIN],
        confirmPath: PAGES.confirm,
        rateLimits,
        clock,
        log: silent,
        metrics,
      }),
    ],
    loop,
  });

  const request: TestApi['request'] = async (method, path, options = {}) => {
    const body =
      options.rawBody ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: {
        ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    const isJson = (response.headers.get('content-type') ?? '').includes('json');
    const reply = {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== '' ? JSON.parse(text) : {},
    };
    assertDescribed(method, path, reply);
    return reply;
  };

  let users = 0;
  return {
    server,
    url: server.url,
    clock,
    store,
    services,
    codes,
    google,
    social,
    books,
    ends,
    sought,
    readiness,
    adoption,
    identity,
    view,
    errors,
    request,
    placed: trading.placed,
    walletsRead,
    behaviour: trading.behaviour,
    touchHealth: trading.touchHealth,
    touchBook: (tokenId) => bookListeners.get(tokenId)?.forEach((listener) => listener()),
    touchPrice: (price) => {
      prices.set(price.asset, price);
      priceListeners.get(price.asset)?.();
    },
    publish: (entries) => bus.publish(entries),
    async signIn(options = {}) {
      users += 1;
      const sent = await sessions.requestCode(options.phone ?? `+1415555${String(2_000 + users)}`);
      const signedIn = await sessions.verifyCode(sent.challengeId, codes.at(-1)?.code ?? '');
      const username =
        options.username === undefined
          ? `user_${'abcdefghjkmnpqrtuxyz'[users]}${'abcdefghjkmnpqrtuxyz'[users]}${'kxq'[users % 3]}`
          : options.username;
      if (username !== null) await accounts.setUsername(signedIn.userId, username);
      return {
        userId: signedIn.userId,
        token: signedIn.accessToken,
        refreshToken: signedIn.refreshToken,
      };
    },
    close: () => server.close(),
  };
}

/**
 * A small working model of orders, portfolio and agents: what is placed can be read, cancelled and
 * listed by its owner.
 */
function tradingModel(store: Store): {
  readonly services: Pick<ApiServices, 'orders' | 'portfolio' | 'history' | 'agents'>;
  readonly placed: { userId: UserId; request: PlaceOrder }[];
  readonly behaviour: TestApi['behaviour'];
  readonly touchHealth: TestApi['touchHealth'];
} {
  const placed: { userId: UserId; request: PlaceOrder }[] = [];
  const records: OrderRecord[] = [];
  const behaviour: TestApi['behaviour'] = {
    place: async (userId, request) => {
      placed.push({ userId, request });
      const record = anOrderRecord(userId, records.length + 1, request);
      records.push(record);
      return record;
    },
    ended: async (userId, intentId) => find(userId, intentId) ?? unused(),
    estimate: async (userId, request) => anEstimate(userId, request),
  };
  const find = (userId: UserId, id: string) =>
    records.find(
      (record) =>
        record.intent.userId === userId &&
        (record.intent.intentId === id || orderIdOf(record) === id),
    ) ?? null;
  const enabled = new Set<string>();
  const healthListeners = new Set<(change: HealthChange) => void>();
  const stops = new Map<string, StopRecord>();
  // Reads cursors as the real lists do; what is listed is the model's.
  const cursors = createTradeHistory(createMemoryStore());
  const listOpen = (userId: UserId) =>
    records.filter((record) => record.intent.userId === userId && record.state === 'live');
  const cancel = async (userId: UserId, intentId: IntentId): Promise<OrderRecord> => {
    const record = find(userId, intentId);
    if (record === null || record.state !== 'live')
      throw new AppError('order_not_cancellable', 'the order has ended');
    const cancelled: OrderRecord = { ...record, state: 'cancelled', cancelWanted: true };
    records[records.indexOf(record)] = cancelled;
    return cancelled;
  };
  return {
    placed,
    behaviour,
    touchHealth: (change) => healthListeners.forEach((listener) => listener(change)),
    services: {
      orders: {
        place: (userId, request) => behaviour.place(userId, request),
        ended: (userId, intentId, withinMs) => behaviour.ended(userId, intentId, withinMs),
        estimate: (userId, request) => behaviour.estimate(userId, request),
        get: find,
        stopOf: (scope) => stops.get(stopKey(scope).join(' ')) ?? null,
        isSweeping: () => false,
        setStop: async (scope, stopped, reason, policy = 'keep') => {
          const stop = {
            stopped,
            reason: reason ?? 'stopped by the user',
            atMs: START_MS,
            policy,
          };
          stops.set(stopKey(scope).join(' '), stop);
          return stop;
        },
        listOpen,
        cancelAll: (userId, venue) => cancelAll({ listOpen, cancel, get: find }, userId, venue),
        cancel,
      },
      history: {
        orders: (userId, query) => ({
          ...cursors.orders(userId, query),
          data: records
            .filter(
              ({ intent, state }) =>
                intent.userId === userId &&
                (query.marketId ?? intent.marketId) === intent.marketId &&
                (query.state === 'all' || (state === 'live') === (query.state === 'open')),
            )
            .reverse(),
        }),
        fills: (userId, query) => ({
          ...cursors.fills(userId, query),
          // who has placed nothing has traded nothing
          data: records.some(({ intent }) => intent.userId === userId)
            ? [{ fill: aFill({ userId }), order: null, market: aMarket() }].filter(
                ({ fill }) => (query.marketId ?? fill.marketId) === fill.marketId,
              )
            : [],
        }),
        marketOf: () => aMarket(),
        holdings: (userId, query) => ({
          ...cursors.holdings(userId, query),
          data: [HOLDING(userId)].filter(
            ({ redeemable }) =>
              query.type !== 'closed' && (query.redeemable ?? redeemable) === redeemable,
          ),
        }),
      },
      portfolio: {
        holdings: (userId, query = {}) =>
          [HOLDING(userId)].filter(
            (holding) =>
              (query.type ?? 'open') === 'open' &&
              (query.redeemable ?? false) === holding.redeemable,
          ),
        isReconciled: (userId) => !isLacking(store, userId),
        disputes: (userId) => openDisputes(store, userId),
        mismatches: (userId) => walletMismatches(store, userId),
        accountAt: () => 'usdc:safe',
        results: () => ({
          [VENUE_A]: { wins: 2, losses: 1, realisedUsdc: 3_000_000, feesUsdc: 20_000 },
        }),
        realizedToday: () => usdcMicros(-250_000),
        cash: () => ({
          settled: usdcMicros(10_000_000),
          provisional: usdcMicros(0),
          reserved: usdcMicros(1_500_000),
          available: usdcMicros(8_500_000),
        }),
      },
      agents: {
        list: (userId) => [
          agentView('btc_5min', enabled.has(userId)),
          agentView('eth_15min', false),
        ],
        view: (userId, agentId) => agentView(agentId, enabled.has(userId)),
        updateSettings: async (_userId, agentId, patch) => {
          const unknown = Object.keys(patch).filter(
            (name) =>
              ![
                'minPositionSize',
                'avgPositionSize',
                'maxPositionSize',
                'strategy',
                'notifyOnTrade',
              ].includes(name),
          );
          if (unknown.length > 0)
            throw new AppError('unknown_setting', `no such setting: ${unknown.join(', ')}`, {
              fields: unknown.map((name) => ({ path: `/${name}`, message: 'no such setting' })),
            });
          return agentView(agentId, false);
        },
        enable: async (userId, agentId) => {
          if (agentId === 'sol_15min')
            throw new AppError('agent_not_ready', 'something is missing', {
              fields: [{ path: '/strategy', message: 'not chosen' }],
            });
          enabled.add(userId);
          return agentView(agentId, true);
        },
        disable: async (_userId, agentId) => agentView(agentId, false),
        watchHealth: (listener) => {
          healthListeners.add(listener);
          return () => void healthListeners.delete(listener);
        },
        stopAll: async (userId) => [
          {
            agentId: 'btc_5min',
            wasEnabled: enabled.delete(userId),
            policy: 'close',
            openOrders: 1,
            positions: 2,
          },
        ],
        trades: () => ({ data: [DECISION(asId<UserId>('usr_x'))], nextCursor: null }),
        decisions: () => ({ data: [DECISION(asId<UserId>('usr_x'))], nextCursor: 'bmV4dA' }),
        decision: (userId, agentId, decisionId) =>
          agentId === 'btc_5min' ? recordedDecision(userId, decisionId) : null,
        calibration: () => ({
          entered: 4,
          entries: 3,
          forecasts: [
            { probability: 0.82, happened: true },
            { probability: 0.88, happened: false },
          ],
        }),
        performance: () => ({
          ...PERFORMANCE,
          paper: {
            own: PERFORMANCE,
            shadow: PERFORMANCE,
            difference: {
              ...NO_COMPARISON,
              entries: 2,
              liveFilled: 1,
              paperFilled: 2,
              bothFilled: 1,
              slippageUsdc: -20_000,
              comparedShares: 10_000_000,
            },
          },
        }),
        performanceOfAll: () => ({
          agents: [{ agentId: 'btc_5min', performance: PERFORMANCE }],
          total: PERFORMANCE,
        }),
      },
    },
  };
}

/** BNB Smart Chain with one pool of two tokens. */
function bscModel(clock: VirtualClock): ApiServices['bsc'] {
  const pool = asId<Address>('0x0eD7e52944161450477ee417DE9Cd3a859b14fD0');
  return createBscReads({
    prices: fakePrices(() => ({ priceE18: 2n * 10n ** 18n, atMs: START_MS })),
    clock,
    nodes: {
      evm: { head: async () => ({ blockNumber: 7, atMs: START_MS, hash: '0x00' }) },
      accounts: { fees: async () => ({ maxFeePerGas: 3n, maxPriorityFeePerGas: 1n }) },
      exchange: {
        quotes: async (sell, buy, amount) => [
          { kind: 'v2', path: [sell, buy], feePips: null, out: amount / 2n },
        ],
        pools: async () => [{ kind: 'v2', address: pool, feePips: null, reserves: [10n, 20n] }],
        token: async () => ({
          name: 'Token',
          symbol: 'TKN',
          decimals: 18,
          totalSupply: 10n ** 24n,
        }),
      },
    },
  });
}

/** Tokens as two small sources tell of them. */
function tokensModel(clock: VirtualClock): ApiServices['tokens'] {
  const data = createFakeTokenData([aTokenListing()]);
  const router = createFakeRouterTokens([aRoutedToken()]);
  return {
    ...createTokenLists({ data, clock, log: createKeptLog() }),
    ...createTokenLookups({ data, router, launchedBy: () => [], clock }),
  };
}

/** Wallets on small working chains: one coin and three dollars everywhere. */
function walletsModel(
  {
    store,
    commit,
    clock,
  }: { readonly store: Store; readonly commit: Commit; readonly clock: VirtualClock },
  walletsOf: (userId: UserId) => Wallets,
): Pick<ApiServices, 'wallets' | 'solana'> {
  const chain: EvmChain = {
    chainId: 137,
    balances: async (_owner, tokens) => ({ wei: 10n ** 18n, tokens: tokens.map(() => 3_000_000n) }),
    hasCode: async () => true,
    codeHash: unused,
    call: async () => '0x12',
    head: unused,
    shares: unused,
    receipt: unused,
    logs: unused,
  };
  const solana: Solana = {
    lamports: async () => 2_500_000_000n,
    tokenAccounts: async () => [],
    tokenDecimals: async () => null,
    latestBlockhash: unused,
    blockHeight: unused,
    send: unused,
    status: unused,
    feePaid: unused,
  };
  return {
    wallets: createWalletViews({
      walletsOf,
      evm: { POLYGON: chain },
      solana,
      prices: fakePrices(() => ({ priceE18: 150n * 10n ** 18n, atMs: START_MS })),
      ownTokensOf: () => [],
      cashAccountOf: () => null,
      added: createAddedTokens({ store, commit, clock }),
      indexed: null,
      routedOnSolana: async () => [],
      textsOf: async () => ({ symbol: 'OWN', name: 'Own' }),
      clock,
    }),
    solana: createSolanaGate({
      node: {
        ask: async (method) =>
          method === 'getSlot'
            ? { kind: 'result', result: 42 }
            : { kind: 'error', code: -32_602, message: 'Invalid params', data: undefined },
      },
      clock,
    }),
  };
}

/** A bridge that takes one token and has seen one deposit. */
const bridgeModel: Bridge = {
  supportedAssets: async () => [
    {
      chain: 'BASE',
      chainId: '8453',
      symbol: 'USDC',
      name: 'USD Coin',
      tokenAddress: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      decimals: 6,
      minimumUsd: '2',
    },
  ],
  depositAddresses: async () => ({
    evm: DEPOSIT_ADDRESS,
    solana: 'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB',
    bitcoin: '1BoatSLRHtKNngkdXEeobR76b53LETtpyT',
    tron: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
  }),
  status: async () => [
    {
      chainId: '8453',
      tokenAddress: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      amount: '25000000',
      status: 'processing',
      transactionHash: null,
      createdAtMs: START_MS,
    },
  ],
};

function unused(): never {
  throw new Error('not part of this model');
}

/** A small working model of withdrawals and claims: ten dollars may leave, once for each key. */
function moneyModel(): Pick<
  ApiServices,
  'withdrawals' | 'redemptionsAt' | 'safeTransfers' | 'tokenTransfers'
> {
  const made = new Map<string, WithdrawalView>();
  const transfers: { readonly userId: UserId; readonly view: TransferView }[] = [];
  const sends: { readonly userId: UserId; readonly view: TokenTransferView }[] = [];
  let left = 10_000_000;
  return {
    withdrawals: {
      async withdraw(userId, { usdc, key }) {
        const name = `${userId} ${key ?? made.size}`;
        const before = made.get(name);
        if (before !== undefined) return before;
        if (usdc > left)
          throw new AppError('insufficient_funds', 'more than there is', {
            fields: [{ path: '/amount', message: 'less' }],
          });
        left -= usdc;
        const view: WithdrawalView = {
          withdrawalId: asId<TransactionId>(`txn_${String(made.size).padStart(26, '0')}`),
          state: 'settled',
          usdc,
          token: 'USDC',
          to: asId<Address>(`0x${'22'.repeat(20)}`),
          reason: null,
          transactionHash: `0x${'ab'.repeat(32)}`,
          createdAtMs: START_MS,
          updatedAtMs: START_MS,
        };
        made.set(name, view);
        return view;
      },
      get: (userId, withdrawalId) =>
        [...made].find(
          ([name, view]) => name.startsWith(`${userId} `) && view.withdrawalId === withdrawalId,
        )?.[1] ?? null,
      list: (userId) => ({
        data: [...made]
          .filter(([name]) => name.startsWith(`${userId} `))
          .map(([, view]) => view)
          .reverse(),
        nextCursor: null,
      }),
    },
    safeTransfers: {
      async transfer(userId, { token, amount }) {
        const view: TransferView = {
          transferId: asId<TransactionId>(`txn_${String(transfers.length).padStart(26, '0')}`),
          state: 'settled',
          token,
          amount,
          to: asId<Address>(`0x${'33'.repeat(20)}`),
          reason: null,
          transactionHash: null,
          createdAtMs: START_MS,
          updatedAtMs: START_MS,
        };
        transfers.unshift({ userId, view });
        return view;
      },
      get: (userId, transferId) =>
        transfers.find((made) => made.userId === userId && made.view.transferId === transferId)
          ?.view ?? null,
      list: (userId) => ({
        data: transfers.filter((made) => made.userId === userId).map(({ view }) => view),
        nextCursor: null,
      }),
    },
    tokenTransfers: {
      requestCode: async () => ({
        challengeId: `otp_${'0'.repeat(26)}`,
        expiresAtMs: START_MS + 1,
        resendAtMs: START_MS,
      }),
      async transfer(userId, { chain, token, amount, to }, { code }) {
        if (code === null) throw new AppError('code_required', 'ask for a code first');
        const view: TokenTransferView = {
          transferId: asId<TransactionId>(`txn_${String(sends.length).padStart(26, '0')}`),
          state: 'settled',
          chain,
          token,
          tokenAddress: null,
          amount,
          to,
          reason: null,
          transactionHash: 'hash',
          createdAtMs: START_MS,
          updatedAtMs: START_MS,
        };
        sends.unshift({ userId, view });
        return view;
      },
      get: (userId, transferId) =>
        sends.find((made) => made.userId === userId && made.view.transferId === transferId)?.view ??
        null,
      list: (userId) => ({
        data: sends.filter((made) => made.userId === userId).map(({ view }) => view),
        nextCursor: null,
      }),
    },
    redemptionsAt: () => ({
      claim: async (_userId, marketId = asId<MarketId>(MARKET_ID)) => [
        {
          marketId,
          state: 'redeemed',
          usdc: usdcMicros(20_000_000),
          transactionId: null,
          reason: null,
          transactionHash: null,
        },
      ],
    }),
  };
}

function directoryModel() {
  return {
    round: async () => null,
    market: async () => null,
    marketOfToken: async () => null,
    async markets({ tag }: MarketQuery) {
      if (tag === 'unknown')
        throw new AppError('invalid_request', 'tag: the venue has no such tag', {
          fields: [{ path: '/tag', message: 'the venue has no such tag' }],
        });
      return { data: [aListing()], nextCursor: 'bmV4dA' };
    },
    listing: async (idOrSlug: string) =>
      [aMarket().marketId, aMarket().slug, TICKER].some((name) => name === idOrSlug)
        ? aListing()
        : null,
    events: async () => ({ data: [EVENT], nextCursor: null }),
    event: async (eventId: string) => (eventId === EVENT.eventId ? EVENT : null),
    series: async () => ({
      data: [
        { seriesId: '7', slug: 'btc-up-or-down-5m', title: 'BTC Up or Down 5m', recurrence: '5m' },
      ],
      nextCursor: null,
    }),
    resolution: async () => null,
    whaleTrades: async () => [WHALE],
  };
}

/**
 * Sends raw bytes to the API and gives everything that came back until it closed the connection, or
 * `quietMs` passed after an answer.
 */
export function rawExchange(
  port: number,
  chunks: readonly string[],
): Promise<{ readonly text: string; readonly answers: number }> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    const done = (): void => resolve({ text, answers: text.split(/HTTP\/1\.1 \d{3}/).length - 1 });
    socket.on('data', (data) => {
      text += data.toString('latin1');
    });
    socket.on('error', done);
    socket.on('close', done);
    const [first = '', ...rest] = chunks;
    socket.write(first, 'latin1', () => rest.forEach((chunk) => socket.write(chunk, 'latin1')));
  });
}

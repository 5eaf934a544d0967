import { ADMISSION } from '../../config/limits/admission.ts';
import { API } from '../../config/limits/api.ts';
import type { Profile } from '../../config/profiles/profile.ts';
import type { Environment } from '../../config/schema.ts';
import { createEpochs, createStreamNumbers } from '../http/live/stream-numbers.ts';
import { startHttpServer, type HttpServer } from '../http/server.ts';
import { openListener } from '../http/listener/open-listener.ts';
import { ORDER_KEYS } from '../services/books/tables.ts';
import { createConfirmations } from '../services/confirmations/confirmations.ts';
import { createPositionCloser } from '../services/position-closer.ts';
import { createIdempotency } from '../services/idempotency.ts';
import { TRANSACTION_KEYS } from '../services/transactions/tables.ts';
import { gasOfTransactions } from '../services/transactions/gas-of.ts';
import { createMarketSearch } from '../services/market-search.ts';
import { createRateLimits } from '../services/rate-limits.ts';
import type { EquitySamples } from '../services/portfolio/equity-samples.ts';
import type { ViewedPositions } from '../services/portfolio/viewed-positions.ts';
import { createSharedQuestions } from '../services/shared-questions.ts';
import { createTradeHistory } from '../services/history/trade-history.ts';
import { createUserLimits } from '../services/user-limits.ts';
import type { Adoption } from '../services/adoption/adoption.ts';
import type { Alerts } from './alerts.ts';
import type { Core } from './core.ts';
import { routeTable, VENUE_APIS } from './route-table.ts';
import { operatorCaps } from './operator-caps.ts';
import { type OpenRuntime } from './runtime.ts';
import { createBrowsing, createLiveSources } from './live-sources.ts';
import { type OpenFunds } from './funds.ts';
import { openMcp } from './mcp.ts';
import { TOOLS } from '../mcp/tool-table.ts';
import { type ExternalServices } from './external-services.ts';
import { type Identity } from './identity.ts';
import { createReadiness } from './readiness.ts';
import type { Swaps } from '../services/swaps/swaps.ts';
import { openLaunches } from './launches.ts';
import { openRegistry } from './registry.ts';
import { type Tokens } from './tokens.ts';
import { openTransfers } from './transfers.ts';
import { version } from './version.ts';
import { openWebApp } from './web-app.ts';
import { createWallets } from './wallets.ts';

/** Opens HTTP, WebSocket, MCP and the pages on one port. Errors: `port_in_use`. */
export async function openApi({
  environment,
  profile,
  runtime,
  external,
  core,
  identity,
  money,
  alerts,
  tokens,
  swaps,
  equity,
  viewedPositions,
  adoption,
}: {
  readonly environment: Environment;
  readonly profile: Profile;
  readonly runtime: OpenRuntime;
  readonly external: ExternalServices;
  readonly core: Core;
  readonly identity: Identity;
  readonly money: OpenFunds;
  readonly alerts: Alerts;
  readonly tokens: Tokens;
  readonly swaps: Swaps;
  readonly equity: EquitySamples;
  readonly viewedPositions: ViewedPositions;
  readonly adoption: Adoption;
}): Promise<HttpServer> {
  const { store, random, log, metrics, bus, clock, wallClock, marketTime } = runtime;
  metrics.gauge('build_info', 1, {
    version: version(),
    node: process.version,
    profile: profile.name,
  });
  const numbers = createStreamNumbers(createEpochs(wallClock, random));
  const browsing = createBrowsing(core, clock, numbers);
  const shownMetrics = createSharedQuestions({
    clock: wallClock,
    keptMs: ADMISSION.metricsKeptMs,
    keptMaximum: 2,
  });
  const rateLimits = createRateLimits(wallClock, API.rateBucketsMaximum, (bucket) =>
    metrics.count('rate_limited_total', { bucket }),
  );
  const idempotency = createIdempotency({
    store,
    commit: core.trading.commit,
    clock: wallClock,
    made: [ORDER_KEYS, TRANSACTION_KEYS],
  });
  const { PREDICTD_TRUSTED_PROXIES: trustedProxies } = environment;
  const listener = await openListener(environment.PREDICTD_HTTP_SERVER, trustedProxies);
  return startHttpServer({
    listener,
    host: environment.PREDICTD_HOST,
    port: environment.PREDICTD_PORT,
    routes: routeTable,
    venues: VENUE_APIS,
    services: {
      sessions: identity.sessions,
      federatedIdentity: identity.federatedIdentity,
      accounts: identity.accounts,
      apiKeys: identity.apiKeys,
      keyActivity: identity.keyActivity,
      grantable: { venues: VENUE_APIS.map(({ venue }) => venue), tools: TOOLS },
      keyExport: identity.keyExport,
      notifications: alerts.notifications,
      missedEvents: runtime.missedEvents,
      journalTree: runtime.journalTree,
      pushSubscriptions: alerts.pushSubscriptions,
      internal: identity.internal,
      orders: core.orders,
      confirmations: createConfirmations({
        store,
        commit: core.trading.commit,
        random,
        clock: wallClock,
        orders: core.orders,
        idempotency,
      }),
      closing: createPositionCloser({
        store,
        orders: core.orders,
        portfolio: core.trading.portfolio,
        redeemsByOrder: (venue) =>
          core.at(venue).traded.some(({ redeemsByOrder }) => redeemsByOrder),
      }),
      portfolio: core.trading.portfolio,
      equity,
      viewedPositions,
      adoption,
      walletRounds: core.walletRounds,
      history: createTradeHistory(store),
      userLimits: createUserLimits({
        store,
        commit: core.trading.commit,
        clock: wallClock,
        operator: operatorCaps(environment),
      }),
      withdrawals: money.withdrawals,
      redemptionsAt: (venue) => core.claimsAt(venue) ?? money.redemptions,
      safeTransfers: money.safeTransfers,
      tokenTransfers: openTransfers({ runtime, external, core, identity, money, tokens }),
      deposits: money.deposits,
      browsing,
      identityAt: (venue) => core.at(venue).venue.identity,
      marketSearch: createMarketSearch({
        venues: [
          ...core.venues.map(({ venue }) => venue.id),
          ...core.closedVenues.map(({ id }) => id),
        ],
        markets: (venue) => browsing(venue).markets,
      }),
      agents: core.agents,
      tokens: tokens.api,
      swaps,
      registry: openRegistry({ environment, runtime, external, core, identity, money, tokens }),
      launches: openLaunches({ environment, runtime, external, core, identity, money, tokens }),
      gasPaid: (userId, transactionIds) => gasOfTransactions(store, userId, transactionIds),
      coinPrice: (chain) => tokens.prices.newest(chain, null)?.priceE18 ?? null,
      realtime: tokens.realtime,
      ...createWallets({ runtime, external, core, identity, tokens, deposits: money.deposits }),
      system: {
        version: version(),
        profile: profile.name,
        server: listener.kind,
        readiness: createReadiness({ store, core, ...external, ...money }),
        metricsText: (format) => shownMetrics(format, () => metrics.renderMetrics(format)),
      },
    },
    lease: runtime.lease,
    isMetricsOpen: environment.PREDICTD_METRICS_ACCESS === 'public',
    corsOrigins: environment.PREDICTD_CORS_ORIGINS,
    trustedProxies,
    live: createLiveSources({ core, venues: VENUE_APIS, bus, clock, marketTime, numbers }),
    rateLimits,
    idempotency,
    clock: wallClock,
    random,
    log,
    metrics,
    endpoints: (direct) => [
      openMcp({ environment, runtime, identity, rateLimits, version: version(), direct }),
      openWebApp(),
    ],
  });
}

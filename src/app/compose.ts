import type { Environment } from '../../config/schema.ts';
import { SAFE_CASH } from '../domain/cash.ts';
import { assert, type AppError } from '../domain/errors.ts';
import { ENABLED_PERIODS } from '../services/execution/tables.ts';
import { TRADED_MARKETS } from '../services/books/tables.ts';
import { openAdoption } from './adoption.ts';
import { addressesOf, dropAddresses, keepAddresses, type Addresses } from './addresses.ts';
import { followArrivals } from './arrivals.ts';
import { openAlerts } from './alerts.ts';
import { createCore, type Core } from './core.ts';
import { startDemoUser, strangerName, type DemoDeps } from './demo-user.ts';
import { openEquity } from './equity.ts';
import { printBanner } from './banner.ts';
import { operatorCaps } from './operator-caps.ts';
import { lateTransactions } from './late-transactions.ts';
import { openRuntime, type OpenRuntime } from './runtime.ts';
import { openFunds, type OpenFunds } from './funds.ts';
import { reportToConsole } from './console-reporter.ts';
import { reportDegraded } from './report-degraded.ts';
import { openExternalServices } from './external-services.ts';
import { openIdentity, type Identity } from './identity.ts';
import { profileOf } from './profiles.ts';
import { startSandboxWorld } from './sandbox-world.ts';
import { createViewedPositions } from '../services/portfolio/viewed-positions.ts';
import type { VenueFunds } from '../services/venues.ts';
import { createTeardown, type Teardown } from './teardown.ts';
import { openTracing } from './tracing.ts';
import { version } from './version.ts';
import { openSwaps } from './swaps.ts';
import { createTokens } from './tokens.ts';
import { walletReads } from './wallet-reads.ts';
import { watchRuntime } from './watch-runtime.ts';
import { openApi } from './api-server.ts';

/** A running daemon. */
export interface Service {
  readonly url: string;
  readonly addresses: Addresses;
  /** Ends everything in order; what was in motion is found again by the next start. */
  close(): Promise<void>;
}

/** What the process lends the service. */
export interface ServiceOptions {
  /** Shows a line to the person at the terminal. */
  readonly print: (line: string) => void;
  /**
   * Aborted when the process is to end: a start that is still under way is then called off, with
   * the signal's reason.
   */
  readonly ending?: AbortSignal;
  /**
   * Called when the service has lost what it cannot go on without; it is then to be closed and
   * ended.
   */
  readonly lost?: (cause: AppError) => void;
}

/**
 * Starts the daemon: the one start there is, which assumes a crash before it (L9). Errors, each
 * with a sentence that says what to do: `config_invalid`, `store_unavailable`, `store_locked`,
 * `store_corrupt`, `master_key_wrong`, `port_in_use`, `venue_unavailable` when the sandbox does not
 * come up.
 */
export async function startService(
  environment: Environment,
  { print, ending = new AbortController().signal, lost = () => undefined }: ServiceOptions,
): Promise<Service> {
  const teardown = createTeardown();
  try {
    const profile = profileOf(environment);
    const runtime = await openRuntime(environment, profile, {
      teardown,
      lost,
      ending,
      print,
    });
    dropAddresses(runtime.folder);
    ending.throwIfAborted();
    const endpoints =
      profile.endpoints ??
      (await startSandboxWorld(profile, { ...runtime, teardown, ending, lost }));
    ending.throwIfAborted();
    const transactions = lateTransactions();
    const external = await openExternalServices({ ...runtime, profile, endpoints, transactions });
    teardown.add(() => external.close());
    const late: { money: OpenFunds | null } = { money: null };
    const areFundsInSafes = external.venues.some(
      ({ cashAccount, redemption }) => cashAccount === SAFE_CASH && redemption === 'transaction',
    );
    const fundsInSafes: VenueFunds = {
      redeem: async (userId, marketId) => late.money?.redeem(userId, marketId),
      syncDeposits: async () => late.money?.scanDeposits() ?? 0,
      missing: (userId) => late.money?.onboarding.missing(userId) ?? ['deployment'],
    };
    const tracing = await openTracing(environment, runtime, { teardown, version });
    const core = createCore({
      ...external,
      ...runtime,
      tracing: tracing ?? undefined,
      caps: operatorCaps(environment),
      walletReads: walletReads(runtime, external),
      accountFunds: areFundsInSafes ? { [SAFE_CASH]: fundsInSafes } : {},
      transactions() {
        assert(
          late.money !== null,
          'queues of transactions are opened before anything is redeemed',
        );
        return late.money.transactions;
      },
    });
    const identity = await openIdentity(runtime, profile, {
      endpoints,
      external,
      trading: core.trading,
      print,
    });
    const money = openFunds(runtime, profile, {
      endpoints,
      external,
      trading: core.trading,
      fundsInSafes: areFundsInSafes,
    });
    late.money = money;
    transactions.join(money.transactions);
    teardown.add(() => money.close());
    money.recover(await identity.accounts.recover());
    teardown.add(() => identity.stop());
    await core.start();
    teardown.add(() => core.stop());
    core.walletRounds.start();
    const arrivals = followArrivals({ runtime, external, core, identity });
    arrivals.start();
    teardown.add(() => arrivals.stop());
    ending.throwIfAborted();
    const alerts = await openAlerts(runtime, profile, {
      commit: core.trading.commit,
      digests: identity.digests,
      endpoints,
    });
    teardown.add(() => alerts.stop());
    const feedAges = watchRuntime({ environment, runtime, core, money }, teardown);
    const tokens = createTokens(external.tokens, core, runtime);
    teardown.add(async () => tokens.stop());
    const swaps = openSwaps({ environment, runtime, external, core, identity, money, tokens });
    teardown.add(async () => swaps.stop());
    swaps.recover();
    const equity = openEquity(runtime, core, teardown);
    const viewedPositions = createViewedPositions({
      views: external.views,
      walletOf: (userId) => identity.accounts.profile(userId).wallets.evm,
      ...runtime,
      clock: runtime.wallClock,
    });
    teardown.add(async () => viewedPositions.stop());
    const adoption = openAdoption(runtime, { core, money }, teardown);
    const server = await openApi({
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
    });
    teardown.add(() => server.close());
    await runtime.announce(server.url);
    feedAges.gauge();
    const addresses = addressesOf({ profile, pid: process.pid, url: server.url, endpoints });
    keepAddresses(runtime.folder, addresses);
    teardown.add(async () => dropAddresses(runtime.folder));
    printBanner({ ...core, ...server, print, profile, folder: runtime.folder, endpoints });
    if (profile.demoUser)
      await openDemoUser({
        runtime,
        core,
        identity,
        print,
        ending,
        teardown,
        walletMissing: areFundsInSafes ? money.onboarding.missing : () => [],
      });
    return { url: server.url, addresses, close: () => teardown.run() };
  } catch (error) {
    await teardown.run();
    throw error;
  }
}

/** Prints events on the terminal and makes the demo user. */
async function openDemoUser({
  runtime,
  core,
  identity,
  print,
  ending,
  teardown,
  walletMissing,
}: Required<Pick<ServiceOptions, 'print' | 'ending'>> &
  Pick<DemoDeps, 'walletMissing'> & {
    runtime: OpenRuntime;
    core: Core;
    identity: Identity;
    teardown: Teardown;
  }): Promise<void> {
  const { bus, store, folder, wallClock: clock } = runtime;
  const { accounts, sessions, codeFor } = identity;
  const stopStory = reportToConsole({
    bus,
    store,
    print,
    clock: runtime.clock,
    nameOf: (userId) => strangerName(accounts.profile(userId)),
    marketOf: (marketId) =>
      core.venues.map(({ markets }) => markets.known(marketId)).find((known) => known !== null) ??
      store.get(TRADED_MARKETS, [marketId])?.value ??
      null,
  });
  teardown.add(async () => stopStory());
  teardown.add(reportDegraded({ log: runtime.log, print, clock, marketClock: runtime.clock }));
  const demo = await startDemoUser({
    sessions,
    accounts,
    agents: core.agents,
    portfolio: core.trading.portfolio,
    codeFor,
    walletMissing,
    folder,
    clock,
    ending,
    print,
    wasEnabled: (userId, agentId) =>
      store.range(ENABLED_PERIODS, { prefix: [userId, agentId], limit: 1 }).length > 0,
  });
  teardown.add(async () => demo.stop());
}

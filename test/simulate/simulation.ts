import { createHash } from 'node:crypto';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import type { VirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import { loadKeccak } from '../../src/adapters/wire/keccak.ts';
import { canonicalJson } from '../../src/app/replay/run-record.ts';
import type { DirectService, DirectUser } from '../../src/app/replay/direct-service.ts';
import { AppError, assert } from '../../src/domain/errors.ts';
import type { UserId } from '../../src/domain/ids.ts';
import type { JournalEntry } from '../../src/domain/events.ts';
import { asId } from '../../src/domain/ids.ts';
import type { UsdcMicros } from '../../src/domain/units.ts';
import type { ExchangePrices } from '../../src/sandbox/feeds/prices/exchange-prices.ts';
import { EXCHANGE_SLOT_MS } from '../../src/sandbox/feeds/prices/exchange-prices.ts';
import type { VenueModel } from '../../src/sandbox/engine/exchange.ts';
import {
  createPriceProcess,
  startingPrices,
} from '../../src/sandbox/feeds/prices/price-process.ts';
import type { SettlementPrices } from '../../src/sandbox/feeds/prices/settlement-prices.ts';
import { ROUND_SERIES } from '../../src/sandbox/venues/venue-a/markets/rounds.ts';
import type { MoneyContracts } from '../../src/services/wallets/contracts.ts';
import type { UserLimits } from '../../src/services/user-limits.ts';
import { createUserLimits } from '../../src/services/user-limits.ts';
import { findingsOf } from '../scenarios/findings.ts';
import type { Pace } from '../scenarios/manual-trading.ts';
import { tradeManually } from '../scenarios/manual-trading.ts';
import { openTransactions } from '../../src/services/transactions/transaction-records.ts';
import { CONTRACTS } from '../support/worlds/money-world.ts';
import { createChainVenue } from './chain/chain-venue.ts';
import { createDayChain, TAKEN_BACK_MAXIMUM } from './chain/day-chain.ts';
import { createDayRelayer } from './chain/funds-service.ts';
import type { Runtime, ServiceChain, SimulatedService } from './service.ts';
import { openRuntime } from './service.ts';
import type { MachineTime } from './machine-time.ts';
import { createMachineTime } from './machine-time.ts';
import type { PushModel } from './push-service.ts';
import { browserOf, createPushModel } from './push-service.ts';
import { factsOf, journalOf } from './checks/journal.ts';
import { journalFindings } from './checks/journal-findings.ts';
import type { VenueRecords } from './checks/venue.ts';
import type { DayCounts } from './day-counts.ts';
import { countDay } from './day-counts.ts';
import type { Happening, Plan, PlannedAgent } from './plan.ts';
import { DAY_MS, drawPlan, FARM_MS, ROUND_MS } from './plan.ts';
import { chainIds, conditionTerms } from '../../src/sandbox/venues/venue-a/markets/market-ids.ts';
import { type WorldModel, startWorldModel } from '../../src/sandbox/venues/venue-a/world-model.ts';

/** What a simulation came to. */
export interface SimulationResult {
  readonly seed: number;
  readonly days: number;
  /** SHA-256 over the journal as the disk has it at the end, 64 hex digits. */
  readonly hash: string;
  readonly lives: number;
  readonly orders: number;
  readonly fills: number;
  /** Redemptions and withdrawals that Safes carried out; none on days without a chain. */
  readonly actions: number;
  /** Messages brought to browsers. */
  readonly deliveries: number;
  readonly counts: DayCounts;
  /** What broke a law, by the name of the check; empty where all is well. */
  readonly findings: Readonly<Record<string, readonly string[]>>;
}

const START_MS = Date.UTC(2026, 6, 24, 0, 0, 20);
/**
 * No socket, file or thread belongs to a day, so the event loop need not be asked between two
 * timers.
 */
const TIMERS_PER_TURN = 256;
const HISTORY_SECONDS = 36_000;
/**
 * Time in which all must come to its end: the last round, its resolution, and the slowest of
 * retries.
 */
const REST_MS = 60 * 60_000;
/** What the venue says after the last word is in changes nothing any more. */
const AFTERWARDS_MS = 60_000;
const SLOTS_PER_SECOND = 1_000 / EXCHANGE_SLOT_MS;
/** A round's own five minutes, what comes before and what comes after. */
const ROUNDS_AROUND = [-1, 0, 1];
/**
 * Of the sandbox's questions (src/sandbox/venues/venue-a/markets/farm-questions.ts), the other
 * rounds of the venue too.
 */
const UNFIT_TO_FARM = [
  'bitcoin-above-ten-thousand',
  'rowing-final-finishes',
  'night-ferry-runs',
  'island-vote-by-discretion',
  'btc-updown',
];
const AROUND_ROUND_MS = 60_000;
const ENABLING_AGAIN_MS = 20_000;
/** Until the first round of a day: none begins in its first half hour. */
const ENABLING_ATTEMPTS = 60;
/**
 * Hands move now and then, and now and then soon enough to sell shares whose trade is not final
 * yet: most of a day's orders were theirs otherwise.
 */
const HANDS: Pace = { leastMs: 2_000, jitterMs: 30_000 };

/**
 * Lives through the days of a seed: the whole service over the model world, on the virtual clock,
 * and everything drawn from the seed (L10).
 */
export function simulate(seed: number, days: number): Promise<SimulationResult> {
  return liveThrough(drawPlan(seed, days));
}

/**
 * Lives through a plan. `contracts` say where things are on the chain and how long the service
 * waits for it; the usual ones unless stated.
 */
export async function liveThrough(
  plan: Plan,
  contracts: MoneyContracts = CONTRACTS,
): Promise<SimulationResult> {
  const { seed, days } = plan;
  const clock = createVirtualClock(START_MS, { timersPerTurn: TIMERS_PER_TURN });
  const onChain = plan.isOnChain ? openChain(clock, seed, contracts) : null;
  const model = await startModel(clock, plan, onChain);
  const pushes = createPushModel(clock, createSeededRandom(`${seed}:pushes`));
  const time = createMachineTime(clock);
  const runtime = openRuntime({
    clock,
    time,
    model,
    ...(onChain === null ? {} : { onChain }),
    exchangePrices: calmBetween(model.quotes, plan),
    seed,
    books: plan.books,
    names: plan.users.map(({ name }) => name),
    caps: plan.operatorCaps,
    pushes,
  });
  const stage: Stage = { plan, clock, time, model, onChain, runtime, pushes };
  const stopHands = settleIn(stage);
  for (const { afterMs, does } of plan.events) clock.after(afterMs, () => happen(does, stage));
  await clock.advance(days * DAY_MS);
  stopHands();
  const faultsIdle = model.faults.armed().length;
  const isAtRest = await comeToRest(stage);
  const service = runtime.service();
  const journal = [...journalOf(runtime.store())];
  const findings = {
    unrest: isAtRest
      ? []
      : ['orders, fills, positions or requests were still in motion an hour after the end'],
    problems: runtime.problems,
    ...(service === null
      ? { down: ['the service was down at the end'] }
      : findingsOf({ service, model, users: runtime.users })),
    ...journalFindings(journal, {
      users: runtime.users.map((user) => venueRecordsOf({ model, onChain }, user)),
      deliveries: pushes.deliveries,
      operatorCaps: plan.operatorCaps,
      marketEndsAtMs: new Map(
        model.exchange.markets().map(({ marketId, endsAtMs }) => [marketId, endsAtMs]),
      ),
      unfitToFarm: unfitOf(model),
      ...runtime.seen,
    }),
  };
  const counts = countDay(journal, {
    crashes: runtime.lives - 1,
    faultsDrawn: plan.events.filter(({ does }) => does.kind === 'fault').length,
    faultsIdle,
    blocksTakenBack: onChain?.chain.takenBack ?? 0,
    messages: pushes.deliveries.length,
  });
  const result = {
    seed,
    days,
    ...digestOf(journal),
    counts,
    deliveries: pushes.deliveries.length,
    lives: runtime.lives,
    findings: withoutEmpty(findings),
  };
  model.stop();
  if (service !== null)
    await Promise.race([
      Promise.all([service.push.stop(), service.money?.stop(), service.stop()]),
      clock.advance(AFTERWARDS_MS),
    ]);
  return result;
}

interface Stage {
  readonly plan: Plan;
  readonly clock: VirtualClock;
  readonly time: MachineTime;
  readonly model: WorldModel;
  readonly onChain: ServiceChain | null;
  readonly runtime: Runtime;
  readonly pushes: PushModel;
}

function openChain(clock: VirtualClock, seed: number, contracts: MoneyContracts): ServiceChain {
  const chain = createDayChain(clock, contracts);
  return {
    chain,
    relayer: createDayRelayer(chain, createSeededRandom(`${seed}:relayer`)),
    venue: createChainVenue(clock, chain),
  };
}

async function startModel(
  clock: VirtualClock,
  { seed, inferenceSkill, roundsAfterMs, farmsAfterMs }: Plan,
  onChain: ServiceChain | null,
): Promise<WorldModel> {
  const keccak = await loadKeccak();
  const farms = new Set(
    farmsAfterMs.map((afterMs) => Math.floor(START_MS / FARM_MS) * FARM_MS + afterMs),
  );
  const listed = new Set(
    roundsAfterMs.map((afterMs) => (Math.floor(START_MS / ROUND_MS) * ROUND_MS + afterMs) / 1_000),
  );
  return startWorldModel({
    clock,
    seed,
    inferenceSkill,
    prices: onlyBtc(createPriceProcess(seed, startingPrices(START_MS / 1_000 - HISTORY_SECONDS))),
    foundedAtMs: START_MS,
    ...(onChain === null
      ? {}
      : {
          settler: onChain.venue.settler,
          onVenue: (exchange: VenueModel) => onChain.venue.join(exchange),
        }),
    farmed: true,
    isFarmListed: (startsAtMs) => farms.has(startsAtMs),
    delays: { listingHorizonMs: 900_000, hydrationDelayMs: 5_000, resolutionDelayMs: 20_000 },
    recorded: {
      series: ROUND_SERIES.filter(({ asset, minutes }) => asset === 'BTC' && minutes === 5),
      idsOf: (slug) =>
        listed.has(Number(slug.split('-').at(-1)))
          ? chainIds(keccak, conditionTerms(seed), slug)
          : null,
      knownPayout: () => null,
    },
  });
}

/**
 * Prices of the one coin whose rounds are listed: those of the others, four a second all day, would
 * take a tenth of the work and move nobody.
 */
function onlyBtc(prices: SettlementPrices): SettlementPrices {
  return {
    at: (asset, second) => (asset === 'BTC' ? prices.at(asset, second) : null),
    valueAt: (asset, second) => (asset === 'BTC' ? prices.valueAt(asset, second) : null),
  };
}

/**
 * Around a round the exchange tells its price four times a second as ever, otherwise once: what
 * nobody trades on need not be so fine.
 */
function calmBetween(prices: ExchangePrices, { roundsAfterMs }: Plan): ExchangePrices {
  const first = Math.floor(START_MS / ROUND_MS);
  const busy = new Set(
    roundsAfterMs.flatMap((afterMs) =>
      ROUNDS_AROUND.map((away) => first + afterMs / ROUND_MS + away),
    ),
  );
  return {
    ...prices,
    knownFrom: (slot) =>
      busy.has(Math.floor((slot * EXCHANGE_SLOT_MS) / ROUND_MS))
        ? slot
        : Math.ceil(slot / SLOTS_PER_SECOND) * SLOTS_PER_SECOND,
  };
}

/**
 * Users bring their money, choose their strategy and enable their agents; some trade manually
 * around the rounds.
 */
function settleIn({ plan, clock, model, onChain, runtime }: Stage): () => void {
  for (const [index, { funds, settings, farming, browsers }] of plan.users.entries()) {
    for (let number = 1; number <= browsers; number += 1)
      runtime.want(({ push }) =>
        push.subscribe(
          userAt(runtime, index).userId,
          browserOf(userAt(runtime, index).userId, number),
        ),
      );
    payIn({ model, onChain, runtime }, index, funds);
    runtime.want(async (service) => {
      const { userId } = userAt(runtime, index);
      await service.core.trading.funding.syncDeposits(userId);
      await service.core.agents.updateSettings(userId, 'btc_5min', settings);
      if (farming !== null)
        await service.core.agents.updateSettings(userId, 'venue_a_farming', farming);
      for (const agent of [
        'btc_5min',
        ...(farming === null ? [] : ['venue_a_farming' as const]),
      ] as const)
        enableOnceReady({ clock, runtime }, { index, agent, attempts: ENABLING_ATTEMPTS });
    });
  }
  const random = createSeededRandom(`${plan.seed}:hands`);
  const nearRound = (): DirectService | null => {
    const sinceMs = clock.nowMs() - START_MS;
    return plan.roundsAfterMs.some(
      (startMs) =>
        sinceMs > startMs - AROUND_ROUND_MS && sinceMs < startMs + ROUND_MS + AROUND_ROUND_MS,
    )
      ? runtime.service()
      : null;
  };
  const stops = plan.users.flatMap(({ name, tradesManually }) =>
    tradesManually
      ? [
          tradeManually({
            service: nearRound,
            model,
            clock,
            random,
            userId: asId<UserId>(name),
            pace: HANDS,
          }),
        ]
      : [],
  );
  return () => stops.forEach((stop) => stop());
}

/**
 * A Safe takes its time to stand, and a deposit to be final: who is told that something is missing
 * tries again.
 */
function enableOnceReady(
  { clock, runtime }: Pick<Stage, 'clock' | 'runtime'>,
  {
    index,
    agent,
    attempts,
  }: { readonly index: number; readonly agent: PlannedAgent; readonly attempts: number },
): void {
  runtime.want(async (service) => {
    try {
      await service.core.agents.enable(userAt(runtime, index).userId, agent);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'agent_not_ready' || attempts === 1)
        throw error;
      clock.after(ENABLING_AGAIN_MS, () =>
        enableOnceReady({ clock, runtime }, { index, agent, attempts: attempts - 1 }),
      );
    }
  });
}

/**
 * Money reaches the Safe once, whatever becomes of the service meanwhile; the service books it when
 * it looks.
 */
function payIn(
  { model, onChain, runtime }: Pick<Stage, 'model' | 'onChain' | 'runtime'>,
  index: number,
  usdc: UsdcMicros,
): void {
  let isPaid = false;
  runtime.want(async (service) => {
    const { userId, address } = userAt(runtime, index);
    if (!isPaid && onChain === null) model.exchange.deposit(address, usdc);
    else if (!isPaid) onChain?.chain.mint(address, usdc);
    isPaid = true;
    await service.core.trading.funding.syncDeposits(userId);
  });
}

function userAt({ users }: Runtime, index: number): DirectUser {
  const user = users[index];
  assert(user !== undefined, `user ${index} is open before anything is asked of the service`);
  return user;
}

function happen(does: Happening, { clock, time, model, onChain, runtime, plan }: Stage): void {
  switch (does.kind) {
    case 'fault':
      return model.faults.arm(does.name, does.rule);
    case 'cut':
      return runtime.cut(does.keptCommits, does.downMs);
    case 'cut-in-commit':
      return runtime.cutInCommit(does);
    case 'clock-step':
      time.step(does.stepMs);
      clock.after(does.lastsMs, () => time.step(-does.stepMs));
      return;
    case 'disk-full':
      return runtime.fillDisk(does.commits);
    case 'deposit':
      return payIn({ model, onChain, runtime }, does.user, does.usdc);
    case 'withdraw':
      return runtime.want(async (service) =>
        service.money?.withdrawals.withdraw(userAt(runtime, does.user).userId, {
          usdc: does.usdc,
          key: does.key,
        }),
      );
    case 'chain-down':
      onChain?.chain.setDown(true);
      clock.after(does.lastsMs, () => onChain?.chain.setDown(false));
      return;
    case 'blocks-taken-back':
      return onChain?.chain.takeBack({ depth: does.depth, losesPayments: false });
    case 'payment-lost': {
      const payee = runtime.users[does.user];
      if (payee === undefined) return;
      onChain?.chain.mint(payee.address, does.usdc);
      // As deep as it goes: the payment is there for a block's time, for whoever counts it too
      // soon.
      return onChain?.chain.takeBack({ depth: TAKEN_BACK_MAXIMUM, losesPayments: true });
    }
    case 'disable':
      return runtime.want((service) =>
        service.core.agents.disable(userAt(runtime, does.user).userId, does.agent),
      );
    case 'enable':
      return runtime.want((service) =>
        service.core.agents.enable(userAt(runtime, does.user).userId, does.agent, {
          mode: does.mode,
          onStop: does.onStop,
        }),
      );
    case 'settings':
      return runtime.want((service) =>
        service.core.agents.updateSettings(
          userAt(runtime, does.user).userId,
          does.agent,
          does.settings,
        ),
      );
    case 'limits':
      return runtime.want((service) =>
        limitsOf(service, { clock, plan }).change(userAt(runtime, does.user).userId, does.limits),
      );
    case 'stop-agents':
      return runtime.want((service) =>
        service.core.agents.stopAll(userAt(runtime, does.user).userId),
      );
    case 'stop': {
      const { policy } = does;
      const set = (stopped: boolean): void =>
        runtime.want((service) =>
          service.core.orders.setStop(
            does.user === null
              ? { kind: 'all' }
              : { kind: 'user', userId: userAt(runtime, does.user).userId },
            stopped,
            `${policy}: the day wants it`,
            policy,
          ),
        );
      set(true);
      clock.after(does.lastsMs, () => set(false));
      return;
    }
  }
}

function limitsOf(
  { store, core }: SimulatedService,
  { clock, plan }: Pick<Stage, 'clock' | 'plan'>,
): UserLimits {
  return createUserLimits({
    store,
    commit: core.trading.commit,
    clock,
    operator: plan.operatorCaps,
  });
}

/**
 * What those outside have on record of a user. Where there is no chain the model that settles
 * trades stands for its contracts.
 */
function venueRecordsOf(
  { model: { exchange }, onChain }: Pick<Stage, 'model' | 'onChain'>,
  { userId, address }: DirectUser,
): VenueRecords {
  // Shares of what lost lie on the chain for ever, and are out of everybody's books.
  const tokens = exchange
    .markets()
    .flatMap(({ marketId, tokens: both }) =>
      both.filter((_token, outcome) => exchange.payout(marketId)?.[outcome] !== 0),
    );
  const atVenue = new Map<string, number>([
    ['usdc:safe', exchange.balanceOf(address)],
    ...tokens.map((token): readonly [string, number] => [token, exchange.sharesOf(address, token)]),
  ]);
  const chain = onChain?.chain;
  const onTheChain =
    chain === undefined
      ? atVenue
      : new Map<string, number>([
          ['usdc:safe', Number(chain.state.tokenOf(chain.contracts.collateral, address))],
          ...tokens.map((token): readonly [string, number] => [
            token,
            Number(chain.state.sharesOf(address, token)),
          ]),
        ]);
  return {
    userId,
    activity: exchange.activityOf(address),
    trades: exchange.tradesOf(new Set([address])),
    atVenue,
    balances: onTheChain,
  };
}

/**
 * Markets that farming agents must leave alone: prices of coins, sports, and what the assessor
 * blocks.
 */
function unfitOf({ exchange }: WorldModel): ReadonlySet<string> {
  return new Set(
    exchange
      .markets()
      .filter(({ slug }) => UNFIT_TO_FARM.some((name) => slug.startsWith(name)))
      .map(({ marketId }) => marketId),
  );
}

/** Nothing goes wrong any more, agents stop, orders are taken back; true once all is in. */
async function comeToRest({ clock, model, onChain, runtime, pushes }: Stage): Promise<boolean> {
  runtime.calm();
  pushes.calm();
  onChain?.relayer.calm();
  onChain?.chain.setDown(false);
  model.faults.clearAll();
  for (const { userId } of runtime.users) {
    runtime.want((service) => service.core.agents.stopAll(userId));
    runtime.want(async (service) => {
      for (const { intent } of service.core.orders.listOpen(userId))
        await service.core.orders.cancel(userId, intent.intentId);
    });
  }
  const isAtRest = await clock.advanceUntil(() => {
    const service = runtime.service();
    return (
      service !== null &&
      runtime.wanted === 0 &&
      pushes.isQuiet &&
      (onChain?.venue.isQuiet ?? true) &&
      runtime.users.every(({ userId }) => isIdle(service, userId))
    );
  }, REST_MS);
  await clock.advance(AFTERWARDS_MS);
  return isAtRest;
}

function isIdle({ core, store }: DirectService, userId: UserId): boolean {
  const { provisional } = core.trading.portfolio.cash(userId, 'usdc:safe');
  return (
    core.orders.listOpen(userId).length === 0 &&
    openTransactions(store, userId).length === 0 &&
    provisional === 0 &&
    core.trading.portfolio.holdings(userId, { type: 'open' }).length === 0
  );
}

function digestOf(
  journal: readonly JournalEntry[],
): Pick<SimulationResult, 'hash' | 'orders' | 'fills' | 'actions'> {
  const digest = createHash('sha256');
  for (const { event } of journal) digest.update(canonicalJson(event)).update('\n');
  const actions = factsOf(journal, 'transaction.changed').filter(
    ({ transaction: { state, purpose } }) =>
      state === 'done' && (purpose.kind === 'redeem' || purpose.kind === 'withdraw'),
  );
  return {
    hash: digest.digest('hex'),
    orders: factsOf(journal, 'order.intended').length,
    fills: factsOf(journal, 'fill.recorded').length,
    actions: actions.length,
  };
}

function withoutEmpty(
  findings: Readonly<Record<string, readonly string[]>>,
): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(Object.entries(findings).filter(([, found]) => found.length > 0));
}

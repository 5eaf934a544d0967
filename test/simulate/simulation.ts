import { createHash } from 'node:crypto';
import { createVirtualClock, type VirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import type { Transport } from '../../src/adapters/wire/transport.ts';
import { loadKeccak } from '../../src/adapters/wire/keccak.ts';
import { canonicalJson } from '../../src/tools/replay/run-record.ts';
import type { DirectService, DirectUser } from '../../src/tools/replay/direct-service.ts';
import { CASH_ACCOUNTS } from '../../src/domain/cash.ts';
import { AppError, assert } from '../../src/domain/errors.ts';
import { asId, type UserId } from '../../src/domain/ids.ts';
import type { JournalEntry } from '../../src/domain/events.ts';
import type { UsdcMicros } from '../../src/domain/units.ts';
import {
  EXCHANGE_SLOT_MS,
  type ExchangePrices,
} from '../../src/sandbox/feeds/prices/exchange-prices.ts';
import type { VenueModel } from '../../src/sandbox/engine/exchange.ts';
import {
  createPriceProcess,
  startingPrices,
} from '../../src/sandbox/feeds/prices/price-process.ts';
import type { SettlementPrices } from '../../src/sandbox/feeds/prices/settlement-prices.ts';
import { ROUND_SERIES } from '../../src/sandbox/venues/venue-a/markets/rounds.ts';
import type { MoneyContracts } from '../../src/services/wallets/contracts.ts';
import { createUserLimits, type UserLimits } from '../../src/services/user-limits.ts';
import { findingsOf } from '../scenarios/findings.ts';
import { tradeManually, type Pace } from '../scenarios/manual-trading.ts';
import { openTransactions } from '../../src/services/transactions/transaction-records.ts';
import { CONTRACTS } from '../support/worlds/money-world.ts';
import { createChainVenue } from './chain/chain-venue.ts';
import { createDayChain, TAKEN_BACK_MAXIMUM } from './chain/day-chain.ts';
import { createDayRelayer } from './chain/funds-service.ts';
import type { LifeOptions, ServiceChain, SimulatedService } from './life.ts';
import { openRuntime, type Runtime } from './service.ts';
import { createMachineTime, type MachineTime } from './machine-time.ts';
import { browserOf, createPushModel, type PushModel } from './push-service.ts';
import { factsOf, journalOf } from './checks/journal.ts';
import { journalFindings } from './checks/journal-findings.ts';
import type { VenueRecords } from './checks/venue.ts';
import { countDay, type DayCounts } from './day-counts.ts';
import {
  openContractDay,
  type ContractDay,
  type ContractRecords,
} from './contracts/contract-day.ts';
import { contractFindings } from './contracts/contract-findings.ts';
import { tradeContracts } from './contracts/contract-hands.ts';
import type { Happening, PlannedAgent } from './happenings.ts';
import { openMachines, type PlantedMachines } from './machines/machines.ts';
import { DAY_MS, drawMachinePlan, drawPlan, FARM_MS, ROUND_MS, type Plan } from './plan.ts';
import { chainIds } from '../../src/sandbox/chains/evm/outcome-ids.ts';
import { conditionTerms } from '../../src/sandbox/venues/venue-a/markets/market-ids.ts';
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
 * and everything drawn from the seed (L10). More machines than one are two that take turns.
 */
export function simulate(seed: number, days: number, machines = 1): Promise<SimulationResult> {
  return liveThrough(machines === 1 ? drawPlan(seed, days) : drawMachinePlan(seed, days));
}

/** What a service is made otherwise with, so that it is found out. */
export interface Planted {
  /** Where things are on the chain of Safes, and how long the service waits for it. */
  readonly deployed?: MoneyContracts;
  /** The service's way to venue_b and its chain. */
  readonly wayToContracts?: (way: Transport) => Transport;
  /** Given to come to rest, ms: who is found out often never does. `REST_MS` unless stated. */
  readonly restMs?: number;
  /** Of days on which machines take turns. */
  readonly machines?: PlantedMachines;
}

/** Lives through a plan. */
export async function liveThrough(
  plan: Plan,
  {
    deployed = CONTRACTS,
    wayToContracts = (way) => way,
    restMs = REST_MS,
    machines: planted = {},
  }: Planted = {},
): Promise<SimulationResult> {
  const { seed, days } = plan;
  const clock = createVirtualClock(START_MS, { timersPerTurn: TIMERS_PER_TURN });
  const onChain = plan.isOnChain ? openChain(clock, seed, deployed) : null;
  const model = await startModel(clock, plan, onChain);
  const contracts = plan.contracts === null ? null : openContractDay(clock, seed, model);
  const pushes = createPushModel(clock, createSeededRandom(`${seed}:pushes`));
  const time = createMachineTime(clock);
  const options: LifeOptions = {
    clock,
    time,
    model,
    ...(onChain === null ? {} : { onChain }),
    ...(contracts === null
      ? {}
      : {
          beside: [
            { ...contracts.inReach, transport: wayToContracts(contracts.inReach.transport) },
          ],
        }),
    exchangePrices: calmBetween(model.quotes, plan),
    seed,
    books: plan.books,
    names: plan.users.map(({ name }) => name),
    caps: plan.operatorCaps,
    pushes,
  };
  const machines = plan.disturbances === null ? null : openMachines(options, planted);
  const runtime = machines ?? openRuntime(options);
  const stage: Stage = { plan, clock, time, model, onChain, contracts, runtime, pushes };
  const stopHands = settleIn(stage);
  for (const { afterMs, does } of plan.events) clock.after(afterMs, () => happen(does, stage));
  for (const { afterMs, disturbs } of plan.disturbances ?? [])
    clock.after(afterMs, () => machines?.disturb(disturbs));
  await clock.advance(days * DAY_MS);
  stopHands();
  const faultsIdle = model.faults.armed().length;
  const isAtRest = await comeToRest(stage, restMs);
  const service = runtime.service();
  const journal = [...journalOf(runtime.store())];
  const findings = {
    unrest: isAtRest
      ? []
      : ['orders, fills, positions or requests were still in motion long after the end'],
    problems: runtime.problems,
    ...(service === null
      ? { down: ['the service was down at the end'] }
      : findingsOf({
          service,
          model,
          users: runtime.users,
          heldElsewhere: (user) => contracts?.records(user).balances ?? new Map(),
        })),
    ...(contracts === null ? {} : contractFindings(contracts, runtime)),
    ...machines?.findings(),
    ...journalFindings(journal, {
      users: runtime.users.map((user) => venueRecordsOf(stage, user)),
      deliveries: pushes.deliveries,
      operatorCaps: plan.operatorCaps,
      marketEndsAtMs: new Map<string, number>([
        ...model.exchange
          .markets()
          .map(({ marketId, endsAtMs }): readonly [string, number] => [marketId, endsAtMs]),
        ...(contracts?.marketEndsAtMs() ?? []),
      ]),
      unfitToFarm: new Set([...unfitOf(model), ...(contracts?.unfitToFarm() ?? [])]),
      ...runtime.seen,
    }),
  };
  const counts = countDay(journal, {
    crashes: runtime.lives - 1,
    faultsDrawn: plan.events.filter(
      ({ does }) => does.kind === 'fault' || does.kind === 'contract-fault',
    ).length,
    faultsIdle,
    blocksTakenBack: onChain?.chain.takenBack ?? 0,
    messages: pushes.deliveries.length,
    machines: machines?.counts() ?? null,
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
  contracts?.close();
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
  readonly contracts: ContractDay | null;
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
 * take a tenth of the work and change no decision.
 */
function onlyBtc(prices: SettlementPrices): SettlementPrices {
  return {
    at: (asset, second) => (asset === 'BTC' ? prices.at(asset, second) : null),
    valueAt: (asset, second) => (asset === 'BTC' ? prices.valueAt(asset, second) : null),
  };
}

/**
 * Around a round the exchange tells its price four times a second as ever, otherwise once: what
 * is not traded on need not be so fine.
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
function settleIn(stage: Stage): () => void {
  const { plan, clock, model, onChain, runtime } = stage;
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
  const near = (roundsAfterMs: readonly number[]) => (): DirectService | null => {
    const sinceMs = clock.nowMs() - START_MS;
    return roundsAfterMs.some(
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
            service: near(plan.roundsAfterMs),
            model,
            clock,
            random,
            userId: asId<UserId>(name),
            pace: HANDS,
          }),
        ]
      : [],
  );
  const ends = [...stops, ...settleInContracts(stage, near(plan.contracts?.roundsAfterMs ?? []))];
  return () => ends.forEach((stop) => stop());
}

/** Users bring their money to venue_b, choose what they farm there, and some trade manually. */
function settleInContracts(
  { plan, clock, contracts, runtime }: Stage,
  service: () => DirectService | null,
): readonly (() => void)[] {
  if (plan.contracts === null || contracts === null) return [];
  const random = createSeededRandom(`${plan.seed}:contract hands`);
  return plan.contracts.traders.flatMap(({ funds, tradesManually, farming }, index) => {
    const name = plan.users[index]?.name;
    assert(name !== undefined, 'traders are users');
    let isKnown = false;
    runtime.want(async ({ core }) => {
      const user = userAt(runtime, index);
      if (!isKnown) {
        contracts.know(user);
        contracts.give(user, funds);
      }
      isKnown = true;
      if (farming !== null)
        await core.agents.updateSettings(user.userId, 'venue_b_farming', farming);
    });
    return tradesManually
      ? [tradeContracts({ service, model: contracts.model, clock, random, userId: asId(name) })]
      : [];
  });
}

/**
 * A Safe takes its time to be deployed, and a deposit to be final: who is refused for what is
 * missing tries again.
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

function happen(
  does: Happening,
  { clock, time, model, onChain, contracts, runtime, plan }: Stage,
): void {
  switch (does.kind) {
    case 'contract-fault':
      contracts?.faults.arm(does.name, does.rule);
      clock.after(does.lastsMs, () => contracts?.faults.clear(does.name));
      return;
    case 'contract-deposit': {
      const payee = runtime.users[does.user];
      if (payee !== undefined) contracts?.give(payee, does.usdc);
      return;
    }
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
 * trades takes the place of its contracts.
 */
function venueRecordsOf(
  { model: { exchange }, onChain, contracts }: Stage,
  user: DirectUser,
): VenueRecords {
  const { userId, address } = user;
  const there = contracts?.records(user) ?? NO_CONTRACTS;
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
    activity: [...exchange.activityOf(address), ...there.activity],
    trades: [...exchange.tradesOf(new Set([address])), ...there.trades],
    atVenue: new Map([...atVenue, ...there.balances]),
    balances: new Map([...onTheChain, ...there.balances]),
  };
}

const NO_CONTRACTS: ContractRecords = { activity: [], trades: [], balances: new Map() };

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
async function comeToRest(stage: Stage, restMs: number): Promise<boolean> {
  const { clock, model, onChain, contracts, runtime, pushes } = stage;
  runtime.calm();
  pushes.calm();
  onChain?.relayer.calm();
  onChain?.chain.setDown(false);
  model.faults.clearAll();
  contracts?.faults.clearAll();
  for (const { userId } of runtime.users) {
    runtime.want((service) => service.core.agents.stopAll(userId));
    runtime.want(async (service) => {
      for (const { intent } of service.core.orders.listOpen(userId))
        await service.core.orders.cancel(userId, intent.intentId);
      for (const { position } of service.core.trading.portfolio.holdings(userId, { type: 'open' }))
        contracts?.end(position.marketId);
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
  }, restMs);
  // What arrived while no user was about is booked by the next synchronization.
  if (contracts !== null)
    for (const { userId } of runtime.users)
      runtime.want((service) => service.core.trading.funding.syncDeposits(userId));
  await clock.advance(AFTERWARDS_MS);
  return isAtRest;
}

function isIdle({ core, store }: DirectService, userId: UserId): boolean {
  return (
    core.orders.listOpen(userId).length === 0 &&
    openTransactions(store, userId).length === 0 &&
    CASH_ACCOUNTS.every(
      (account) => core.trading.portfolio.cash(userId, account).provisional === 0,
    ) &&
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

import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import { assert } from '../../src/domain/errors.ts';
import type { RiskCaps } from '../../src/domain/reservation.ts';
import { STRATEGIES } from '../../src/domain/strategy/table.ts';
import type { UsdcMicros } from '../../src/domain/units.ts';
import type { Random } from '../../src/ports/random.ts';
import { drawContracts, type ContractPlan } from './contracts/contract-plan.ts';
import { drawDisturbance, type PlannedDisturbance } from './machines/disturbances.ts';
import {
  drawFarm,
  drawHappening,
  drawMoney,
  drawSize,
  usd,
  type PlannedAgent,
  type PlannedEvent,
} from './happenings.ts';

/** A user of a simulated day. */
interface PlannedUser {
  readonly name: string;
  readonly funds: UsdcMicros;
  /** Of the agent of rounds, as the interface takes them. */
  readonly settings: Readonly<Record<string, string>>;
  /** Of the farming agent; null for a user who does not farm. */
  readonly farming: Readonly<Record<string, string>> | null;
  /** True for one who also trades manually. */
  readonly tradesManually: boolean;
  /** Browsers subscribed to notifications. */
  readonly browsers: number;
}

/** All that a simulation does by itself, drawn before it begins. */
export interface Plan {
  readonly seed: number;
  readonly days: number;
  readonly books: 'direct' | 'channel';
  readonly inferenceSkill: number;
  /**
   * True where users' money lies in Safes on a chain: trades settle there, wins are redeemed by
   * their owners, and money comes and goes.
   */
  readonly isOnChain: boolean;
  /** Null on days on which venue_b is not open. */
  readonly contracts: ContractPlan | null;
  readonly operatorCaps: RiskCaps;
  readonly users: readonly PlannedUser[];
  /** Starts of the rounds that the venue lists, ms after the beginning. */
  readonly roundsAfterMs: readonly number[];
  /**
   * Starts of the generations of markets to farm, ms after the beginning of the clock's half hour
   * in which the days begin.
   */
  readonly farmsAfterMs: readonly number[];
  /** In order of time. */
  readonly events: readonly PlannedEvent[];
  /** What happens to the machines that take turns; null where the service has one alone. */
  readonly disturbances: readonly PlannedDisturbance[] | null;
}

export const DAY_MS = 86_400_000;
export const ROUND_MS = 300_000;
/**
 * Rounds listed in a day, of the 288 there are: what happens between two of them is the same
 * nothing each time.
 */
const ROUNDS_PER_DAY = 8;
/** What happens falls into a round or the minutes around it. */
const AROUND_MS = 60_000;
const EVENTS_PER_ROUND = 8;
/**
 * A generation of markets to farm lives for half an hour, and one is listed a day: its makers quote
 * eleven markets.
 */
export const FARM_MS = 1_800_000;
const FARMS_PER_DAY = 1;
const EVENTS_PER_FARM = 10;
const DISTURBANCES_PER_ROUND = 4;
const DISTURBANCES_PER_FARM = 6;
/** One day in so many has a chain: it is dearer than one on which the venue pays by itself. */
const CHAIN_DAYS_IN = 3;
const MONEY_EVENTS_PER_ROUND = 4;
/** venue_b is open on one day in so many. */
const CONTRACT_DAYS_IN = 2;

/** Draws a plan: the same seed gives the same one (L10). */
export function drawPlan(seed: number, days: number): Plan {
  const random = createSeededRandom(`${seed}:plan`);
  const books = random.integer(3) === 0 ? 'channel' : 'direct';
  const users = Array.from({ length: 3 + random.integer(3) }, (_, index) =>
    drawUser(random, index),
  );
  const roundsAfterMs = Array.from({ length: days }, (_, day) =>
    drawRounds(random).map((round) => day * DAY_MS + round * ROUND_MS),
  ).flat();
  const farmsAfterMs = Array.from({ length: days }, (_, day) =>
    Array.from({ length: FARMS_PER_DAY }, () => day * DAY_MS + (1 + random.integer(46)) * FARM_MS),
  ).flat();
  const around = (
    startMs: number,
    lastsMs: number,
    most: number,
    agent: PlannedAgent,
  ): readonly PlannedEvent[] =>
    Array.from({ length: random.integer(most + 1) }, () => ({
      afterMs: startMs - AROUND_MS + random.integer(lastsMs + 2 * AROUND_MS),
      does: drawHappening(random, { users: users.length, books, agent }),
    }));
  const money = createSeededRandom(`${seed}:money`);
  const isOnChain = money.integer(CHAIN_DAYS_IN) === 0;
  const moneyEvents = !isOnChain
    ? []
    : roundsAfterMs.flatMap((startMs, round) =>
        Array.from(
          { length: money.integer(MONEY_EVENTS_PER_ROUND + 1) },
          (_, index): PlannedEvent => ({
            afterMs: startMs + money.integer(2 * ROUND_MS),
            does: drawMoney(money, { users: users.length, key: `out-${round}-${index}` }),
          }),
        ),
      );
  const chance = createSeededRandom(`${seed}:contracts`);
  const contracts =
    chance.integer(CONTRACT_DAYS_IN) === 0
      ? drawContracts(chance, { users: users.length, days, books, roundsAfterMs })
      : null;
  const events = [
    ...(contracts?.events ?? []),
    ...moneyEvents,
    ...roundsAfterMs.flatMap((startMs) => around(startMs, ROUND_MS, EVENTS_PER_ROUND, 'btc_5min')),
    ...farmsAfterMs.flatMap((startMs) =>
      around(startMs, FARM_MS, EVENTS_PER_FARM, 'venue_a_farming'),
    ),
  ].sort((a, b) => a.afterMs - b.afterMs);
  const operatorCaps = {
    orderUsdc: usd(15 + random.integer(10)),
    exposureUsdc: usd(60 + random.integer(100)),
    openPositions: 3 + random.integer(5),
    dailyLossUsdc: usd(80 + random.integer(200)),
  };
  return {
    seed,
    days,
    books,
    isOnChain,
    contracts,
    inferenceSkill: 0.5 + random.integer(50) / 100,
    operatorCaps,
    users,
    roundsAfterMs,
    farmsAfterMs,
    events,
    disturbances: null,
  };
}

/**
 * Draws a plan for two machines that take turns: the day of the same seed, and what happens to its
 * machines besides.
 */
export function drawMachinePlan(seed: number, days: number): Plan {
  const plan = drawPlan(seed, days);
  const random = createSeededRandom(`${seed}:machines`);
  const within = (startMs: number, lastsMs: number, most: number): readonly PlannedDisturbance[] =>
    Array.from({ length: random.integer(most + 1) }, () => ({
      afterMs: startMs - AROUND_MS + random.integer(lastsMs + 2 * AROUND_MS),
      disturbs: drawDisturbance(random),
    }));
  return {
    ...plan,
    disturbances: [
      ...plan.roundsAfterMs.flatMap((startMs) => within(startMs, ROUND_MS, DISTURBANCES_PER_ROUND)),
      ...plan.farmsAfterMs.flatMap((startMs) => within(startMs, FARM_MS, DISTURBANCES_PER_FARM)),
    ].sort((a, b) => a.afterMs - b.afterMs),
  };
}

function drawUser(random: Random, index: number): PlannedUser {
  const rows = STRATEGIES.of('btc_5min');
  const row = rows[random.integer(rows.length)];
  assert(row !== undefined, 'the agent has strategies');
  // Any difference will do: a strategy that asks for a large one would hardly trade.
  const settings = {
    ...drawSize(random),
    strategy: row.strategy,
    ...(row.reads.includes('inferenceDifferencePercent')
      ? { inferenceDifferencePercent: '0' }
      : {}),
  };
  return {
    name: `usr_${index + 1}`,
    funds: usd(40 + random.integer(300)),
    settings,
    farming: random.integer(4) > 0 ? { ...drawSize(random), ...drawFarm(random) } : null,
    tradesManually: index === 0 || random.integer(3) === 0,
    browsers: 1 + random.integer(2),
  };
}

/** Numbers of rounds within a day, apart from the first half hour, in order. */
function drawRounds(random: Random): readonly number[] {
  const drawn = new Set<number>();
  while (drawn.size < ROUNDS_PER_DAY) drawn.add(6 + random.integer(276));
  return [...drawn].sort((a, b) => a - b);
}

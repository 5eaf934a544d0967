import { STOP_POLICIES } from '../../../src/domain/agent.ts';
import type { UsdcMicros } from '../../../src/domain/units.ts';
import type { Random } from '../../../src/ports/random.ts';
import { CONTRACT_FAULTS } from '../../support/contract-faults.ts';
import {
  drawContractFarm,
  drawHappening,
  usd,
  type Happening,
  type PlannedEvent,
} from '../happenings.ts';

/** What a user of a day brings to venue_b. */
interface PlannedTrader {
  readonly funds: UsdcMicros;
  readonly tradesManually: boolean;
  /** Settings of the farming agent; null for one who does not farm there. */
  readonly farming: Readonly<Record<string, string>> | null;
}

/** What a day holds of venue_b: trading by hand around rounds, and hours in which it is farmed. */
export interface ContractPlan {
  /** In the order of the users. */
  readonly traders: readonly PlannedTrader[];
  /** Starts of the rounds around which hands trade, ms after the beginning. */
  readonly roundsAfterMs: readonly number[];
  /** Beginnings of the hours in which agents farm, as above. */
  readonly hoursAfterMs: readonly number[];
  /** In no order. */
  readonly events: readonly PlannedEvent[];
}

/** What a plan is drawn over. */
export interface ContractDays {
  readonly users: number;
  readonly days: number;
  readonly books: 'direct' | 'channel';
  readonly roundsAfterMs: readonly number[];
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const ROUND_MS = 300_000;
/** Each hour ends markets that are held. */
const FARMED_MS = HOUR_MS;
/** Hands trade contracts around one round in so many: orders on a chain are dear to simulate. */
const TRADED_ROUNDS_IN = 2;
const FAULTS_PER_ROUND = 8;
const FAULTS_PER_FARM = 12;
const EVENTS_PER_FARM = 8;
const DEPOSITS_PER_DAY = 3;

/** Draws it: the same chance gives the same plan (L10). */
export function drawContracts(random: Random, days: ContractDays): ContractPlan {
  const { users } = days;
  const roundsAfterMs = days.roundsAfterMs.filter((_, index) => index % TRADED_ROUNDS_IN === 0);
  const traders = Array.from(
    { length: users },
    (_, index): PlannedTrader => ({
      funds: usd(40 + random.integer(200)),
      tradesManually: index === 0 || random.integer(2) === 0,
      farming: index === 0 || random.integer(2) === 0 ? drawContractFarm(random) : null,
    }),
  );
  const farmers = traders.flatMap(({ farming }, user) => (farming === null ? [] : [user]));
  const hoursAfterMs = Array.from(
    { length: days.days },
    (_, day) => day * DAY_MS + HOUR_MS + random.integer(DAY_MS - 4 * HOUR_MS),
  );
  const within = (fromMs: number, lastsMs: number, most: number, draw: () => Happening) =>
    Array.from({ length: random.integer(most + 1) }, () => ({
      afterMs: fromMs + random.integer(lastsMs),
      does: draw(),
    }));
  const fault = () => drawFault(random);
  return {
    traders,
    roundsAfterMs,
    hoursAfterMs,
    events: [
      ...roundsAfterMs.flatMap((startMs) => within(startMs, ROUND_MS, FAULTS_PER_ROUND, fault)),
      ...hoursAfterMs.flatMap((startMs) => [
        ...within(startMs, FARMED_MS, FAULTS_PER_FARM, fault),
        ...within(startMs, FARMED_MS, EVENTS_PER_FARM, () =>
          drawHappening(random, { users, books: days.books, agent: 'venue_b_farming' }),
        ),
        ...farmers.flatMap((user) => farmed(random, user, startMs)),
      ]),
      ...within(0, days.days * DAY_MS, DEPOSITS_PER_DAY * days.days, () => ({
        kind: 'contract-deposit',
        user: random.integer(users),
        usdc: usd(1 + random.integer(50)),
      })),
    ],
  };
}

/** An agent is enabled for real money, and switched off again with what it then wants done. */
function farmed(random: Random, user: number, startMs: number): readonly PlannedEvent[] {
  const agent = 'venue_b_farming';
  return [
    {
      afterMs: startMs,
      does: {
        kind: 'enable',
        user,
        agent,
        mode: 'live',
        onStop: STOP_POLICIES[random.integer(STOP_POLICIES.length)] ?? 'keep',
      },
    },
    { afterMs: startMs + FARMED_MS, does: { kind: 'disable', user, agent } },
  ];
}

function drawFault(random: Random): Happening {
  const name = CONTRACT_FAULTS[random.integer(CONTRACT_FAULTS.length)] ?? 'slow-fill';
  return {
    kind: 'contract-fault',
    name,
    rule: random.integer(4) === 0 ? { percent: 60 } : { times: 1 + random.integer(3) },
    lastsMs: 1_000 + random.integer(60_000),
  };
}

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { killKeptDaemons } from './support/kept-daemon.ts';
import type { Kills } from './support/kills.ts';
import { tradingDay, type DayEnd } from './support/trading-day.ts';
import { IS_WHOLE, sampled } from '../support/sampled.ts';

/**
 * Facts of the day, each of them a durable step or part of one. Whether the answer or the fill of a
 * purchase is heard first is the network's.
 */
const FACTS = [
  'user.created',
  'ledger:deposit',
  'order.intended+order.signed',
  'signed->',
  '->filled',
  '->live of buy',
  'fill.recorded',
  'ledger:fill',
  'ledger:settle+fill.settled',
  'live->cancelled',
  'orders of buy',
  'ledger:reverse+fill.reversed',
  'market.resolved',
  'ledger:payout+position:redeemed',
  'idempotency_keys',
];

/**
 * Safes have a day of their own (money-day.test.ts), and one key of a caller is killed at for all.
 */
const ELSEWHERE = '(?!(deploy|allowances):|idempotency\\S+ of key (rest|sell|ghost))';

/**
 * An order killed right after its intent is found in doubt by the next life: such orders have a day
 * of their own.
 */
const INTENT = 'order.intended+order.signed';
/** What a sample kills at: before the first half of these and each intent, after the others. */
const SOME = sampled(
  'facts of a trading day',
  FACTS.filter((fact) => fact !== INTENT),
  4,
);

const WAYS = {
  'not killed': null,
  'killed before each step': { before: new RegExp(`^${ELSEWHERE}`), after: null },
  'killed after each step': {
    before: null,
    after: new RegExp(`^${ELSEWHERE}(?!order\\.intended)`),
  },
  'killed after each intent': { before: null, after: /^order\.intended|unknown/ },
  'killed at some steps': { before: at(...SOME.slice(0, 2), INTENT), after: at(...SOME.slice(2)) },
} as const satisfies Readonly<Record<string, Kills | null>>;
type Way = keyof typeof WAYS;

/** Steps of these facts, as far as this day is about them. */
function at(...facts: readonly string[]): RegExp {
  const named = facts.map((fact) => fact.replace(/[+>*]/g, '\\$&'));
  return new RegExp(`^${ELSEWHERE}(?=.*(?:${named.join('|')}))`);
}
const EACH = [
  'killed before each step',
  'killed after each step',
  'killed after each intent',
] as const;
const KILLED: readonly Way[] = IS_WHOLE ? EACH : ['killed at some steps'];

const days = new Map<string, DayEnd>();

// A day is mostly waits, above all for a process to start: all are lived at once.
beforeAll(async () => {
  await Promise.all(
    (['not killed', ...KILLED] as const).map(async (way) =>
      days.set(way, await tradingDay(WAYS[way])),
    ),
  );
}, 600_000);
afterAll(killKeptDaemons);

function day(way: Way): DayEnd {
  const lived = days.get(way);
  if (lived === undefined) throw new Error(`no day was lived ${way}`);
  return lived;
}

/** What days that came to the same end share. */
function outcome({ steps: _steps, killedAt: _killedAt, lives: _lives, ...rest }: DayEnd): unknown {
  return rest;
}

function factsMissing(steps: readonly string[]): readonly string[] {
  return FACTS.filter((fact) => !steps.some((step) => step.includes(fact)));
}

describe('the daemon, killed by SIGKILL at every durable step of a trading day', () => {
  it('lives a day with a deposit, a purchase, a part fill, a cancel, a sale, a failed settlement and a payout', () => {
    const whole = day('not killed');
    expect(whole).toMatchObject({
      lives: 1,
      ordersAtVenue: 4,
      repeats: [true, true, true, true],
      brokenLaws: [],
      journalHoles: 0,
      errors: [],
    });
    expect(factsMissing(whole.steps)).toEqual([]);
  });

  it.each(KILLED)(
    'L1, L4, L9: comes to the same orders, books and answers as without, and one order for each Idempotency-Key: %s',
    (way) => {
      expect(outcome(day(way))).toEqual(outcome(day('not killed')));
      expect(day(way).lives).toBe(day(way).killedAt.length + 1);
    },
  );

  it.skipIf(IS_WHOLE)('was killed at the facts of the sample', () => {
    expect(
      [INTENT, ...SOME].filter(
        (fact) => !day('killed at some steps').killedAt.some((line) => line.includes(fact)),
      ),
    ).toEqual([]);
  });

  it.runIf(IS_WHOLE)('was killed before every fact of the day and after it', () => {
    expect(factsMissing(day('killed before each step').killedAt)).toEqual([]);
    expect(
      factsMissing([
        ...day('killed after each step').killedAt,
        ...day('killed after each intent').killedAt,
      ]),
    ).toEqual([]);
  });
});

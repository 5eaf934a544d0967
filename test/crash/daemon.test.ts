import { describe, expect, it } from 'vitest';
import type { DayEnd, Kills } from './support/trading-day.ts';
import { tradingDay } from './support/trading-day.ts';

const whole = await tradingDay(null);

/** What two days that came to the same end share. */
function outcome({ steps: _steps, lives: _lives, ...rest }: DayEnd): unknown {
  return rest;
}

/** Facts of the day, each of them a durable step or part of one. */
const FACTS = [
  'user.created', 'ledger:deposit', 'order.intended+order.signed', 'signed->', 'matched->filled', '->live of buy', 'fill.recorded', 'ledger:fill', 'ledger:settle+fill.settled',
  'live->cancelled', 'orders of buy', 'ledger:reverse+fill.reversed', 'market.resolved', 'ledger:payout+position:redeemed', 'idempotency_keys',
];

const DAYS: readonly (readonly [string, Kills])[] = [
  ['before each step', { moment: 'before' }],
  // An order killed right after its intent is asked about and sent by the next life; the others get to the steps of a life that goes on.
  ['after each step', { moment: 'after', spared: /^order\.intended.* of (?!buy 10000000)/ }],
];

describe('the daemon, killed by SIGKILL at every durable step of a trading day', () => {
  it('lives a day with a deposit, a purchase, a part fill, a cancel, a sale, a failed settlement and a payout', () => {
    expect(whole).toMatchObject({ lives: 1, ordersAtVenue: 4, repeats: [true, true, true, true], brokenLaws: [], journalHoles: 0, errors: [] });
    expect(FACTS.filter((fact) => !whole.steps.some((step) => step.includes(fact)))).toEqual([]);
  });

  it.concurrent.each(DAYS)('L1, L4, L9: comes to the same orders, books and answers as without, and one order for each Idempotency-Key: %s', async (_, kills) => {
    const day = await tradingDay(kills);
    const deaths = day.steps.filter((step) => step.startsWith(kills.moment));
    expect(outcome(day)).toEqual(outcome(whole));
    expect(day.lives).toBe(deaths.length + 1);
    expect(FACTS.filter((fact) => !deaths.some((step) => step.includes(fact)))).toEqual([]);
  }, 180_000);
});

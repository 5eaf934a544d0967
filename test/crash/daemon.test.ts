import { describe, expect, it } from 'vitest';
import type { DayEnd } from './support/trading-day.ts';
import { tradingDay } from './support/trading-day.ts';

const whole = await tradingDay([]);

/** What two days that came to the same end share. */
function outcome({ steps: _steps, lives: _lives, ...rest }: DayEnd): unknown {
  return rest;
}

describe('the daemon, killed by SIGKILL at every durable step of a trading day', () => {
  it('lives a day with a deposit, a purchase, a part fill, a cancel, a sale, a failed settlement and a payout', () => {
    expect(whole).toMatchObject({ lives: 1, ordersAtVenue: 4, repeats: [true, true, true, true], brokenLaws: [], journalHoles: 0, errors: [] });
    const seen = whole.steps.join('\n');
    for (const step of ['user.created', 'ledger:deposit', 'order.intended+order.signed', 'signed->matched', 'signed->live', 'fill.recorded', 'ledger:settle', 'ledger:reverse', 'live->cancelled', 'market.resolved', 'ledger:payout']) {
      expect(seen).toContain(step);
    }
  });

  it.concurrent.each(['before'] as const)('L1, L4, L9: ends as it does without: killed %s each step', async (moment) => {
    const day = await tradingDay([moment]);
    expect(outcome(day)).toEqual(outcome(whole));
    expect(day.lives).toBeGreaterThan(whole.steps.length / 2);
  }, 120_000);
});

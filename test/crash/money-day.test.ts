import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { killKeptDaemons } from './support/kept-daemon.ts';
import type { Kills } from './support/kills.ts';
import { beginning, SIXTEEN, outcome, selection, type Way } from './support/money-plan.ts';
import { moneyDay, type MoneyDayEnd } from './support/money-day.ts';
import { openMoneyEnvironment, type MoneyEnvironment } from './support/money-environment.ts';
import { IS_WHOLE, sampled } from '../support/sampled.ts';

const ALLOWED = 2n ** 256n - 1n;

/** Steps that are killed at: each before and after it, or in a sample at one of the two. */
const STEPS = sampled('steps of a money day', SIXTEEN, 6);
const SOME: Kills = {
  before: beginning(STEPS.filter((_, index) => index % 2 === 0)),
  after: beginning(STEPS.filter((_, index) => index % 2 === 1)),
};
const LIVED: typeof selection = IS_WHOLE
  ? selection
  : [
      { way: 'not killed', kills: null },
      { way: 'killed at the one half', kills: SOME },
    ];
const KILLED = LIVED.filter(({ kills }) => kills !== null).map(({ way }) => way);

let environment: MoneyEnvironment;
const days = new Map<Way, MoneyDayEnd>();

// A day is mostly waits, above all for a process to start: all are lived at once. Every step is
// killed at by `npm run sim -- crash --all`.
beforeAll(async () => {
  environment = await openMoneyEnvironment();
  await Promise.all(
    LIVED.map(async ({ way, kills }, number) =>
      days.set(way, await moneyDay(environment, number, kills)),
    ),
  );
}, 600_000);
afterAll(async () => {
  await killKeptDaemons();
  await environment.close();
});

function day(way: Way): MoneyDayEnd {
  const lived = days.get(way);
  if (lived === undefined) throw new Error(`no day was lived ${way}`);
  return lived;
}

describe('the daemon, killed by SIGKILL at durable steps of sign-up, deposit, redemption and withdrawal, on the real chains', () => {
  it('L3, L4: lives a day from a phone to a withdrawal with one transaction for each thing it does, and no native coin', () => {
    const all = [ALLOWED, ALLOWED, ALLOWED, ALLOWED, ALLOWED, true, true, true, true, true];
    expect(day('not killed')).toMatchObject({
      lives: 1,
      errors: [],
      repeats: [true, true, true, true],
      api: {
        withdrawal: { state: 'settled', reason: null },
        cash: { settled: '0', provisional: '0', reserved: '0' },
        positions: [{ state: 'redeemed', realizedPnl: '15' }],
      },
      chain: {
        safe: { nonce: 3n, owners: ['the EVM wallet'] },
        allowances: all,
        balances: { safe: 0n, evm: 40_000_000n, shares: [0n, 0n] },
        native: [0n, 0n, 0n, 0n],
        ownTransactions: [0, 0],
        transactions: { length: 6 },
      },
      store: {
        actions: ['allowances', 'deploy', 'redeem', 'withdraw'].map((kind) => ({
          kind,
          state: 'done',
          isGivenUp: false,
          isProven: true,
        })),
        ledger: ['deposit', 'fill', 'settle', 'payout', 'hold', 'hold_booked'],
        deposits: [{ state: 'completed', problem: null }],
        audit: [
          'claim_ended',
          'claim_requested',
          'deposit_ended',
          'withdrawal_ended',
          'withdrawal_requested',
        ],
        inMotion: [0, 0, 0, 0, 0, 0],
        brokenLaws: [],
        journalHoles: 0,
      },
    });
  });

  it.each(KILLED)(
    'L1, L4, L9: comes to the same wallets, chain, books, audit and answers as without: %s',
    (way) => {
      expect(outcome(day(way))).toEqual(outcome(day('not killed')));
      expect(day(way).lives).toBe(day(way).killedAt.length + 1);
    },
  );

  it('was killed before each of these steps and after it, or in a sample at one of the two', () => {
    const killedAt = KILLED.flatMap((way) => day(way).killedAt);
    const moments = IS_WHOLE ? ['before', 'after'] : ['(?:before|after)'];
    const missed = moments.flatMap((moment) =>
      STEPS.filter(
        (step) => !killedAt.some((line) => new RegExp(`\\b${moment} (${step})`).test(line)),
      ).map((step) => `${moment} ${step}`),
    );
    expect(missed).toEqual([]);
  });
});

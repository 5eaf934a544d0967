import { describe, expect, it } from 'vitest';
import type { Transport } from '../../src/adapters/wire/transport.ts';
import { usdcMicros } from '../../src/domain/units.ts';
import { CONTRACTS } from '../support/worlds/money-world.ts';
import { DAY_MS, drawMachinePlan, drawPlan, ROUND_MS, type Plan } from './plan.ts';
import { liveThrough } from './simulation.ts';

const TIMEOUT_MS = 600_000;
const MINUTE_MS = 60_000;
/** Each a little later within the minute, so that one of them meets the service while it looks. */
const PAYMENTS = 12;

/**
 * Minutes of a day with a chain on which payments of users are taken back for good, and nothing
 * else happens.
 */
const LOST_PAYMENTS: Plan = {
  ...drawPlan(1, 1),
  days: ((PAYMENTS + 2) * MINUTE_MS) / DAY_MS,
  isOnChain: true,
  contracts: null,
  roundsAfterMs: [],
  farmsAfterMs: [],
  events: Array.from({ length: PAYMENTS }, (_, index) => ({
    afterMs: (index + 1) * MINUTE_MS + index * 1_000,
    does: { kind: 'payment-lost', user: 0, usdc: usdcMicros(5_000_000 + index) },
  })),
};

/** Hands trade contracts around one moment, while the chain drops blocks. */
const FORKED_FILLS: Plan = {
  ...drawPlan(1, 1),
  days: (20 * MINUTE_MS) / DAY_MS,
  isOnChain: false,
  roundsAfterMs: [],
  farmsAfterMs: [],
  contracts: {
    traders: drawPlan(1, 1).users.map((_, index) => ({
      funds: usdcMicros(200_000_000),
      tradesManually: index === 0,
      farming: null,
    })),
    roundsAfterMs: [8 * MINUTE_MS],
    hoursAfterMs: [],
    events: [],
  },
  events: [
    {
      afterMs: 7 * MINUTE_MS,
      does: {
        kind: 'contract-fault',
        name: 'solana-fork',
        rule: { percent: 30 },
        lastsMs: 7 * MINUTE_MS,
      },
    },
  ],
};

/** Rounds in which the owner of the log is replaced inside one append after another. */
const REPLACED_ROUNDS = [6, 8].map((round) => round * ROUND_MS);
const REPLACED_OWNERS: Plan = {
  ...drawMachinePlan(1, 1),
  days: (50 * MINUTE_MS) / DAY_MS,
  isOnChain: false,
  users: drawPlan(1, 1).users.map((user) => ({ ...user, farming: null, tradesManually: true })),
  roundsAfterMs: REPLACED_ROUNDS,
  farmsAfterMs: [],
  events: [],
  contracts: null,
  disturbances: REPLACED_ROUNDS.flatMap((startMs) =>
    Array.from({ length: 12 }, (_, index) => ({
      afterMs: startMs + 20_000 * (index + 1),
      disturbs: {
        what: index % 2 === 0 ? 'pause' : 'cut-off',
        lastsMs: 4_000,
        appends: 1,
        isAllLost: false,
      } as const,
    })),
  ),
};

/** The same while people trade contracts: what they send are transactions. */
const REPLACED_CONTRACTS: Plan = {
  ...REPLACED_OWNERS,
  days: (25 * MINUTE_MS) / DAY_MS,
  users: drawPlan(1, 1).users.map((user) => ({ ...user, farming: null, tradesManually: false })),
  roundsAfterMs: [],
  contracts: {
    traders: drawPlan(1, 1).users.map(() => ({
      funds: usdcMicros(200_000_000),
      tradesManually: true,
      farming: null,
    })),
    roundsAfterMs: [8 * MINUTE_MS],
    hoursAfterMs: [],
    events: [],
  },
  disturbances: Array.from({ length: 14 }, (_, index) => ({
    afterMs: 8 * MINUTE_MS + 20_000 * (index + 1),
    disturbs: {
      what: index % 2 === 0 ? 'cut-off' : 'pause',
      lastsMs: 4_000,
      appends: 1 + (index % 3),
      isAllLost: false,
    } as const,
  })),
};

/** A node on whose word everything it has seen is final. */
function believed(way: Transport): Transport {
  return {
    ...way,
    calls(options) {
      const calls = way.calls(options);
      return {
        ...calls,
        async send(call) {
          const outcome = await calls.send(call);
          if (outcome.kind !== 'answered') return outcome;
          const text = outcome.text.replaceAll(
            '"confirmationStatus":"confirmed"',
            '"confirmationStatus":"finalized"',
          );
          return { ...outcome, text };
        },
      };
    },
  };
}

describe('what is planted in the service', () => {
  it(
    'L3: a payment that counts with its first block is found where the chain takes it back, and nothing where it waits',
    async () => {
      expect((await liveThrough(LOST_PAYMENTS)).findings).toEqual({});
      const { findings } = await liveThrough(LOST_PAYMENTS, {
        deployed: { ...CONTRACTS, confirmations: 1 },
      });
      expect(findings['notPaidOnce']).toContainEqual(
        expect.stringMatching(/^usr_1 deposit to usdc:safe: booked /),
      );
      expect(findings['postingsDiffer']).toContainEqual(
        expect.stringMatching(/^usr_1 usdc:safe: /),
      );
    },
    TIMEOUT_MS,
  );

  it(
    'L2, L4: a fill of venue_b that is final with its first block is found where a fork drops it, and nothing where it waits',
    async () => {
      const { findings, counts } = await liveThrough(FORKED_FILLS);
      expect(findings).toEqual({});
      expect([counts['fills of contracts'] > 5, counts.reversed > 0]).toEqual([true, true]);
      const planted = await liveThrough(FORKED_FILLS, {
        wayToContracts: believed,
        restMs: 5 * MINUTE_MS,
      });
      expect(planted.findings['contractsGuessed']).toContainEqual(
        expect.stringMatching(/^buy int_\w+ \(\w+\) holds \d+, the chain gave \d+$/),
      );
      expect(planted.findings['tradesDiffer']).toContainEqual(
        expect.stringMatching(/settled, at the venue FAILED$/),
      );
    },
    TIMEOUT_MS,
  );

  it(
    'L1, L9: a log that does not ask for the epoch, and a lease that is always held, are found where the owner is replaced, and nothing where they ask',
    async () => {
      const { findings, counts } = await liveThrough(REPLACED_OWNERS);
      expect(findings).toEqual({});
      expect([counts['take-overs of the log'] > 20, counts['sendings held back'] > 5]).toEqual([
        true,
        true,
      ]);
      const unfenced = await liveThrough(REPLACED_OWNERS, {
        machines: { isEpochIgnored: true },
        restMs: 5 * MINUTE_MS,
      });
      expect(unfenced.findings['framesOfReplaced']).toContainEqual(
        expect.stringMatching(/^frame \d+ is of epoch \d+, and epoch \d+ began at \d+$/),
      );
      const unasked = await liveThrough(REPLACED_OWNERS, { machines: { isLeaseIgnored: true } });
      expect(unasked.findings['sentUnowned']).toContainEqual(
        expect.stringMatching(/^order 0x\w+ left machine \d, process \d+ \d+ ms after /),
      );
      const onChain = await liveThrough(REPLACED_CONTRACTS, { machines: { isLeaseIgnored: true } });
      expect(onChain.findings['sentUnowned']).toContainEqual(
        expect.stringMatching(/^transaction \w+ left machine \d, process \d+ \d+ ms after /),
      );
    },
    TIMEOUT_MS,
  );
});

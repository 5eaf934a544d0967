import { describe, expect, it } from 'vitest';
import { usdcMicros } from '../../src/domain/units.ts';
import { CONTRACTS } from '../support/worlds/money-world.ts';
import type { Plan } from './plan.ts';
import { DAY_MS, drawPlan } from './plan.ts';
import { liveThrough } from './simulation.ts';

const TIMEOUT_MS = 600_000;
const MINUTE_MS = 60_000;
/** Each a little later within the minute, so that one of them meets the service while it looks. */
const PAYMENTS = 12;

/**
 * Minutes of a day with a chain on which somebody's payments are taken back for good, and nothing
 * else happens.
 */
const LOST_PAYMENTS: Plan = {
  ...drawPlan(1, 1),
  days: ((PAYMENTS + 2) * MINUTE_MS) / DAY_MS,
  isOnChain: true,
  roundsAfterMs: [],
  farmsAfterMs: [],
  events: Array.from({ length: PAYMENTS }, (_, index) => ({
    afterMs: (index + 1) * MINUTE_MS + index * 1_000,
    does: { kind: 'payment-lost', user: 0, usdc: usdcMicros(5_000_000 + index) },
  })),
};

describe('what is planted in the service', () => {
  it(
    'L3: a payment that counts with its first block is found where the chain takes it back, and nothing where it waits',
    async () => {
      expect((await liveThrough(LOST_PAYMENTS)).findings).toEqual({});
      const { findings } = await liveThrough(LOST_PAYMENTS, { ...CONTRACTS, confirmations: 1 });
      expect(findings['notPaidOnce']).toContainEqual(
        expect.stringMatching(/^usr_1 deposit: booked /),
      );
      expect(findings['postingsDiffer']).toContainEqual(
        expect.stringMatching(/^usr_1 usdc:safe: /),
      );
    },
    TIMEOUT_MS,
  );
});

import { describe, expect, it } from 'vitest';
import { VENUE_C_ALLOWANCE, VENUE_C_POOL } from '../../../../config/limits/venue-c.ts';
import { createVirtualClock } from '../../../../src/adapters/clock/virtual-clock.ts';
import { AppError } from '../../../../src/domain/errors.ts';
import { createOrderGas } from '../../../../src/venues/venue-c/order-book/gas.ts';
import { aMarket, aUserId, T0 } from '../../../support/builders.ts';

const GWEI = 1_000_000_000n;
const EXCHANGE = `0x${'e1'.repeat(20)}`;
const MARKET = {
  ...aMarket(),
  own: {
    tradeType: 'clob',
    conditionId: `0x${'11'.repeat(32)}`,
    exchange: EXCHANGE,
    adapter: null,
    negRiskRequestId: null,
  },
};
const BUY = { side: 'buy', outcome: 0, market: MARKET } as const;

function begin(problem: string | null = null) {
  const clock = createVirtualClock(T0);
  const state = { missing: 1, asked: 0, isAway: false };
  const gas = createOrderGas({
    wallClock: clock,
    allowances: {
      async missing(_userId, { exchange }) {
        expect(exchange).toBe(EXCHANGE);
        state.asked += 1;
        if (state.isAway) throw new AppError('chain_unavailable', 'no node', { retryable: true });
        return state.missing;
      },
    },
    accounts: {
      gas: async () => ({
        fees: { maxFeePerGas: 3n * GWEI, maxPriorityFeePerGas: GWEI },
        needed: 700_000n * GWEI,
        held: 5n,
        problem,
      }),
    },
  });
  return { gas, state, clock };
}

describe('what the network takes for an order in a book of venue_c', () => {
  it('is the gas of the rights that are missing, and nothing once they are given', async () => {
    const { gas, state, clock } = begin();
    const amount = BigInt(VENUE_C_ALLOWANCE.gasUsed) * 2n * GWEI;
    const stated = { chain: 'BASE', needed: 700_000n * GWEI, held: 5n, lacking: null };
    expect(await gas(aUserId(1), BUY)).toEqual({ ...stated, amount });
    state.missing = 2;
    await clock.advance(VENUE_C_POOL.gasKeptMs);
    expect(await gas(aUserId(1), BUY)).toEqual({ ...stated, amount: 2n * amount });
    state.missing = 0;
    await clock.advance(VENUE_C_POOL.gasKeptMs);
    expect(await gas(aUserId(1), BUY)).toBe('none');
  });

  it('is refused in the words of the order itself where the wallet holds less', async () => {
    const { gas } = begin('not enough ETH on Base');
    expect(await gas(aUserId(1), BUY)).toMatchObject({
      lacking: { code: 'wallet_not_ready', message: 'not enough ETH on Base', retryable: true },
    });
  });

  it('is read once a block however many ask, and not at all of a market that takes no orders', async () => {
    const { gas, state } = begin();
    await Promise.all([gas(aUserId(1), BUY), gas(aUserId(1), BUY)]);
    const market = { ...MARKET, notTradeable: 'another exchange' };
    expect([await gas(aUserId(2), { ...BUY, market }), state.asked]).toEqual(['none', 1]);
  });

  it('is not known where the chain does not answer', async () => {
    const { gas, state } = begin();
    state.isAway = true;
    expect(await gas(aUserId(1), BUY)).toBeNull();
  });
});

import { describe, expect, it } from 'vitest';
import { VENUE_C_POOL } from '../../../../config/limits/venue-c.ts';
import { createVirtualClock } from '../../../../src/adapters/clock/virtual-clock.ts';
import { AppError } from '../../../../src/domain/errors.ts';
import { asId, type Address } from '../../../../src/domain/ids.ts';
import { createPoolGas } from '../../../../src/venues/venue-c/pool/gas.ts';
import { aUserId, T0 } from '../../../support/builders.ts';

const GWEI = 1_000_000_000n;
const RICH = 10n ** 17n;

/** A chain of which each question is counted, and may be refused or never answered. */
function aChain(wei: bigint = RICH) {
  const clock = createVirtualClock(T0);
  const asked = { fees: 0, coins: 0 };
  const chain: { answer: 'all' | 'refused' | 'none' } = { answer: 'all' };
  const answered = async <T>(value: T): Promise<T> => {
    if (chain.answer === 'refused')
      throw new AppError('chain_unavailable', 'no node', { retryable: true });
    return chain.answer === 'all' ? value : new Promise<T>(() => undefined);
  };
  const gas = createPoolGas({
    chain: {
      evm: {
        chainId: 8_453,
        balances: () => {
          asked.coins += 1;
          return answered({ wei, tokens: [] });
        },
      },
      accounts: {
        fees: () => {
          asked.fees += 1;
          return answered({ maxFeePerGas: 3n * GWEI, maxPriorityFeePerGas: GWEI });
        },
      },
    },
    walletOf: async (userId) => asId<Address>(`0x${userId}`),
    wallClock: clock,
  });
  return { gas, asked, chain, clock };
}

describe('what the network takes for a trade with a pool', () => {
  it('is its gas at the fee of the moment, and less than must be there for it', async () => {
    const { gas } = aChain();
    const stated = await gas(aUserId(1), { side: 'buy' });
    // a base fee of 1 gwei and a tip of 1
    expect(stated).toMatchObject({ chain: 'BASE', amount: 243_000n * 2n * GWEI, lacking: null });
    expect(stated?.needed).toBeGreaterThan(stated?.amount ?? 0n);
    expect((await gas(aUserId(1), { side: 'sell' }))?.amount).toBeLessThan(stated?.amount ?? 0n);
  });

  it('is refused in the words of the order itself where the wallet holds less', async () => {
    const { gas } = aChain(5n);
    const { lacking = null } = (await gas(aUserId(1), { side: 'buy' })) ?? {};
    expect([lacking?.code, lacking?.message]).toEqual([
      'wallet_not_ready',
      expect.stringMatching(/about 0\.0022 ETH on Base, and your wallet \S+ holds 0\.0+5$/),
    ]);
  });

  it('is read once a block however many ask, and each wallet of its own', async () => {
    const { gas, asked, clock } = aChain();
    await Promise.all([1, 1, 2].map((number) => gas(aUserId(number), { side: 'buy' })));
    await gas(aUserId(1), { side: 'sell' });
    expect(asked).toEqual({ fees: 1, coins: 2 });
    await clock.advance(VENUE_C_POOL.gasKeptMs);
    await gas(aUserId(1), { side: 'buy' });
    expect(asked).toEqual({ fees: 2, coins: 3 });
  });

  it('is not known where the chain does not answer, or not soon, and is asked for again later', async () => {
    const { gas, asked, chain, clock } = aChain();
    chain.answer = 'refused';
    expect([
      await gas(aUserId(1), { side: 'buy' }),
      await gas(aUserId(1), { side: 'buy' }),
    ]).toEqual([null, null]);
    expect(asked.fees).toBe(1);
    chain.answer = 'none';
    await clock.advance(VENUE_C_POOL.gasKeptMs);
    const waited = gas(aUserId(1), { side: 'buy' });
    await clock.advance(VENUE_C_POOL.gasWaitMs);
    expect(await waited).toBeNull();
  });
});

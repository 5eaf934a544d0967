import { describe, expect, it } from 'vitest';
import {
  spentAsset,
  withAllowance,
  withRefusal,
  type FundsDispute,
} from '../../src/domain/funds-dispute.ts';
import { aTokenId } from '../support/builders.ts';

const PAUSE = { firstMs: 1_000, maximumMs: 10_000 };

function refusedTimes(times: number): FundsDispute | null {
  let dispute: FundsDispute | null = null;
  for (let refusal = 1; refusal <= times; refusal += 1)
    dispute = withRefusal(
      dispute,
      {
        asset: 'usdc:safe',
        reason: `refusal ${refusal}`,
        lacksAllowanceOf: null,
        atMs: refusal * 100_000,
      },
      PAUSE,
    );
  return dispute;
}

describe('a dispute about funds', () => {
  it.each([
    [1, 1_000],
    [2, 2_000],
    [3, 4_000],
    [4, 8_000],
    [5, 10_000],
    [60, 10_000],
  ])('pauses after refusal %i for %i ms', (refusals, pauseMs) => {
    expect(refusedTimes(refusals)).toEqual({
      asset: 'usdc:safe',
      refusals,
      reason: `refusal ${refusals}`,
      lacksAllowanceOf: null,
      sinceMs: 100_000,
      retryAtMs: refusals * 100_000 + pauseMs,
    });
  });

  it('lets one order find out at once when the allowance it was about has been given, and then pauses as long as it would have', () => {
    const given = withAllowance(
      {
        asset: 'usdc:safe',
        refusals: 2,
        reason: 'refusal 2',
        lacksAllowanceOf: 'usdc:safe',
        sinceMs: 100_000,
        retryAtMs: 202_000,
      },
      200_500,
    );
    expect(given).toEqual({
      asset: 'usdc:safe',
      refusals: 2,
      reason: 'refusal 2',
      lacksAllowanceOf: null,
      sinceMs: 100_000,
      retryAtMs: 200_500,
    });
    expect(
      withRefusal(
        given,
        { asset: 'usdc:safe', reason: 'refusal 3', lacksAllowanceOf: 'usdc:safe', atMs: 201_000 },
        PAUSE,
      ),
    ).toMatchObject({ refusals: 3, lacksAllowanceOf: 'usdc:safe', retryAtMs: 205_000 });
  });

  it('is about money for a buy, about the shares for a sale', () => {
    const order = { cashAccount: 'usdc:base', tokenId: aTokenId(1, 0) } as const;
    expect(spentAsset({ ...order, side: 'buy' })).toBe('usdc:base');
    expect(spentAsset({ ...order, side: 'sell' })).toBe(aTokenId(1, 0));
  });
});

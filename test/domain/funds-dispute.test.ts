import { describe, expect, it } from 'vitest';
import { spentAsset, withRefusal } from '../../src/domain/funds-dispute.ts';
import type { FundsDispute } from '../../src/domain/funds-dispute.ts';
import { aTokenId } from '../support/builders.ts';

const PAUSE = { firstMs: 1_000, maximumMs: 10_000 };

function refusedTimes(times: number): FundsDispute | null {
  let dispute: FundsDispute | null = null;
  for (let refusal = 1; refusal <= times; refusal += 1) dispute = withRefusal(dispute, { asset: 'usdc', reason: `refusal ${refusal}`, atMs: refusal * 100_000 }, PAUSE);
  return dispute;
}

describe('a dispute about funds', () => {
  it.each([[1, 1_000], [2, 2_000], [3, 4_000], [4, 8_000], [5, 10_000], [60, 10_000]])('pauses after refusal %i for %i ms', (refusals, pauseMs) => {
    expect(refusedTimes(refusals)).toEqual({ asset: 'usdc', refusals, reason: `refusal ${refusals}`, sinceMs: 100_000, retryAtMs: refusals * 100_000 + pauseMs });
  });

  it('is about money for a buy, about the shares for a sale', () => {
    expect(spentAsset({ side: 'buy', tokenId: aTokenId(1, 0) })).toBe('usdc');
    expect(spentAsset({ side: 'sell', tokenId: aTokenId(1, 0) })).toBe(aTokenId(1, 0));
  });
});

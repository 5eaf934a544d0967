import { describe, expect, it } from 'vitest';
import { viewValuedHolding } from '../../../src/http/views/holding.ts';
import { asId, type MarketId, type TokenId, type UserId } from '../../../src/domain/ids.ts';
import { VENUE_A_TRAITS } from '../../../config/limits/venue-a.ts';
import { VENUE_B_TRAITS } from '../../../config/limits/venue-b.ts';
import { priceTicks, shareMicros, usdcMicros } from '../../../src/domain/units.ts';
import type { Holding } from '../../../src/services/portfolio/portfolio.ts';

function aHolding(over: Partial<Holding> = {}, shares = 10_000_000): Holding {
  return {
    position: {
      userId: asId<UserId>('usr_a'),
      cashAccount: 'usdc:safe',
      marketId: asId<MarketId>(`0x${'1'.repeat(64)}`),
      tokenId: asId<TokenId>('7'),
      outcome: 0,
      question: 'Up?',
      outcomeLabel: 'Up',
      agentId: null,
      state: 'open',
      shares: shareMicros(shares),
      costUsdc: usdcMicros(5_175_000),
      realizedPnl: usdcMicros(0),
      feesUsdc: usdcMicros(175_000),
      openedAtMs: 1,
      endsAtMs: 2,
      closedAtMs: null,
    },
    settledShares: shareMicros(shares),
    provisionalShares: shareMicros(0),
    reservedShares: shareMicros(0),
    availableShares: shareMicros(shares),
    resolution: null,
    redeemable: false,
    ...over,
  };
}

const AT_48 = { bid: priceTicks(4_800), traits: VENUE_A_TRAITS };

describe('viewValuedHolding', () => {
  it('is worth what the best bid pays, less its cost unrealised', () => {
    expect(viewValuedHolding(aHolding(), AT_48)).toMatchObject({
      currentPrice: '0.48',
      currentValueUsdc: '4.8',
      unrealizedPnl: '-0.375',
    });
  });

  it('has no worth that anybody knows without a bid', () => {
    expect(viewValuedHolding(aHolding(), { ...AT_48, bid: null })).toMatchObject({
      currentPrice: null,
      currentValueUsdc: null,
      unrealizedPnl: null,
    });
  });

  it('is worth its payout once the market has resolved, whatever is bid', () => {
    const resolution = {
      marketId: asId<MarketId>(`0x${'1'.repeat(64)}`),
      payoutTicks: [10_000, 0] as const,
      resolvedAtMs: 3,
    };
    expect(viewValuedHolding(aHolding({ resolution }), AT_48)).toMatchObject({
      currentPrice: '1',
      currentValueUsdc: '10',
      unrealizedPnl: '4.825',
    });
  });

  it('is worth nothing to speak of when no share is left', () => {
    expect(viewValuedHolding(aHolding({}, 0), AT_48)).toMatchObject({
      currentPrice: null,
      currentValueUsdc: null,
      unrealizedPnl: null,
    });
  });

  it.each<[string, Holding, object, string]>([
    ['a rest below the step', aHolding({}, 9_999), VENUE_A_TRAITS, '0'],
    ['hundredths of shares at venue_a', aHolding({}, 2_345_678), VENUE_A_TRAITS, '2.34'],
    ['whole contracts at venue_b', aHolding({}, 2_345_678), VENUE_B_TRAITS, '2'],
    [
      'what is final and not set aside',
      aHolding({ availableShares: shareMicros(4_500_000) }),
      VENUE_A_TRAITS,
      '4.5',
    ],
    [
      'nothing of a market that has ended',
      aHolding({
        resolution: {
          marketId: asId<MarketId>(`0x${'1'.repeat(64)}`),
          payoutTicks: [10_000, 0],
          resolvedAtMs: 3,
        },
      }),
      VENUE_A_TRAITS,
      '0',
    ],
  ])('can be sold: %s', (_, holding, traits, sellable) => {
    expect(
      viewValuedHolding(holding, { bid: null, traits: traits as typeof VENUE_A_TRAITS })
        .sellableShares,
    ).toBe(sellable);
  });
});

import { describe, expect, it } from 'vitest';
import { viewValuedHolding } from '../../../src/http/views/holding.ts';
import { asId } from '../../../src/domain/ids.ts';
import type { MarketId, TokenId, UserId } from '../../../src/domain/ids.ts';
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
    resolution: null,
    redeemable: false,
    ...over,
  };
}

describe('viewValuedHolding', () => {
  it('is worth what the best bid pays, less its cost unrealised', () => {
    expect(viewValuedHolding(aHolding(), priceTicks(4_800))).toMatchObject({
      currentPrice: '0.48',
      currentValueUsdc: '4.8',
      unrealizedPnl: '-0.375',
    });
  });

  it('has no worth that anybody knows without a bid', () => {
    expect(viewValuedHolding(aHolding(), null)).toMatchObject({
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
    expect(viewValuedHolding(aHolding({ resolution }), priceTicks(4_800))).toMatchObject({
      currentPrice: '1',
      currentValueUsdc: '10',
      unrealizedPnl: '4.825',
    });
  });

  it('is worth nothing to speak of when no share is left', () => {
    expect(viewValuedHolding(aHolding({}, 0), priceTicks(4_800))).toMatchObject({
      currentPrice: null,
      currentValueUsdc: null,
      unrealizedPnl: null,
    });
  });
});

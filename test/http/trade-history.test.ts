import { describe, expect, it } from 'vitest';
import { asId, type DecisionId, type TradeId } from '../../src/domain/ids.ts';
import type { FillRecord } from '../../src/domain/fill.ts';
import { shareMicros, usdcMicros } from '../../src/domain/units.ts';
import { fillOut, viewFill } from '../../src/http/views/fill.ts';
import { NO_COIN_PRICE } from '../../src/http/views/gas-paid.ts';
import { viewOrder } from '../../src/http/views/order.ts';
import { anOrderRecord, MARKET_ID, TOKEN_ID } from './samples.ts';
import { useApi } from './use-api.ts';
import { VENUE_A } from '../support/venue-ids.ts';
import { aMarket } from '../support/builders.ts';

const api = await useApi();
const user = await api.signIn();
const ORDER = { marketId: MARKET_ID, side: 'yes', amount: 5, orderType: 'limit', price: '0.47' };

describe('the lists of what was traded', () => {
  it('show open orders first to last unless others are asked for, newest first', async () => {
    const place = async () =>
      (await api.request('POST', '/api/venue_a/order', { token: user.token, body: ORDER })).body[
        'id'
      ] as string;
    const [first, second, third] = [await place(), await place(), await place()];
    await api.request('DELETE', `/api/venue_a/order/${second}`, { token: user.token });
    const list = async (query: string) =>
      (
        (await api.request('GET', `/api/venue_a/order/${query}`, { token: user.token })).body[
          'data'
        ] as { id: string }[]
      ).map(({ id }) => id);
    expect([
      await list(''),
      await list('?state=open'),
      await list('?state=ended'),
      await list('?state=all'),
    ]).toEqual([[third, first], [third, first], [second], [third, second, first]]);
  });

  it('show open positions unless others are asked for', async () => {
    const count = async (query: string) =>
      (
        (await api.request('GET', `/api/venue_a/holding/${query}`, { token: user.token })).body[
          'data'
        ] as unknown[]
      ).length;
    expect([
      await count(''),
      await count('?positionType=open'),
      await count('?positionType=closed'),
      await count('?positionType=all'),
    ]).toEqual([1, 1, 0, 1]);
  });

  it.each([
    'order/?state=done',
    'order/?marketId=12',
    'fills/?marketId=12',
    'holding/?positionType=won',
    'fills/?cursor=zzzz',
  ])('refuse %s', async (path) => {
    expect((await api.request('GET', `/api/venue_a/${path}`, { token: user.token })).status).toBe(
      400,
    );
  });

  it('show fills with their order, their price and what became of them', () => {
    const request = {
      venue: VENUE_A,
      marketId: MARKET_ID,
      outcome: 1 as const,
      side: 'buy' as const,
      amount: { unit: 'usdc' as const, micros: 5_000_000 },
      type: { kind: 'market' as const },
      origin: { kind: 'manual' as const },
    };
    const order = anOrderRecord(user.userId, 7, request);
    const fill: FillRecord = {
      userId: user.userId,
      cashAccount: 'usdc:safe',
      intentId: order.intent.intentId,
      orderId: asId('0xorder'),
      tradeId: asId<TradeId>('trade-1'),
      marketId: MARKET_ID,
      tokenId: TOKEN_ID,
      outcome: 1,
      side: 'buy',
      role: 'taker',
      shares: shareMicros(12_000_000),
      usdc: usdcMicros(5_000_000),
      fee: usdcMicros(210_000),
      settlement: 'reversed',
      word: 'failed',
      transactionHash: null,
      matchedAtMs: 1_800_000_000_001,
      recordedAtMs: 1_800_000_000_002,
    };
    const market = aMarket(1, { question: 'Will it rain?' });
    const price = () => 2_000n * 10n ** 18n;
    const view = viewFill({ fill, order, market }, price);
    expect(view).toEqual({
      tradeId: 'trade-1',
      order: { id: order.intent.intentId, orderId: '0xorder' },
      agent: null,
      isRedemption: false,
      keyId: null,
      marketId: MARKET_ID,
      question: 'Will it rain?',
      eventTitle: null,
      outcome: market.outcomes[1].label,
      marketEndsAtMs: market.endsAtMs,
      tokenId: TOKEN_ID,
      side: 'no',
      action: 'buy',
      role: 'taker',
      price: '0.416666',
      shares: '12',
      usdc: '5',
      fee: '0.21',
      feeShares: '0',
      realizedPnl: null,
      matchState: 'failed',
      settlementState: 'reversed',
      transactionHash: null,
      gas: null,
      matchedAtMs: 1_800_000_000_001,
      recordedAtMs: 1_800_000_000_002,
    });
    const payout = { ...order, intent: { ...order.intent, isRedemption: true as const } };
    expect(viewFill({ fill, order: payout, market }, price).isRedemption).toBe(true);
    expect(fillOut.parse(view)).toEqual(view);
    expect(
      viewFill(
        { fill: { ...fill, fee: usdcMicros(0), feeShares: shareMicros(240_000) }, order, market },
        price,
      ),
    ).toMatchObject({ fee: '0.1', feeShares: '0.24' });
    const onChain = { ...fill, gas: { chain: 'BASE' as const, units: '212500000000000' } };
    expect(viewFill({ fill: onChain, order, market }, price).gas).toEqual({
      symbol: 'ETH',
      amount: '0.0002125',
      amountUsd: '0.425',
    });
    expect(viewFill({ fill: onChain, order, market }, NO_COIN_PRICE).gas).toMatchObject({
      amountUsd: null,
    });
    const sold: FillRecord = {
      ...fill,
      side: 'sell',
      settlement: 'settled',
      releasedUsdc: usdcMicros(4_000_000),
    };
    expect(viewFill({ fill: sold, order, market }, price).realizedPnl).toBe('0.79');
    const byKey = {
      ...order,
      intent: { ...order.intent, origin: { kind: 'manual' as const, keyId: 'key_1' } },
    };
    expect([
      viewFill({ fill, order: byKey, market }, price).keyId,
      viewOrder(byKey).origin.keyId,
    ]).toEqual(['key_1', 'key_1']);
    const byAgent = {
      ...order,
      intent: {
        ...order.intent,
        origin: {
          kind: 'agent' as const,
          agentId: 'btc_5min' as const,
          decisionId: asId<DecisionId>('dec_1'),
          purpose: 'entry' as const,
        },
      },
    };
    expect(viewFill({ fill, order: byAgent, market: null }, price)).toMatchObject({
      agent: 'btc_5min',
      question: null,
      outcome: null,
    });
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { createMemoryStore, type MemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import type { FillRecord } from '../../../src/domain/fill.ts';
import { asId } from '../../../src/domain/ids.ts';
import type { OrderOrigin } from '../../../src/domain/order.ts';
import { shareMicros } from '../../../src/domain/units.ts';
import {
  agentShares,
  hasOpenFills,
  openOrdersOf,
} from '../../../src/services/books/agent-shares.ts';
import {
  FILLS,
  OPEN_FILLS,
  OPEN_ORDERS,
  ORDERS,
  TOKEN_FILLS,
} from '../../../src/services/books/tables.ts';
import { aMarketId, aTokenId, aUserId, T0 } from '../../support/builders.ts';
import { aFill } from '../../support/worlds/money-records.ts';
import { aSignedOrder, ORDER_ID } from '../../support/worlds/folded-orders.ts';
import { VENUE_A } from '../../support/venue-ids.ts';

const [USER, OTHER] = [aUserId(1), aUserId(2)];
const TOKEN = aTokenId(1, 0);
const AGENT = { userId: USER, agentId: 'btc_5min' } as const;
const byAgent = (agentId: 'btc_5min' | 'eth_15min'): OrderOrigin => ({
  kind: 'agent',
  agentId,
  decisionId: asId('dec_1'),
  purpose: 'entry',
});
/** Two orders of the agent, and what is not its: another agent's, a person's, another user's. */
const ORDERS_MADE = [
  ['int_1', USER, byAgent('btc_5min')],
  ['int_2', USER, byAgent('btc_5min')],
  ['int_3', USER, byAgent('eth_15min')],
  ['int_4', USER, { kind: 'manual' } as const],
  ['int_5', OTHER, byAgent('btc_5min')],
] as const;

let store: MemoryStore;
beforeEach(async () => {
  store = createMemoryStore();
  await store.write((tx) => {
    for (const [intentId, userId, origin] of ORDERS_MADE) {
      tx.put(
        ORDERS,
        [userId, intentId],
        aSignedOrder({}, { intentId: asId(intentId), userId, origin }),
      );
      const open = { sinceMs: T0, venue: VENUE_A, marketId: aMarketId(1), isFencing: false };
      tx.put(OPEN_ORDERS, [userId, intentId], open);
    }
    tx.put(OPEN_ORDERS, [USER, 'gone'], {
      sinceMs: T0,
      venue: VENUE_A,
      marketId: aMarketId(1),
      isFencing: false,
    });
  });
});

/** Keeps fills, each as the next of its user and token. */
const keep = (...fills: readonly Partial<FillRecord>[]) =>
  store.write((tx) =>
    fills.forEach((part, index) => {
      const tradeId = asId<FillRecord['tradeId']>(`t${index}`);
      const fill = aFill({ userId: USER, tokenId: TOKEN, orderId: ORDER_ID, tradeId, ...part });
      tx.put(FILLS, [fill.userId, ORDER_ID, tradeId], fill);
      tx.put(TOKEN_FILLS, [fill.userId, TOKEN, index + 1], { orderId: ORDER_ID, tradeId });
      if (fill.settlement === 'provisional')
        tx.put(OPEN_FILLS, [fill.userId, ORDER_ID, tradeId], { sinceMs: T0, venue: VENUE_A });
    }),
  );
const of = (intentId: string, part: Partial<FillRecord> = {}): Partial<FillRecord> => ({
  intentId: asId(intentId),
  settlement: 'settled',
  ...part,
});
const shares = (micros: number) => ({ shares: shareMicros(micros) });

describe('what an agent has of its own', () => {
  it('is its open orders', () => {
    expect(openOrdersOf(store, AGENT).map(({ intent }) => intent.intentId)).toEqual([
      'int_1',
      'int_2',
    ]);
  });

  it('is what its orders bought, less a fee in shares and what they sold', async () => {
    await keep(
      of('int_1', { ...shares(9), feeShares: shareMicros(2) }),
      of('int_2', { ...shares(4), side: 'sell' }),
      of('int_3', shares(100)),
      of('int_4', shares(100)),
      of('int_5', shares(100)),
      of('gone', shares(100)),
      of('int_1', { ...shares(100), settlement: 'reversed' }),
    );
    expect(agentShares(store, AGENT, TOKEN)).toBe(3);
    expect(agentShares(store, AGENT, aTokenId(1, 1))).toBe(0);
  });

  it('is never less than nothing', async () => {
    await keep(of('int_1', { ...shares(4), side: 'sell' }));
    expect(agentShares(store, AGENT, TOKEN)).toBe(0);
  });

  it('is in motion while a trade of its own is not final', async () => {
    const open = { settlement: 'provisional' } as const;
    const theirs = { ...open, userId: OTHER };
    await keep(of('int_3', open), of('int_4', open), of('gone', open), of('int_1', theirs));
    await store.write((tx) =>
      tx.put(OPEN_FILLS, [USER, ORDER_ID, 'none'], { sinceMs: T0, venue: VENUE_A }),
    );
    expect(hasOpenFills(store, AGENT)).toBe(false);
    expect(hasOpenFills(store, { ...AGENT, agentId: 'eth_15min' })).toBe(true);
    expect(hasOpenFills(store, { ...AGENT, userId: aUserId(3) })).toBe(false);
  });
});

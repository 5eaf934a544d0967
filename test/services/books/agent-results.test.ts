import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { NO_RESULTS } from '../../../src/domain/agent-results.ts';
import { asId, type DecisionId } from '../../../src/domain/ids.ts';
import type { OrderIntent, OrderRecord } from '../../../src/domain/order.ts';
import type { PositionRecord } from '../../../src/domain/position.ts';
import { shareMicros, usdcMicros } from '../../../src/domain/units.ts';
import { countEntry, countPosition, resultsOf } from '../../../src/services/books/agent-results.ts';
import { AGENT_RESULTS } from '../../../src/services/books/tables.ts';
import { aPosition, aTokenId, aUserId, T0 } from '../../support/builders.ts';
import { aSignedOrder } from '../../support/worlds/folded-orders.ts';

const USER = aUserId(1);
const byAgent = (agentId: 'btc_5min' | 'eth_15min', purpose: 'entry' | 'exit' = 'entry') =>
  ({ kind: 'agent', agentId, decisionId: asId<DecisionId>('dec_1'), purpose }) as const;

/** Results as positions and orders change. */
function results() {
  const store = createMemoryStore();
  const position = (before: PositionRecord | null, after: PositionRecord) =>
    store.write((tx) => countPosition(tx, before, after));
  const order = (before: OrderRecord | null, after: OrderRecord) =>
    store.write((tx) => countEntry(tx, before, after));
  const of = (scope: 'btc_5min' | 'eth_15min' | 'all') => resultsOf(store, USER, scope);
  const stored = () => store.range(AGENT_RESULTS).map(({ key }) => key.join(' '));
  return { position, order, of, stored };
}

describe('what the positions of an agent came to', () => {
  it('is counted for the agent, and for all agents of its user together', async () => {
    const { position, of } = results();
    const open = aPosition();
    const won = aPosition({ realizedPnl: usdcMicros(4_900_000), closedAtMs: T0 + 1 });
    const other = aPosition({ agentId: 'eth_15min', tokenId: aTokenId(2, 0) });
    const lost: PositionRecord = {
      ...other,
      realizedPnl: usdcMicros(-5_100_000),
      closedAtMs: T0 + 2,
    };
    await position(null, open);
    await position(open, won);
    await position(null, other);
    await position(other, lost);
    expect([of('btc_5min'), of('eth_15min'), of('all')]).toMatchObject([
      { wins: 1, losses: 0, realisedUsdc: 4_900_000, feesUsdc: 100_000, drawdownUsdc: 0 },
      { wins: 0, losses: 1, realisedUsdc: -5_100_000, feesUsdc: 100_000, drawdownUsdc: 5_100_000 },
      { wins: 1, losses: 1, realisedUsdc: -200_000, feesUsdc: 200_000, drawdownUsdc: 5_100_000 },
    ]);
  });

  it.each<[string, Partial<PositionRecord>, object]>([
    ['its profit', { realizedPnl: usdcMicros(7) }, { realisedUsdc: 7 }],
    ['its fees', { feesUsdc: usdcMicros(100_007) }, { feesUsdc: 100_007 }],
    ['its end', { closedAtMs: T0 + 1 }, { losses: 1 }],
  ])('follows a position by %s alone', async (_, changes, expected) => {
    const { position, of } = results();
    const open = aPosition();
    await position(null, open);
    await position(open, { ...open, ...changes });
    expect(of('btc_5min')).toMatchObject(expected);
  });

  it('holds nothing of what was bought manually', async () => {
    const { position, stored } = results();
    await position(null, aPosition({ agentId: null }));
    expect(stored()).toEqual([]);
  });
});

describe('the entries of an agent', () => {
  const anOrderOf = (origin: OrderIntent['origin'], changes: Partial<OrderRecord>) =>
    aSignedOrder(changes, { origin });

  it('are counted as they end, those that bought something apart', async () => {
    const { order, of } = results();
    const open = anOrderOf(byAgent('btc_5min'), {});
    await order(null, open);
    expect(of('btc_5min')).toEqual(NO_RESULTS);
    await order(open, { ...open, state: 'rejected' });
    const filledShares = shareMicros(5_000_000);
    await order(open, { ...open, state: 'filled', filledShares });
    await order(null, anOrderOf(byAgent('eth_15min'), { state: 'filled', filledShares }));
    expect([of('btc_5min'), of('eth_15min'), of('all')]).toMatchObject([
      { entries: 2, filledEntries: 1 },
      { entries: 1, filledEntries: 1 },
      { entries: 3, filledEntries: 2 },
    ]);
  });

  it.each<[string, OrderIntent['origin'], OrderRecord['state']]>([
    ['an order placed manually', { kind: 'manual' }, 'signed'],
    ['a sale that ends what an agent has', byAgent('btc_5min', 'exit'), 'signed'],
    ['an entry that had ended before', byAgent('btc_5min'), 'cancelled'],
  ])('do not count %s', async (_, origin, state) => {
    const { order, stored } = results();
    await order(anOrderOf(origin, { state }), anOrderOf(origin, { state: 'filled' }));
    expect(stored()).toEqual([]);
  });
});

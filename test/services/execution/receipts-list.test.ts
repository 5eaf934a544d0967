import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import type { DecisionRecord } from '../../../src/domain/agent.ts';
import { asId, type DecisionId, type IntentId } from '../../../src/domain/ids.ts';
import type { OrderRecord } from '../../../src/domain/order.ts';
import type { PositionRecord } from '../../../src/domain/position.ts';
import { shareMicros, usdcMicros } from '../../../src/domain/units.ts';
import { DECISIONS, ORDERS, paperTable, POSITIONS } from '../../../src/services/books/tables.ts';
import { listTrades } from '../../../src/services/execution/receipts-list.ts';
import { aMarketId, aPosition, aTokenId, aUserId } from '../../support/builders.ts';

const OWNER = { userId: aUserId(1), agentId: 'sol_15min' } as const;
const INTENT = asId<IntentId>('int_1');

/** What the list says that an entry brought whose position is this one. */
async function resultOf(
  position: Partial<PositionRecord>,
  { isPaper = false, filledShares = 5_000_000 } = {},
): Promise<number | null | undefined> {
  const store = createMemoryStore();
  const decision: DecisionRecord = {
    decisionId: asId<DecisionId>('dec_1'),
    ...OWNER,
    marketId: aMarketId(1),
    strategy: 'up_down',
    ...(isPaper ? { mode: 'paper' } : {}),
    atMs: 1,
    inputs: [],
    decision: { verdict: 'enter', outcome: 0, criteria: [], reason: '' },
    amountUsdc: null,
    outcome: { kind: 'order', intentId: INTENT },
  };
  const tokenId = aTokenId(1, 0);
  // of an order the fields that are read
  const order = {
    intent: { userId: OWNER.userId, intentId: INTENT, tokenId },
    filledShares: shareMicros(filledShares),
  } as OrderRecord;
  await store.write((tx) => {
    tx.put(DECISIONS, [OWNER.userId, OWNER.agentId, 1, decision.decisionId], {
      ...decision,
      journalSeq: 1,
    });
    tx.put(isPaper ? paperTable(ORDERS) : ORDERS, [OWNER.userId, INTENT], order);
    tx.put(
      isPaper ? paperTable(POSITIONS) : POSITIONS,
      [OWNER.userId, tokenId],
      aPosition({ ...OWNER, tokenId, realizedPnl: usdcMicros(-5_210_000), ...position }),
    );
  });
  return listTrades(store, OWNER, { limit: 10, cursor: null }).data[0]?.realizedPnl;
}

describe('what an entry brought', () => {
  it('is known once its position has ended, with real money and on paper', async () => {
    expect(await resultOf({ closedAtMs: 9 })).toBe(-5_210_000);
    expect(await resultOf({ closedAtMs: 9 }, { isPaper: true })).toBe(-5_210_000);
    expect(await resultOf({ closedAtMs: null })).toBeNull();
  });

  it('is nothing of an order that bought nothing, and of shares that were bought by hand', async () => {
    expect(await resultOf({ closedAtMs: 9 }, { filledShares: 0 })).toBeNull();
    expect(await resultOf({ closedAtMs: 9, agentId: null })).toBeNull();
  });
});

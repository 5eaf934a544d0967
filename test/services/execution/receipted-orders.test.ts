import { expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import type { DecisionRecord } from '../../../src/domain/agent.ts';
import { AppError } from '../../../src/domain/errors.ts';
import type { OrderRecord } from '../../../src/domain/order.ts';
import { createReceiptedOrders } from '../../../src/services/execution/receipted-orders.ts';
import { aMarketBuy, aMarketId, aUserId, T0 } from '../../support/builders.ts';
import { createCountingMetrics } from '../../support/counting-metrics.ts';
import { createKeptLog } from '../../support/quiet.ts';

// of a receipt only these are read
const receipt = {
  userId: aUserId(1),
  agentId: 'btc_5min',
  marketId: aMarketId(1),
  decisionId: 'dec_1',
  decision: { verdict: 'enter', outcome: 0, criteria: [], reason: '' },
  atMs: T0,
} as unknown as DecisionRecord;

it('counts the decision and how long it and its order took once the order was placed or refused, and not before', async () => {
  const [clock, metrics] = [createVirtualClock(T0), createCountingMetrics()];
  const counted: number[] = [];
  const answers = [null, new AppError('lock_busy', 'later')];
  const order = createReceiptedOrders({
    orders: {
      async place() {
        counted.push(Object.keys(metrics.counts).length);
        await clock.advance(5_000);
        const refusal = answers.shift();
        if (refusal instanceof AppError) throw refusal;
        // nothing of it is read
        return {} as OrderRecord;
      },
    },
    receipts: { put: () => undefined, write: async () => undefined },
    clock,
    metrics,
    log: createKeptLog(),
  });
  await clock.advance(250);
  const { venue: _venue, ...request } = aMarketBuy();
  expect(await order(receipt, request)).toBeNull();
  expect([counted, metrics.counts]).toEqual([
    [0],
    { 'decisions_total agent=btc_5min verdict=enter reason=none': 1 },
  ]);
  expect(await order({ ...receipt, atMs: T0 + 5_000 }, request)).toMatchObject({
    code: 'lock_busy',
  });
  expect(metrics.observed).toEqual({
    'decision_seconds agent=btc_5min': [0.25, 0.25],
    'order_stage_seconds venue=venue_a stage=decide': [0.25, 0.25],
  });
});

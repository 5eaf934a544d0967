import { expect, it } from 'vitest';
import { viewListedOrder } from '../../../src/http/views/order.ts';
import { aMarket } from '../../support/builders.ts';
import { anOrder } from '../../support/worlds/money-records.ts';

it('an order of a list names what its market asks and which outcome it is of', () => {
  const market = aMarket();
  const order = anOrder({ intent: { outcome: 1 } });
  expect(viewListedOrder(order, market)).toMatchObject({
    id: order.intent.intentId,
    question: market.question,
    outcome: market.outcomes[1].label,
    marketEndsAtMs: market.endsAtMs,
  });
  expect(viewListedOrder(order, null)).toMatchObject({ question: null, outcome: null });
});

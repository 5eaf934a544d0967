import { expect, it } from 'vitest';
import type { OrderRecord } from '../../../src/domain/order.ts';
import { shareMicros } from '../../../src/domain/units.ts';
import type { VenueOrder } from '../../../src/ports/order-gateway.ts';
import { T0 } from '../../support/builders.ts';
import { aSignedOrder, ORDER_ID } from '../../support/worlds/folded-orders.ts';
import { anOrderSender } from '../../support/worlds/order-sender.ts';

const ENDS_AFTER_MS = 60_000;

/** Asks about an order that rests beyond its moment unless stated, and gives what was asked. */
async function asked({
  endedBy = 'service',
  afterMs = ENDS_AFTER_MS,
  status = 'live',
  expiresAtMs = T0 + ENDS_AFTER_MS,
}: {
  readonly endedBy?: 'service' | null;
  readonly afterMs?: number;
  readonly status?: VenueOrder['status'];
  readonly expiresAtMs?: number | null;
} = {}) {
  const { intent } = aSignedOrder();
  const order: OrderRecord = aSignedOrder({
    state: 'live',
    intent: { ...intent, life: 'rests', expiresAtMs },
  });
  const asks: string[] = [];
  const sender = await anOrderSender(
    order,
    {
      async lookup() {
        const isGone = asks.includes('cancel');
        asks.push('lookup');
        const now = isGone ? 'cancelled' : status;
        const stated = { orderId: ORDER_ID, matchedShares: shareMicros(0), reason: null };
        return { kind: 'found', order: { ...stated, status: now } };
      },
      async cancel() {
        asks.push('cancel');
        return { kind: 'unclear', reason: 'it may be gone' };
      },
    },
    { afterMs, traits: endedBy === null ? {} : { endedBy } },
  );
  const { state } = await sender.effects.ask(sender.input, new AbortController().signal);
  return { state, asks };
}

it('cancels an order at its moment where its venue knows none, and then asks what became of it', async () => {
  expect(await asked()).toEqual({ state: 'expired', asks: ['lookup', 'cancel', 'lookup'] });
});

it.each([
  ['a moment earlier', { afterMs: ENDS_AFTER_MS - 1 }],
  ['without a moment', { expiresAtMs: null }],
  ['where its venue ends it', { endedBy: null }],
] as const)('leaves an order resting %s', async (_what, change) => {
  expect(await asked(change)).toEqual({ state: 'live', asks: ['lookup'] });
});

it('cancels nothing that has ended', async () => {
  expect((await asked({ status: 'cancelled' })).asks).toEqual(['lookup']);
});

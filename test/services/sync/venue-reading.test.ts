import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { asId, type AttemptId, type OrderId } from '../../../src/domain/ids.ts';
import type { OrderRecord } from '../../../src/domain/order.ts';
import { shareMicros, usdcMicros } from '../../../src/domain/units.ts';
import { putOrder } from '../../../src/services/books/record-changes.ts';
import { takeOrder, type VenueReadingDeps } from '../../../src/services/sync/venue-reading.ts';
import { anAttempt } from '../../support/attempts.ts';
import { aUserId, T0 } from '../../support/builders.ts';
import { createKeptLog, createKeptMetrics } from '../../support/quiet.ts';
import { VENUE_A, VENUE_B } from '../../support/venue-ids.ts';
import { aSignedOrder } from '../../support/worlds/folded-orders.ts';

const USER = aUserId(1);
const SENT_AS = asId<AttemptId>('sent-as');
/** An order of which the venue has said no id yet. */
const UNNAMED = aSignedOrder({ attempts: [anAttempt('sent-as', { orderId: null })] });
const ENDED: OrderRecord = {
  ...UNNAMED,
  state: 'cancelled',
  reason: 'nothing to be had',
  reserved: { usdc: usdcMicros(0), shares: shareMicros(0) },
};

/** Takes an order in that the user's channel or list names, and gives what was counted and said. */
async function heard(
  known: OrderRecord | null,
  {
    name,
    asked = false,
    matched = 0,
  }: { readonly name?: AttemptId; readonly asked?: boolean; readonly matched?: number },
) {
  const [store, metrics, log] = [createMemoryStore(), createKeptMetrics(), createKeptLog()];
  if (known !== null) await store.write((tx) => putOrder(tx, null, known));
  // Only an order that is found reaches what is not given here.
  const deps = { store, metrics, log, clock: createVirtualClock(T0), venue: { id: VENUE_A } };
  await takeOrder(deps as unknown as VenueReadingDeps, {
    userId: USER,
    asked,
    order: {
      orderId: asId<OrderId>('venue-id'),
      ...(name === undefined ? {} : { attemptId: name }),
      status: 'cancelled',
      matchedShares: shareMicros(matched),
      reason: null,
    },
  });
  return {
    foreign: metrics.counts.get(`foreign_orders_total ${VENUE_A}`) ?? 0,
    lines: log.lines.map(({ event, fields }) => [event, fields['orderId']]),
  };
}

describe('an order the venue names by an id that is not known', () => {
  it('is foreign where nothing of the user is without an id, and is named to the operator', async () => {
    const foreign = { foreign: 1, lines: [['order.foreign', 'venue-id']] };
    expect(await heard(null, {})).toEqual(foreign);
    expect(await heard(aSignedOrder(), { asked: true })).toEqual(foreign);
    expect(await heard(null, { name: SENT_AS })).toEqual(foreign);
  });

  it('is one’s own by the name it was sent under, before its id is known and after it ended without', async () => {
    for (const known of [UNNAMED, ENDED])
      expect(await heard(known, { name: SENT_AS })).toEqual({ foreign: 0, lines: [] });
  });

  it('is counted where it has matched, though the order of its name ended with nothing', async () => {
    expect(await heard(ENDED, { name: SENT_AS, matched: 1 })).toMatchObject({ foreign: 1 });
    expect(await heard(UNNAMED, { name: SENT_AS, matched: 1 })).toMatchObject({ foreign: 0 });
  });

  it('is foreign under another name, whatever else is on its way', async () => {
    expect(await heard(UNNAMED, { name: asId('another') })).toMatchObject({ foreign: 1 });
  });

  it('may be one’s own where a list states no name, while an order at this venue has no id', async () => {
    expect(await heard(UNNAMED, { asked: true })).toMatchObject({ foreign: 0 });
    const elsewhere = { ...UNNAMED, intent: { ...UNNAMED.intent, venue: VENUE_B } };
    for (const known of [elsewhere, ENDED])
      expect(await heard(known, { asked: true })).toMatchObject({ foreign: 1 });
  });
});

import { describe, expect, it } from 'vitest';
import type { OrderRecord } from '../../../src/domain/order.ts';
import { shareMicros, usdcMicros } from '../../../src/domain/units.ts';
import type {
  CancelOutcome,
  LookupOutcome,
  OrderGateway,
} from '../../../src/ports/order-gateway.ts';
import { createVenues } from '../../../src/services/venues.ts';
import { aSignedOrder, aWord, ORDER_ID } from '../../support/worlds/folded-orders.ts';
import { anOrderDriver } from '../../support/worlds/order-sender.ts';
import { VENUE_A } from '../../support/venue-ids.ts';

const LIVE = aSignedOrder({ state: 'live' });
const ENDED: Partial<OrderRecord> = {
  state: 'cancelled',
  reserved: { usdc: usdcMicros(0), shares: shareMicros(0) },
};

/** A driver of one order whose venue keeps what it is asked, in order. */
async function following(order: OrderRecord, gateway: Partial<OrderGateway> = {}) {
  const asked: string[] = [];
  const found: LookupOutcome = { kind: 'found', order: aWord('live') };
  const made = await anOrderDriver(order, {
    submit: async () => (asked.push('submit'), { kind: 'sent' }),
    lookup: async () => (asked.push('lookup'), found),
    cancel: async () => (asked.push('cancel'), { kind: 'unclear', reason: 'no answer' }),
    ...gateway,
  });
  return { ...made, asked };
}

describe('the driver of orders', () => {
  it('L9: asks about an order that it finds before anything else, and follows it once', async () => {
    const { driver, asked, clock } = await following(LIVE);
    driver.resume(LIVE);
    driver.resume(LIVE);
    await clock.advance(0);
    expect([asked, driver.size, driver.isFollowing(LIVE.intent.intentId)]).toEqual([
      ['lookup'],
      1,
      true,
    ]);
    driver.stop();
  });

  it('L9: takes up a request to cancel with the order it finds', async () => {
    const order = { ...LIVE, cancelWanted: true };
    const { driver, asked, clock } = await following(order);
    driver.resume(order);
    await clock.advance(0);
    expect(asked.slice(0, 2)).toEqual(['lookup', 'cancel']);
    driver.stop();
  });

  it('follows nothing that waits with this service: no venue has it', async () => {
    const kept = aSignedOrder({ state: 'live', attempts: [] }, { restsAt: 'service' });
    const { driver, asked, clock } = await following(kept);
    driver.resume(kept);
    await clock.advance(0);
    expect([asked, driver.size]).toEqual([[], 0]);
  });

  it.each(['signed', 'intended', 'filled', 'rejected'] as const)(
    'L9: takes up no order that is %s: none was left so by a start',
    async (state) => {
      const { driver } = await following(LIVE);
      expect(() => driver.resume(aSignedOrder({ state }))).toThrow(
        'is resumed only unknown or at the venue',
      );
    },
  );

  it('L2: leaves an order as it is whose venue could not be opened, and tells operators', async () => {
    const { driver, log, stored } = await anOrderDriver(
      LIVE,
      {},
      {
        venues: createVenues([], [{ id: VENUE_A, cashAccount: 'usdc:safe', reason: 'down' }]),
      },
    );
    driver.resume(LIVE);
    const { intentId, userId } = LIVE.intent;
    expect([driver.size, stored(), log.lines]).toEqual([
      0,
      LIVE,
      [
        {
          level: 'error',
          event: 'order.venue_closed',
          fields: { intentId, userId, venue: VENUE_A },
        },
      ],
    ]);
  });

  it('has the bytes of a durable order leave at once, and tells where each word leaves it', async () => {
    const { driver, asked, clock, log, metrics, stored } = await following(aSignedOrder(), {
      submit: async () => (
        asked.push('submit'), { kind: 'accepted', orderId: ORDER_ID, status: 'live' }
      ),
    });
    const answer = driver.acknowledgement(aSignedOrder().intent);
    driver.durable(aSignedOrder());
    expect(asked).toEqual(['submit']);
    await clock.advance(0);
    expect([(await answer).state, stored()?.state]).toEqual(['live', 'live']);
    const { intentId, userId } = LIVE.intent;
    expect(log.lines).toEqual([
      {
        level: 'info',
        event: 'order.state',
        fields: {
          intentId,
          userId,
          venue: VENUE_A,
          orderId: ORDER_ID,
          state: 'live',
          reason: null,
        },
      },
    ]);
    expect(metrics.counts.get('orders_total venue_a live')).toBe(1);
    driver.stop();
  });

  it('follows an order no more that has ended, by whoever the word came', async () => {
    const { driver, clock, updates } = await following(LIVE);
    driver.resume(LIVE);
    await clock.advance(0);
    const ended = driver.ended(LIVE.intent, clock.nowMs() + 60_000);
    await updates.apply(LIVE.intent, (record) => ({ ...record, ...ENDED }), 'outside');
    expect([(await ended).state, driver.size, clock.pending]).toEqual(['cancelled', 0, 0]);
  });

  it('asks now where there is reason to, about what it follows', async () => {
    const { driver, asked, clock } = await following(LIVE);
    driver.ask(LIVE.intent.intentId);
    driver.resume(LIVE);
    await clock.advance(0);
    driver.ask(LIVE.intent.intentId);
    await clock.advance(0);
    expect(asked).toEqual(['lookup', 'lookup']);
    driver.stop();
  });

  it('has a cancel resolve once the venue has answered it and what became of the order is known', async () => {
    let answer: (outcome: CancelOutcome) => void = () => undefined;
    const { driver, clock, updates } = await following(LIVE, {
      cancel: () => new Promise((resolve) => (answer = resolve)),
      lookup: async () => ({ kind: 'found', order: aWord('live') }),
    });
    driver.resume(LIVE);
    await clock.advance(0);
    await updates.apply(LIVE.intent, (record) => ({ ...record, cancelWanted: true }), 'actor');
    let isResolved = false;
    const cancelled = driver.cancelWanted(LIVE.intent).finally(() => (isResolved = true));
    await clock.advance(0);
    expect(isResolved).toBe(false);
    answer({ kind: 'refused', reason: 'it is being matched' });
    await clock.advance(0);
    expect(await cancelled).toMatchObject({ state: 'live', reason: 'it is being matched' });
    driver.stop();
  });

  it('has a cancel whose answer is unclear resolve once the venue has been asked', async () => {
    let answer: (outcome: LookupOutcome) => void = () => undefined;
    let looks = 0;
    const { driver, clock, updates } = await following(LIVE, {
      lookup: () => {
        looks += 1;
        if (looks === 1) return Promise.resolve({ kind: 'found', order: aWord('live') });
        return new Promise((resolve) => (answer = resolve));
      },
    });
    driver.resume(LIVE);
    await clock.advance(0);
    await updates.apply(LIVE.intent, (record) => ({ ...record, cancelWanted: true }), 'actor');
    let isResolved = false;
    const cancelled = driver.cancelWanted(LIVE.intent).finally(() => (isResolved = true));
    await clock.advance(0);
    expect([looks, isResolved]).toEqual([2, false]);
    answer({ kind: 'found', order: aWord('cancelled') });
    await clock.advance(0);
    expect((await cancelled).state).toBe('cancelled');
  });

  it('has a cancel resolve at once of an order whose first answer is awaited: it cannot be asked for yet', async () => {
    const { driver, clock } = await following(aSignedOrder(), {
      submit: () => new Promise(() => undefined),
    });
    driver.durable(aSignedOrder());
    let isResolved = false;
    void driver.cancelWanted(LIVE.intent).finally(() => (isResolved = true));
    await clock.advance(0);
    expect(isResolved).toBe(true);
    driver.stop();
  });

  it('gives an unfollowed order in its present state when a cancel of it is wanted', async () => {
    const { driver, asked } = await following(LIVE);
    expect([await driver.cancelWanted(LIVE.intent), asked]).toEqual([LIVE, []]);
  });

  it('L9: sends and asks nothing once it has stopped; whoever waits has the order in its present state', async () => {
    const { driver, asked, clock } = await following(aSignedOrder());
    const waits = [
      driver.acknowledgement(LIVE.intent),
      driver.ended(LIVE.intent, clock.nowMs() + 60_000),
    ];
    driver.stop();
    driver.durable(aSignedOrder());
    await clock.advance(60_000);
    expect((await Promise.all(waits)).map(({ state }) => state)).toEqual(['signed', 'signed']);
    expect([asked, driver.size, clock.pending]).toEqual([[], 0, 0]);
  });
});

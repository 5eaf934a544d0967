import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createPromMetrics } from '../../../src/adapters/metrics/prom-metrics.ts';
import type { OrderState } from '../../../src/domain/order.ts';
import { createOrderFigures } from '../../../src/services/orders/order-figures.ts';
import { T0 } from '../../support/builders.ts';
import { VENUE_A } from '../../support/venue-ids.ts';
import { anOrder } from '../../support/worlds/money-records.ts';

function theFigures() {
  const clock = createVirtualClock(T0);
  const metrics = createPromMetrics({ venues: [VENUE_A] });
  const venues = { open: [{ id: VENUE_A }] };
  const figures = createOrderFigures({ metrics, clock, wallClock: clock, venues });
  const shown = async (name: string) => {
    figures.tell();
    const text = await metrics.renderMetrics();
    return Number(new RegExp(`^predictd_${name} (\\S+)$`, 'm').exec(text)?.[1]);
  };
  return { clock, metrics, figures, shown };
}

const at = (state: OrderState) => anOrder({ state, updatedAtMs: T0 });

const OPEN_LIVE = 'orders_open\\{venue="venue_a",state="live"\\}';
const OLDEST = 'orders_unknown_oldest_seconds\\{venue="venue_a"\\}';
const REFUSED = 'order_rejections_total\\{venue="venue_a",reason="refused_by_venue"\\}';
const FOUND_LIVE = 'order_unknown_seconds_count\\{venue="venue_a",outcome="live"\\}';

describe('the figures of open orders', () => {
  it('count each order in its state, and none that has ended', async () => {
    const { figures, shown } = theFigures();
    figures.changed(at('signed'));
    expect(await shown('orders_open\\{venue="venue_a",state="signed"\\}')).toBe(1);
    figures.changed(at('live'));
    figures.changed(at('live'));
    expect([
      await shown(OPEN_LIVE),
      await shown('orders_open\\{venue="venue_a",state="signed"\\}'),
    ]).toEqual([1, 0]);
    figures.changed(at('filled'));
    figures.changed(at('filled'));
    expect(await shown(OPEN_LIVE)).toBe(0);
  });

  it('show how long the oldest has been unknown, and 0 once it is decided', async () => {
    const { clock, figures, shown } = theFigures();
    figures.changed(at('signed'));
    figures.changed(at('unknown'));
    await clock.advance(42_000);
    expect(await shown(OLDEST)).toBe(42);
    figures.changed(at('live'));
    expect([await shown(OLDEST), await shown(FOUND_LIVE)]).toEqual([0, 1]);
  });

  it('go on counting an order that a start found unknown from when it became so', async () => {
    const { clock, figures, shown } = theFigures();
    await clock.advance(10_000);
    figures.found(at('unknown'));
    expect(await shown(OLDEST)).toBe(10);
  });

  it('count what the venue refused once, however often it is reported', async () => {
    const { figures, shown } = theFigures();
    expect(await shown(REFUSED)).toBe(0);
    figures.changed(at('signed'));
    figures.changed(at('rejected'));
    figures.changed(at('rejected'));
    expect(await shown(REFUSED)).toBe(1);
  });
});

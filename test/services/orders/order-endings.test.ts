import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { asId } from '../../../src/domain/ids.ts';
import { isTerminal, type OrderRecord, type OrderState } from '../../../src/domain/order.ts';
import { createOrderEndings } from '../../../src/services/orders/order-endings.ts';
import { T0 } from '../../support/builders.ts';
import { aSignedOrder } from '../../support/worlds/folded-orders.ts';

/** Orders that are read as last reported, and what each wait came to. */
function orders() {
  const clock = createVirtualClock(T0);
  const reported = new Map<string, OrderRecord>();
  const tell = (intentId: string, state: OrderState) => {
    const record = aSignedOrder({ state }, { intentId: asId(intentId) });
    reported.set(intentId, record);
    return record;
  };
  const read = ({ intentId }: { readonly intentId: string }) =>
    reported.get(intentId) ?? expect.unreachable();
  const endings = createOrderEndings({ updates: { read }, clock }, ({ state }) =>
    isTerminal(state),
  );
  const ends: string[] = [];
  const wait = (intentId: string, ms: number) =>
    void endings
      .wait(read({ intentId }).intent, T0 + ms)
      .then(({ state }) => ends.push(`${intentId} ${state}`));
  const settled = () => clock.advance(0);
  return { ...endings, clock, tell, wait, ends, settled };
}

describe('a caller that waits for the end of an order', () => {
  it('gets it at once where it has ended, or there is no time to wait', async () => {
    const { tell, wait, ends, settled, clock } = orders();
    tell('int_1', 'filled');
    tell('int_2', 'live');
    wait('int_1', 10);
    wait('int_2', 0);
    wait('int_2', -1);
    expect(clock.pending).toBe(0);
    await settled();
    expect(ends).toEqual(['int_1 filled', 'int_2 live', 'int_2 live']);
  });

  it('gets it when it ends, with all others that wait for the same', async () => {
    const { tell, wait, ends, settled, hear, clock } = orders();
    tell('int_1', 'live');
    tell('int_2', 'live');
    ['int_1', 'int_1', 'int_2'].forEach((intentId) => wait(intentId, 10));
    hear(tell('int_1', 'matched'));
    await settled();
    expect(ends).toEqual([]);
    hear(tell('int_1', 'filled'));
    hear(tell('int_3', 'filled'));
    await settled();
    expect([ends, clock.pending]).toEqual([['int_1 filled', 'int_1 filled'], 1]);
  });

  it('hears of the end though another has waited long enough', async () => {
    const { tell, wait, ends, settled, clock, hear } = orders();
    tell('int_1', 'live');
    wait('int_1', 5);
    wait('int_1', 10);
    await clock.advance(5);
    hear(tell('int_1', 'filled'));
    await settled();
    expect([ends, clock.pending]).toEqual([['int_1 live', 'int_1 filled'], 0]);
  });

  it('gets it in its present state when its time is over, and not before', async () => {
    const { tell, wait, ends, clock, hear } = orders();
    tell('int_1', 'live');
    wait('int_1', 10);
    await clock.advance(9);
    expect(ends).toEqual([]);
    tell('int_1', 'matched');
    await clock.advance(1);
    hear(tell('int_1', 'filled'));
    await clock.advance(1);
    expect(ends).toEqual(['int_1 matched']);
  });

  it('gets it in its present state when the process ends, and from then on', async () => {
    const { tell, wait, ends, settled, leave, clock } = orders();
    tell('int_1', 'live');
    wait('int_1', 10);
    leave();
    wait('int_1', 10);
    await settled();
    expect([ends, clock.pending]).toEqual([['int_1 live', 'int_1 live'], 0]);
  });
});

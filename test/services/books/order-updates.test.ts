import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { asId, type OrderId } from '../../../src/domain/ids.ts';
import type { OrderRecord } from '../../../src/domain/order.ts';
import { createOrderUpdates, type OrderFold } from '../../../src/services/books/order-updates.ts';
import { putOrder } from '../../../src/services/books/record-changes.ts';
import { ORDERS } from '../../../src/services/books/tables.ts';
import type { Commit } from '../../../src/ports/commit.ts';
import { anAttempt } from '../../support/attempts.ts';
import { T0 } from '../../support/builders.ts';
import { aSignedOrder } from '../../support/worlds/folded-orders.ts';

/** One order as stored, what is reported of it, and how often something was written. */
async function updatesOf(order: OrderRecord = aSignedOrder()) {
  const store = createMemoryStore();
  const reported: string[] = [];
  let writes = 0;
  let first: () => Promise<unknown> = () => Promise.resolve();
  const commit = (async (change: Parameters<typeof store.write>[0]) => {
    await first();
    writes += 1;
    return store.write(change);
  }) as Commit; // what is said once a commit is durable is not used here
  const meanwhile = (run: typeof first) => void (first = run);
  const updates = createOrderUpdates({
    store,
    commit,
    clock: createVirtualClock(T0 + 7),
    named: ({ attempts }) => void reported.push(`named ${String(attempts.at(-1)?.orderId)}`),
  });
  updates.listen(({ state }, source) => void reported.push(`${state} by ${source}`));
  await store.write((tx) => putOrder(tx, null, order));
  const stored = () => store.get(ORDERS, [order.intent.userId, order.intent.intentId])?.value;
  const apply = (fold: OrderFold, alongside?: Parameters<typeof updates.apply>[3]) =>
    updates.apply(order.intent, fold, 'actor', alongside);
  return { store, updates, reported, stored, apply, order, meanwhile, writes: () => writes };
}

const toLive: OrderFold = (record, nowMs) => ({ ...record, state: 'live', updatedAtMs: nowMs });

describe('an update of an order', () => {
  it('that says something new is stored by the time of folding, then reported', async () => {
    const { apply, stored, reported, order } = await updatesOf();
    const after = { ...order, state: 'live', updatedAtMs: T0 + 7 };
    expect([await apply(toLive), stored(), reported]).toEqual([after, after, ['live by actor']]);
  });

  it('that says nothing new is neither written nor reported', async () => {
    const { apply, reported, order, writes } = await updatesOf();
    expect(await apply((record) => record)).toEqual(order);
    expect([reported, writes()]).toEqual([[], 0]);
  });

  it('that was overtaken says nothing new to the record it meets', async () => {
    const { apply, reported, order, store, meanwhile } = await updatesOf();
    const matched: OrderRecord = { ...order, state: 'matched' };
    meanwhile(() => store.write((tx) => putOrder(tx, order, matched)));
    const version = () => store.get(ORDERS, [order.intent.userId, order.intent.intentId])?.version;
    expect(
      await apply((record, nowMs) => (record.state === 'signed' ? toLive(record, nowMs) : record)),
    ).toEqual(matched);
    expect([reported, version()]).toEqual([[], 2]);
  });

  it('may be amended before it is written, and followed by more, in one transaction', async () => {
    const { apply, stored, reported, store } = await updatesOf();
    const after = await apply(toLive, {
      amend: (_, record) => ({ ...record, reason: 'amended' }),
      add: (tx, record) => void tx.put(ORDERS, ['beside', 'it'], record),
    });
    expect([after.reason, stored(), store.get(ORDERS, ['beside', 'it'])?.value]).toEqual([
      'amended',
      after,
      after,
    ]);
    expect(reported).toEqual(['live by actor']);
    const plain = await updatesOf();
    let added = 0;
    await plain.apply(toLive, { add: () => void (added += 1) });
    expect([plain.stored()?.state, added]).toEqual(['live', 1]);
  });

  it("names the order once, when its venue's id is learned", async () => {
    const attempts = [anAttempt('ours', { orderId: null })];
    const { apply, reported } = await updatesOf(aSignedOrder({ attempts }));
    await apply(toLive);
    await apply((record) => ({
      ...record,
      attempts: [anAttempt('ours', { orderId: asId<OrderId>('theirs') })],
    }));
    await apply((record) => ({ ...record, reason: 'once more' }));
    expect(reported).toEqual(['live by actor', 'live by actor', 'named theirs', 'live by actor']);
    const unsent = await updatesOf(aSignedOrder({ attempts: [], state: 'live' }));
    await unsent.apply((record) => ({ ...record, reason: 'waits' }));
    expect(unsent.reported).toEqual(['live by actor']);
  });

  it('of another user is named as that', async () => {
    const { updates, reported, order } = await updatesOf();
    updates.announce(order);
    expect(reported).toEqual(['signed by outside']);
  });

  it('of an unknown order is an error', async () => {
    const { updates, order } = await updatesOf();
    const unknown = {
      userId: order.intent.userId,
      intentId: asId<typeof order.intent.intentId>('x'),
    };
    expect(() => updates.read(unknown)).toThrow(expect.objectContaining({ code: 'not_found' }));
    await expect(updates.apply(unknown, toLive, 'actor')).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

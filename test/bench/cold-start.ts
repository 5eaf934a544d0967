import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLmdbStore } from '../../src/adapters/lmdb/lmdb-store.ts';
import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';
import type { IntentId, OrderId } from '../../src/domain/ids.ts';
import { asId } from '../../src/domain/ids.ts';
import type { OrderRecord } from '../../src/domain/order.ts';
import { shareMicros, usdcMicros } from '../../src/domain/units.ts';
import type { Store } from '../../src/ports/store.ts';
import { putOrder } from '../../src/services/portfolio/record-changes.ts';
import { ORDERS, ORDER_IDS } from '../../src/services/tables.ts';
import { aLimitBuy, aUserId } from '../support/builders.ts';
import { aWorld, during } from '../support/trading-world.ts';
import type { World } from '../support/trading-world.ts';
import type { Row } from './row.ts';

const ENDED = 100_000;
const OPEN = 1_000;
const BATCH = 1_000;
const BAR_SECONDS = 1;

/** From opening the store to trading-ready: 100 000 ended orders and 1 000 open ones of a hundred users on disk. */
export async function run(): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'cold-start-'));
  const path = join(folder, 'store');
  try {
    const world = aWorld();
    const first = await openLmdbStore({ path });
    await fill(first, await templateOf(world));
    await first.close();
    const startedAt = process.hrtime.bigint();
    const store = await openLmdbStore({ path });
    const life = world.live(store, { seed: 'cold' });
    const report = await life.orders.recover();
    const seconds = Number(process.hrtime.bigint() - startedAt) / 1e9;
    if (report.openOrders !== OPEN) throw new Error(`${report.openOrders} orders were taken up, not ${OPEN}`);
    await life.orders.stop();
    await store.close();
    return [{ work: `cold start, ${ENDED} ended and ${OPEN} open orders in the store`, ours: seconds, peer: null, unit: 's', bar: BAR_SECONDS }];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function templateOf(world: World): Promise<OrderRecord> {
  const life = world.live(createMemoryStore());
  await life.funding.syncDeposits(world.user);
  const record = await during(world, life.orders.place(world.user, aLimitBuy()));
  await life.orders.stop();
  return record;
}

async function fill(store: Store, template: OrderRecord): Promise<void> {
  for (let from = 0; from < ENDED + OPEN; from += BATCH) {
    await store.write((tx) => {
      for (let number = from; number < from + BATCH; number += 1) {
        const intentId = asId<IntentId>(`int_${String(number).padStart(26, '0')}`);
        const intent = { ...template.intent, userId: aUserId(number % 100), intentId };
        const orderId = asId<OrderId>(`0x${number.toString(16).padStart(64, '0')}`);
        tx.put(ORDER_IDS, [orderId], { userId: intent.userId, intentId });
        if (number >= ENDED) putOrder(tx, null, { ...template, intent });
        else tx.put(ORDERS, [intent.userId, intentId], { ...template, intent, state: 'cancelled', reserved: { usdc: usdcMicros(0), shares: shareMicros(0) } });
      }
    });
  }
}

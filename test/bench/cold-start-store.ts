import { AGENT } from '../../config/limits.ts';
import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';
import { asId, type AttemptId, type IntentId, type OrderId } from '../../src/domain/ids.ts';
import type { OrderRecord } from '../../src/domain/order.ts';
import { defaultSettings } from '../../src/domain/settings.ts';
import { STRATEGIES } from '../../src/domain/strategy/table.ts';
import { shareMicros, usdcMicros } from '../../src/domain/units.ts';
import type { Store } from '../../src/ports/store.ts';
import { putOrder } from '../../src/services/books/record-changes.ts';
import { AGENTS, ORDERS, ORDER_IDS } from '../../src/services/books/tables.ts';
import { aLimitBuy, aUserId } from '../support/builders.ts';
import { aWorld, during } from '../support/worlds/trading-world.ts';

/** Orders in the store, and how many of them are not over. */
export const ENDED = 100_000;
/** See ENDED. */
export const OPEN = 1_000;
/** Agents in the store. */
export const AGENTS_ENABLED = 10_000;
const BATCH = 1_000;

/** Fills a store with agents, and orders of a hundred users; what is open comes last. */
export async function fillStore(store: Store): Promise<void> {
  const template = await templateOf();
  const settings = defaultSettings({ agentId: 'btc_5min', rows: STRATEGIES.of('btc_5min') }, AGENT);
  await store.write((tx) => {
    for (let number = 0; number < AGENTS_ENABLED; number += 1) {
      const userId = aUserId(number);
      tx.put(AGENTS, [userId, 'btc_5min'], {
        userId,
        agentId: 'btc_5min',
        enabled: true,
        settings,
        updatedAtMs: 1,
      });
    }
  });
  for (let from = 0; from < ENDED + OPEN; from += BATCH) {
    await store.write((tx) => {
      for (let number = from; number < from + BATCH; number += 1) {
        const intentId = asId<IntentId>(`int_${String(number).padStart(26, '0')}`);
        const intent = { ...template.intent, userId: aUserId(number % 100), intentId };
        const id = `0x${number.toString(16).padStart(64, '0')}`;
        const attempts = template.attempts.map((attempt) => ({
          ...attempt,
          attemptId: asId<AttemptId>(id),
          orderId: asId<OrderId>(id),
        }));
        if (number >= ENDED) {
          putOrder(tx, null, { ...template, intent, attempts });
          continue;
        }
        tx.put(ORDER_IDS, [asId<OrderId>(id)], { userId: intent.userId, intentId });
        tx.put(ORDERS, [intent.userId, intentId], {
          ...template,
          intent,
          attempts,
          state: 'cancelled',
          reserved: { usdc: usdcMicros(0), shares: shareMicros(0) },
        });
      }
    });
  }
}

async function templateOf(): Promise<OrderRecord> {
  const world = aWorld();
  const life = world.live(createMemoryStore());
  await life.funding.syncDeposits(world.user);
  const record = await during(world, life.orders.place(world.user, aLimitBuy()));
  await life.orders.stop();
  return record;
}

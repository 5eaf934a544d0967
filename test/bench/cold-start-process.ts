import { openLmdbStore } from '../../src/adapters/lmdb/lmdb-store.ts';
import { aWorld } from '../support/worlds/trading-world.ts';
import { fillStore, OPEN } from './cold-start-store.ts';
import { createThreadClock } from './thread-clock.ts';

/**
 * What a process tells its parent once it may trade: seconds since it opened its store, those of
 * them its thread ran, and seconds since it was started.
 */
export interface TradingReady {
  readonly openSeconds: number;
  readonly threadSeconds: number;
  readonly processSeconds: number;
}

// `fill` writes the store and is killed at once, its log not taken in; `start` recovers from
// that.
const [, , work, path = ''] = process.argv;
if (work === 'fill') await fillAndDie();
else if (work === 'start') await startTrading();
else throw new Error(`no work is called ${String(work)}`);

async function fillAndDie(): Promise<void> {
  await fillStore(await openLmdbStore({ path }));
  process.kill(process.pid, 'SIGKILL');
}

async function startTrading(): Promise<void> {
  const thread = createThreadClock();
  const [openedAtMs, ranMs] = [performance.now(), thread.nowMs()];
  const store = await openLmdbStore({ path });
  const life = aWorld().live(store, { seed: 'cold' });
  const report = await life.orders.recover();
  const [readyAtMs, ranToMs] = [performance.now(), thread.nowMs()];
  if (report.openOrders !== OPEN)
    throw new Error(`${report.openOrders} orders were taken up, not ${OPEN}`);
  const answer: TradingReady = {
    openSeconds: (readyAtMs - openedAtMs) / 1_000,
    threadSeconds: (ranToMs - ranMs) / 1_000,
    processSeconds: readyAtMs / 1_000,
  };
  process.send?.(answer, () => process.kill(process.pid, 'SIGKILL'));
}

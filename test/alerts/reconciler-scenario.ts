import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';
import { createPromMetrics } from '../../src/adapters/metrics/prom-metrics.ts';
import { USERS } from '../../src/services/sign-in/tables.ts';
import { aMoneyWorld, CONTRACTS, fund, reconcilerOf } from '../support/worlds/money-world.ts';
import { createKeptLog } from '../support/quiet.ts';
import { createScrapes, SCRAPE_MS, type Scrapes } from './scrapes.ts';

/**
 * Scrapes an hour of the reconciler over a chain, while a holder of the owner's key empties the
 * Safe, or leaves it.
 */
export async function scrapeReconciler(safe: 'drained' | 'untouched'): Promise<Scrapes> {
  const [world, store, metrics, log, scrapes] = [
    aMoneyWorld(),
    createMemoryStore(),
    createPromMetrics(),
    createKeptLog(),
    createScrapes(),
  ];
  const { chain, clock, user } = world;
  const life = world.live(store);
  await life.commit((tx) => tx.put({ name: USERS.name }, [user], { userId: user }));
  life.recover([user]);
  await fund(world, life, 100_000_000);
  const reconciler = reconcilerOf(world, life, { log, metrics });
  reconciler.start();
  for (let scrape = 0; scrape < 240; scrape += 1) {
    if (scrape === 20 && safe === 'drained')
      chain.send((state) => state.addToken(CONTRACTS.collateral, world.safe, -40_000_000n));
    await clock.advance(SCRAPE_MS);
    scrapes.take(await metrics.renderMetrics());
  }
  reconciler.stop();
  return scrapes;
}

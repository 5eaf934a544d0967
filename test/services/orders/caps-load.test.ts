import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openLmdbStore } from '../../../src/adapters/lmdb/lmdb-store.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import {
  aLoadWorld,
  enableLoadAgent,
  endOrders,
  load,
  LOAD_CAPS,
  loadRandom,
  watchCaps,
} from '../../support/loads/caps-load.ts';
import { pump } from '../../support/clocks/pumped-clock.ts';
import { brokenLaws } from '../../support/worlds/trading-world.ts';

const LIVES = 5;
const REQUESTS = 200;
const WAVES = 10;
const lock = { leaseMs: 30_000, queueMaximum: 500 };

describe('L5: caps in a load', () => {
  it.each([1, 2, 3])(
    'L5: 200 requests at once in each of five lives, cut short by power failures, over two midnights, never pass a cap by a micro (seed %i)',
    async (seed) => {
      const world = aLoadWorld();
      const watch = watchCaps(world);
      const random = loadRandom(seed);
      let store = createMemoryStore();
      for (let number = 0; number < LIVES; number += 1) {
        const watched = watch.over(store);
        const life = world.live(watched, {
          seed: `storm-${seed}-${number}`,
          lock,
          caps: LOAD_CAPS,
        });
        await life.orders.recover();
        await life.funding.syncDeposits(world.user);
        if (number === 0) await enableLoadAgent(life, world);
        const running = load(life, world, { random, requests: REQUESTS });
        running.catch(() => undefined);
        // Some lives end in mid-load, others see it out.
        await world.clock.advance(random.integer(2) === 0 ? 200 + random.integer(3_000) : 120_000);
        endOrders(world, store, random);
        await world.clock.advance(random.integer(2) === 0 ? 1_500 : 60_000);
        life.die();
        await life.orders.stop();
        store = store.crash();
        // No process runs for some hours: what ends in them is booked late, on another day.
        await world.clock.advance(8 * 3_600_000);
      }
      const last = world.live(watch.over(store), {
        seed: `storm-${seed}-last`,
        lock,
        caps: LOAD_CAPS,
      });
      await last.orders.recover();
      await world.clock.advance(120_000);
      expect(watch.passed).toEqual([]);
      expect(brokenLaws(store, world.user)).toEqual([]);
      // The load was heavy enough: every cap was come near to.
      expect(watch.nearest.get('agent positions')).toBe(1_000_000);
      expect(watch.nearest.get('all exposure')).toBeGreaterThan(900_000);
      await last.orders.stop();
    },
  );

  it('L5: the same on the store on disk, opened again in each life', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'predictd-caps-'));
    const world = aLoadWorld();
    const watch = watchCaps(world);
    const random = loadRandom(9);
    try {
      for (let number = 0; number < 3; number += 1) {
        const store = await openLmdbStore({ path: join(folder, 'store') });
        const life = world.live(watch.over(store), {
          seed: `disk-${number}`,
          lock,
          caps: LOAD_CAPS,
        });
        const clock = pump(world.clock, 5);
        await life.orders.recover();
        await life.funding.syncDeposits(world.user);
        if (number === 0) await enableLoadAgent(life, world);
        // In waves: what waits for its turn for too long is refused, whatever the caps say.
        for (let wave = 0; wave < WAVES; wave += 1)
          await load(life, world, { random, requests: REQUESTS / WAVES });
        endOrders(world, store, random);
        await clock.stop();
        await world.clock.advance(5_000);
        await life.orders.stop();
        expect(brokenLaws(store, world.user)).toEqual([]);
        await store.close();
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    expect(watch.passed).toEqual([]);
    expect(watch.commits).toBeGreaterThan(100);
  });
});

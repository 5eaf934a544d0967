import { afterEach, describe, expect, it } from 'vitest';
import { watchOwners, type OwnersWatch } from '../../src/gateway/owner-watch.ts';
import type { ShardOwner } from '../../src/ports/shard-owner.ts';

const ONE: ShardOwner = { epoch: 1, url: 'http://one' };
const TWO: ShardOwner = { epoch: 2, url: 'http://two' };
const LONG_MS = 60_000;
const pulse = async (): Promise<void> => undefined;

describe('who owns a shard, as a gateway follows it', () => {
  let watch: OwnersWatch;
  const rows = (one: ShardOwner | null): ReadonlyMap<number, ShardOwner> =>
    new Map(one === null ? [] : [[0, one]]);
  afterEach(() => watch.close());

  it('is found once it is there, and its replacement is heard of', async () => {
    let row: ShardOwner | null = null;
    watch = watchOwners({ read: async () => rows(row), pulse });
    const shard = watch.of(0);
    const found = shard.find(LONG_MS);
    row = ONE;
    expect(await found).toEqual(ONE);
    const replaced = shard.replaced(1);
    expect(replaced.aborted).toBe(false);
    row = TWO;
    await new Promise((resolve) => replaced.addEventListener('abort', resolve));
    expect([shard.current(), shard.replaced(1).aborted, shard.replaced(2).aborted]).toEqual([
      TWO,
      true,
      false,
    ]);
  });

  it('stays as it was read while the engine does not answer', async () => {
    let reads = 0;
    const read = async () => {
      reads += 1;
      if (reads > 1) throw new Error('away');
      return rows(ONE);
    };
    watch = watchOwners({ read, pulse });
    await expect.poll(() => reads).toBeGreaterThan(2);
    expect(watch.of(0).current()).toEqual(ONE);
  });

  it('is silent once it gives no sign of life, each time anew', async () => {
    let isAlive = true;
    const asked: string[] = [];
    watch = watchOwners({
      read: async () => rows(ONE),
      async pulse(url) {
        asked.push(url);
        if (!isAlive) throw new Error('no answer');
      },
    });
    const shard = watch.of(0);
    await expect.poll(() => asked).toContain('http://one');
    const silent = shard.silent();
    expect(silent.aborted).toBe(false);
    isAlive = false;
    await new Promise((resolve) => silent.addEventListener('abort', resolve));
    isAlive = true;
    expect([shard.current(), shard.silent().aborted]).toEqual([ONE, false]);
  });

  it('is absent after the time a call waits', async () => {
    watch = watchOwners({ read: async () => rows(null), pulse });
    expect(await watch.of(0).find(1)).toBeNull();
  });

  it('is each shard’s own: one that loses its owner takes none from the others', async () => {
    let owners: ReadonlyMap<number, ShardOwner> = new Map([
      [0, ONE],
      [7, TWO],
    ]);
    watch = watchOwners({ read: async () => owners, pulse });
    expect(await watch.of(7).find(LONG_MS)).toEqual(TWO);
    owners = rows(ONE);
    await expect.poll(() => watch.of(7).current()).toBeNull();
    expect(watch.of(0).current()).toEqual(ONE);
  });
});

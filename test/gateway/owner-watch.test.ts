import { afterEach, describe, expect, it } from 'vitest';
import { watchOwner, type OwnerWatch } from '../../src/gateway/owner-watch.ts';
import type { ShardOwner } from '../../src/ports/shard-owner.ts';

const ONE: ShardOwner = { epoch: 1, url: 'http://one' };
const TWO: ShardOwner = { epoch: 2, url: 'http://two' };
const LONG_MS = 60_000;

describe('who owns a shard, as a gateway follows it', () => {
  let watch: OwnerWatch;
  afterEach(() => watch.close());

  it('is found once it is there, and its replacement is heard of', async () => {
    let row: ShardOwner | null = null;
    watch = watchOwner(async () => row);
    const found = watch.find(LONG_MS);
    row = ONE;
    expect(await found).toEqual(ONE);
    const replaced = watch.replaced(1);
    expect(replaced.aborted).toBe(false);
    row = TWO;
    await new Promise((resolve) => replaced.addEventListener('abort', resolve));
    expect([watch.current(), watch.replaced(1).aborted, watch.replaced(2).aborted]).toEqual([
      TWO,
      true,
      false,
    ]);
  });

  it('stays as it was read while the engine does not answer', async () => {
    let reads = 0;
    watch = watchOwner(async () => {
      reads += 1;
      if (reads > 1) throw new Error('away');
      return ONE;
    });
    await expect.poll(() => reads).toBeGreaterThan(2);
    expect(watch.current()).toEqual(ONE);
  });

  it('is absent after the time a call waits', async () => {
    watch = watchOwner(async () => null);
    expect(await watch.find(1)).toBeNull();
  });
});

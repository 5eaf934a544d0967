import { afterAll, describe, expect, it } from 'vitest';
import { isClean } from '../chaos/verdict.ts';
import { killDaemons } from '../crash/support/daemon.ts';
import { NO_POSTGRES } from '../support/fixtures/postgres.ts';
import { proveCluster } from './proof.ts';

const quiet = (): void => undefined;

describe.skipIf(NO_POSTGRES !== null)('people who trade through gateways', () => {
  afterAll(killDaemons);

  it('lose and double nothing while an owner of each shard is lost, a node of the database, both feeds, and a shard is split', async () => {
    const { verdict, log, onOtherSides, parted, readers, epoch } = await proveCluster(
      { orders: 100, people: 6, shards: 2, faults: ['pause', 'kill', 'promote', 'feeds', 'split'] },
      quiet,
    );
    expect(isClean(verdict), JSON.stringify(verdict)).toBe(true);
    expect([log.missing, log.afterReplaced, onOtherSides, parted.length]).toEqual([0, 0, 0, 3]);
    // The new shard goes on from the epoch of the one that was split, which was its third; where
    // the machine is busy, one that starts may be replaced again.
    expect(epoch).toBeGreaterThanOrEqual(3 + 2 + 4);
    expect(readers).toMatchObject({ cut: 0, repeated: 0, disordered: 0 });
  });
});

import { afterAll, describe, expect, it } from 'vitest';
import { isClean } from '../chaos/verdict.ts';
import { killDaemons } from '../crash/support/daemon.ts';
import { NO_POSTGRES } from '../support/fixtures/postgres.ts';
import { proveCluster } from './proof.ts';

const quiet = (): void => undefined;

describe.skipIf(NO_POSTGRES !== null)('people who trade through gateways', () => {
  afterAll(killDaemons);

  it('lose and double nothing while an owner of each shard is lost, a node of the database, and both feeds', async () => {
    const { verdict, log, readers, epoch } = await proveCluster(
      { orders: 100, people: 6, shards: 2, faults: ['pause', 'kill', 'promote', 'feeds'] },
      quiet,
    );
    expect(isClean(verdict), JSON.stringify(verdict)).toBe(true);
    expect([log.missing, log.afterReplaced, epoch]).toEqual([0, 0, 4]);
    expect(readers).toMatchObject({ cut: 0, repeated: 0 });
  });
});

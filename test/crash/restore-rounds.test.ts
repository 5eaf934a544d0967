import { afterEach, describe, expect, it } from 'vitest';
import { runs } from '../support/sampled.ts';
import { killDaemons } from './support/daemon.ts';
import { faultsOf, restoreRounds, type Round } from './support/restore-rounds.ts';

afterEach(killDaemons);

describe('the daemon whose store is put back as it was minutes before', () => {
  it('L1, L4, L9: has after adopting all that traded at both venues, once, and ledger and chain agree', {
    timeout: 1_200_000,
  }, async () => {
    const rounds: Round[] = [];
    await restoreRounds(runs(1, 3), (round) => rounds.push(round));
    expect(rounds.flatMap(faultsOf)).toEqual([]);
    expect(rounds.every(({ adopted, payouts }) => adopted > 0 && payouts > 0)).toBe(true);
  });
});

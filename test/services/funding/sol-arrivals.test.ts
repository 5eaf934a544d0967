import { expect, it } from 'vitest';
import { WALLET } from '../../../config/limits/funds.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { asId, type UserId } from '../../../src/domain/ids.ts';
import type { SolanaArrivalList } from '../../../src/ports/solana.ts';
import { createCommit } from '../../../src/services/commit.ts';
import { createSolArrivals } from '../../../src/services/funding/sol-arrivals.ts';
import { TOKEN_ARRIVALS } from '../../../src/services/funding/tables.ts';
import { T0 } from '../../support/builders.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../../support/quiet.ts';

const USER = asId<UserId>('usr_ada');

/** Reads a wallet of which the chain reports this, twice; gives what that left. */
async function looked(list: Partial<SolanaArrivalList>) {
  const store = createMemoryStore();
  const log = createKeptLog();
  const asked: (string | null)[] = [];
  const read = createSolArrivals({
    store,
    commit: createCommit({ store, bus: createKeptBus(), metrics: createKeptMetrics() }),
    chain: {
      async since(_owner, since) {
        asked.push(since);
        return { arrivals: [], newest: 'SigNew', isUnsettled: false, isWhole: true, ...list };
      },
    },
    swaps: { isUnderWay: () => false, on: () => new Set() },
    walletOf: async () => 'wallet',
    clock: createVirtualClock(T0),
    log,
  });
  const rest = await read(USER);
  await read(USER);
  const arrived = store.range(TOKEN_ARRIVALS).map(({ value }) => value.units);
  return { rest, arrived, asked, log };
}

it('distinguishes the rent of a trade that is over from SOL that was sent with a token', async () => {
  const rent = BigInt(WALLET.rentLamportsMaximum);
  const { arrived, asked } = await looked({
    arrivals: [
      { signature: 'Sig1', lamports: rent, movesTokens: true },
      { signature: 'Sig2', lamports: rent + 1n, movesTokens: true },
      { signature: 'Sig3', lamports: rent, movesTokens: false },
    ],
  });
  expect([arrived, asked]).toEqual([
    [String(rent + 1n), String(rent)],
    [null, 'SigNew'],
  ]);
});

it('says so where a wallet had more transactions than are read', async () => {
  const { rest, log } = await looked({ isWhole: false, isUnsettled: true });
  expect([rest, log.lines.map(({ event }) => event)]).toEqual([
    'unsettled',
    ['funding.arrivals_left_out', 'funding.arrivals_left_out'],
  ]);
});

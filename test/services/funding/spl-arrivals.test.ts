import { expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { asId, type UserId } from '../../../src/domain/ids.ts';
import type { SolanaHistory, SolanaMovement } from '../../../src/ports/solana.ts';
import { ORDER_IDS } from '../../../src/services/books/tables.ts';
import { createCommit } from '../../../src/services/commit.ts';
import { createSplArrivals } from '../../../src/services/funding/spl-arrivals.ts';
import { TOKEN_ARRIVALS } from '../../../src/services/funding/tables.ts';
import { T0 } from '../../support/builders.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../../support/quiet.ts';

const USER = asId<UserId>('usr_ada');
const USDT = 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB';
const BONK = 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263';

/** A wallet whose token accounts and their history are as the test says. */
function aWallet() {
  const store = createMemoryStore();
  const movements = new Map<string, SolanaMovement[]>();
  const asked: string[] = [];
  const state = { isUnsettled: false, own: [] as { address: string; warnings: string[] }[] };
  const bus = createKeptBus();
  const live = () =>
    createSplArrivals({
      store,
      commit: createCommit({ store, bus, metrics: createKeptMetrics() }),
      solana: {
        tokenAccounts: async () =>
          [...movements].map(([mint, all]) => ({
            account: mint,
            mint,
            decimals: 6,
            amount: all.reduce((sum, { units }) => sum + units, 0n),
          })),
      },
      history: {
        async of(_owner, mint, since): Promise<SolanaHistory> {
          asked.push(mint);
          if (state.isUnsettled) return { kind: 'unsettled' };
          const all = movements.get(mint) ?? [];
          const from = all.findIndex(({ signature }) => signature === since) + 1;
          return {
            kind: 'read',
            movements: all.slice(from),
            newest: all.slice(from).at(-1)?.signature ?? null,
          };
        },
      },
      swaps: {
        isUnderWay: () => false,
        on: () => new Set(['brought']),
      },
      walletOf: async () => 'wallet',
      ownTokensOf: () =>
        state.own.map(({ address, warnings }) => ({
          address,
          warnings,
          symbol: 'BONK',
          decimals: 5,
        })),
      cashAccountOf: () => null,
      clock: createVirtualClock(T0),
      log: createKeptLog(),
    });
  const comes = (mint: string, signature: string, units: bigint): void =>
    void movements.set(mint, [...(movements.get(mint) ?? []), { signature, units }]);
  const found = () =>
    store
      .range(TOKEN_ARRIVALS)
      .map(({ value }) => [value.symbol, value.units, value.transactionHash]);
  return { store, comes, found, asked, state, live };
}

it('records a token of our own list once by its transaction, over a restart too', async () => {
  const { comes, found, asked, live } = aWallet();
  comes(USDT, 'one', 5_000_000n);
  const read = live();
  expect(await read(USER)).toBe('nothing');
  await read(USER);
  expect([found(), asked]).toEqual([[['USDT', '5000000', 'one']], [USDT]]);
  comes(USDT, 'two', 1_000_000n);
  await live()(USER);
  expect(found()).toEqual([
    ['USDT', '5000000', 'one'],
    ['USDT', '1000000', 'two'],
  ]);
});

it('leaves out what a bridge or an own order brought, what left, and dust', async () => {
  const { store, comes, found, live } = aWallet();
  await store.write((tx) =>
    tx.put({ name: ORDER_IDS.name }, ['order'], { userId: USER, intentId: 'i' }),
  );
  comes(USDT, 'brought', 7_000_000n);
  comes(USDT, 'order', 8_000_000n);
  comes(USDT, 'out', -1_000_000n);
  comes(USDT, 'dust', 9_999n);
  await live()(USER);
  expect(found()).toEqual([]);
});

it('tells of a token of the user’s choice, and of no other', async () => {
  const { comes, found, state, live } = aWallet();
  comes(BONK, 'one', 5n);
  const read = live();
  await read(USER);
  state.own = [{ address: BONK, warnings: ['look_alike'] }];
  await read(USER);
  expect(found()).toEqual([]);
  state.own = [{ address: BONK, warnings: [] }];
  await read(USER);
  expect(found()).toEqual([['BONK', '5', 'one']]);
});

it('waits for what is not final', async () => {
  const { comes, found, state, live } = aWallet();
  comes(USDT, 'one', 5_000_000n);
  state.isUnsettled = true;
  const read = live();
  expect([await read(USER), found()]).toEqual(['unsettled', []]);
  state.isUnsettled = false;
  expect([await read(USER), found().length]).toEqual(['nothing', 1]);
});

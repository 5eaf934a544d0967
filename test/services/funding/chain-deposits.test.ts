import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore, type MemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { asId, type Address, type UserId } from '../../../src/domain/ids.ts';
import { createCommit } from '../../../src/services/commit.ts';
import {
  CHAIN_CURSORS,
  createChainDeposits,
} from '../../../src/services/funding/chain-deposits.ts';
import { createAddressIndex } from '../../../src/services/funding/address-index.ts';
import { balanceOf } from '../../../src/services/books/record-changes.ts';
import { BALANCES } from '../../../src/services/books/tables.ts';
import { TRANSACTIONS } from '../../../src/services/transactions/tables.ts';
import { T0 } from '../../support/builders.ts';
import { addressTopic } from '../../../src/services/wallets/contract-calls.ts';
import { FakeChain } from '../../support/fakes/fake-chain.ts';
import { EXCHANGE, hashOf, transferLog } from '../../support/fakes/fake-chain-logs.ts';
import { CONTRACTS } from '../../support/worlds/money-world.ts';
import { cutPoints, runThrough } from '../../support/loads/crash-points.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../../support/quiet.ts';

const ADA = asId<UserId>('usr_ada');
const SAFE = asId<Address>(`0x${'a1'.repeat(20)}`);
const OTHER_SAFE = asId<Address>(`0x${'b2'.repeat(20)}`);
const STRANGER = asId<Address>(`0x${'57'.repeat(20)}`);
const TOKEN = CONTRACTS.collateral;
/** What a Safe tells of a transaction that succeeded, and of one that failed inside. */
const SUCCEEDED = '0x442e715f626346e8c54381002da614f62bee8d27386535b2521ec8540898556e';
const FAILED = '0x23428b18acfb3ea64b08dc0c1d296ea9c09702c09083ca5272e64d115b687d23';
/** Hash of a redemption of Ada's. */
const REDEMPTION = hashOf('redemption');
/** Of the call that would take its place, and of a transfer of hers. */
const CANCEL = hashOf('cancel');
const TRANSFER = hashOf('transfer');

/**
 * A user's Safe on a chain whose blocks come every two seconds, and the daemon's watch of it over a
 * store.
 */
function world() {
  const clock = createVirtualClock(T0);
  const chain = new FakeChain(clock, CONTRACTS);
  chain.start();
  const safes = new Map<UserId, Address>([[ADA, SAFE]]);
  const live = (store: MemoryStore) => {
    const bus = createKeptBus();
    const commit = createCommit({ store, bus, metrics: createKeptMetrics() });
    // Of a transaction its purpose and the names of its attempts are read alone.
    const signed = (kind: string, id: string) => ({
      purpose: { kind },
      attempts: [
        { id, isCancel: false },
        ...(kind === 'redeem' ? [{ id: CANCEL, isCancel: true }] : []),
      ],
    });
    const remember = () =>
      store.write((tx) => {
        tx.put({ name: TRANSACTIONS.name }, [ADA, 'txn_redeem'], signed('redeem', REDEMPTION));
        tx.put({ name: TRANSACTIONS.name }, [ADA, 'txn_transfer'], signed('transfer', TRANSFER));
      });
    const log = createKeptLog();
    const deposits = createChainDeposits({
      store,
      chain,
      clock,
      marketClock: clock,
      log,
      commit,
      contracts: CONTRACTS,
      safes: createAddressIndex({
        bus,
        clock,
        addressOf: (userId) => safes.get(userId) ?? STRANGER,
        users: () => [...safes].map(([userId, safe]) => ({ userId, address: safe })),
      }),
    });
    return { deposits, bus, commit, log, store, remember };
  };
  return { clock, chain, safes, live };
}

const bookedFor = (store: MemoryStore, userId = ADA): number =>
  balanceOf(store, userId, 'usdc:safe').settled;
/** Transfers without anything else around them. */
const give = (chain: FakeChain, ...amounts: readonly bigint[]) =>
  chain.send((_state, emit) => {
    for (const amount of amounts) emit(transferLog(TOKEN, STRANGER, { to: SAFE, amount }));
  });

describe('deposits on the chain', () => {
  it('L4: books a transfer to a Safe once it is final, never before and never twice', async () => {
    const { chain, live } = world();
    const { deposits, store, bus } = live(createMemoryStore());
    const hash = chain.mint(TOKEN, SAFE, 25_000_000n);
    chain.mine();
    chain.mine();
    expect([await deposits.scan(), bookedFor(store)]).toEqual([0, 0]);
    chain.mine();
    expect([await deposits.scan(), await deposits.scan(), bookedFor(store)]).toEqual([
      1, 0, 25_000_000,
    ]);
    chain.mine();
    expect([await deposits.scan(), bookedFor(store)]).toEqual([0, 25_000_000]);
    expect(
      bus.entries.map(({ event }) => event.type === 'ledger.posted' && event.entry.entryId),
    ).toEqual([`deposit:${ADA}:${hash}`]);
    expect(
      store.range(BALANCES).reduce((sum, { value }) => sum + value.settled + value.provisional, 0),
    ).toBe(0);
  });

  it('tells the transfers of one transaction apart, and counts none of nothing', async () => {
    const { chain, live } = world();
    const { deposits, store, bus } = live(createMemoryStore());
    const hash = give(chain, 5n, 0n, 5n);
    for (let block = 0; block < 3; block += 1) chain.mine();
    expect([await deposits.scan(), bookedFor(store)]).toEqual([2, 10]);
    expect(
      bus.entries.map(({ event }) => event.type === 'ledger.posted' && event.entry.entryId),
    ).toEqual([`deposit:${ADA}:${hash}`, `deposit:${ADA}:${hash}#2`]);
  });

  it.each(['kept', 'lost'] as const)(
    'books nothing twice, and nothing that is not there, when a block is taken back and its transactions are %s',
    async (status) => {
      const { chain, live } = world();
      const { deposits, store } = live(createMemoryStore());
      chain.mint(TOKEN, SAFE, 7_000_000n);
      chain.mine();
      chain.mine();
      await deposits.scan();
      chain.reorganise(2, status);
      for (let block = 0; block < 4; block += 1) {
        chain.mine();
        await deposits.scan();
      }
      expect(bookedFor(store)).toBe(status === 'kept' ? 7_000_000 : 0);
    },
  );

  it('books a transfer once though a deep reorganisation puts it elsewhere after it was booked', async () => {
    const { chain, live } = world();
    const { deposits, store } = live(createMemoryStore());
    give(chain, 7_000_000n);
    for (let block = 0; block < 4; block += 1) chain.mine();
    await deposits.scan();
    chain.reorganise(4, 'kept');
    for (let block = 0; block < 6; block += 1) chain.mine();
    expect([await deposits.scan(), bookedFor(store)]).toEqual([0, 7_000_000]);
  });

  it('leaves to others what a trade of the Safe and an own redemption bring, and what goes elsewhere', async () => {
    const { chain, live } = world();
    const { deposits, store, remember } = live(createMemoryStore());
    await remember();
    chain.trade(SAFE, { usdc: 4_000_000n, tokenId: asId('1'), shares: 0n });
    chain.send((_state, emit) => {
      emit(transferLog(TOKEN, STRANGER, { to: SAFE, amount: 9n }));
      emit({ address: SAFE, topics: [SUCCEEDED, REDEMPTION], data: '0x' });
    });
    chain.send((_state, emit) => emit(transferLog(STRANGER, STRANGER, { to: SAFE, amount: 9n })));
    chain.mint(TOKEN, STRANGER, 9n);
    chain.send((_state, emit) => emit(transferLog(TOKEN, SAFE, { to: SAFE, amount: 9n })));
    for (let block = 0; block < 4; block += 1) chain.mine();
    expect([await deposits.scan(), bookedFor(store)]).toEqual([0, 0]);
  });

  it.each([
    ['with an own transfer', SUCCEEDED, TRANSFER],
    ['with the call that took the place of a redemption', SUCCEEDED, CANCEL],
    ['with an own redemption that failed, for which nothing else is booked', FAILED, REDEMPTION],
  ] as const)('books what comes %s', async (_what, event, hash) => {
    const { chain, live } = world();
    const { deposits, store, remember } = live(createMemoryStore());
    await remember();
    chain.send((_state, emit) => {
      emit(transferLog(TOKEN, STRANGER, { to: SAFE, amount: 9n }));
      emit({ address: SAFE, topics: [event, hash], data: '0x' });
    });
    for (let block = 0; block < 3; block += 1) chain.mine();
    expect([await deposits.scan(), await deposits.scan(), bookedFor(store)]).toEqual([1, 0, 9]);
  });

  it("books a deposit that comes in the transaction of another user's trade", async () => {
    const { chain, live } = world();
    const { deposits, store } = live(createMemoryStore());
    chain.send((_state, emit) => {
      emit(transferLog(TOKEN, STRANGER, { to: SAFE, amount: 9n }));
      emit({
        address: EXCHANGE,
        topics: [hashOf('OrderFilled'), hashOf('order'), addressTopic(OTHER_SAFE)],
        data: '0x',
      });
    });
    for (let block = 0; block < 3; block += 1) chain.mine();
    await deposits.scan();
    expect(bookedFor(store)).toBe(9);
  });

  it('books a deposit beside the words of another Safe: a stranger cannot hide it', async () => {
    const { chain, live } = world();
    const { deposits, store } = live(createMemoryStore());
    chain.send((_state, emit) => {
      emit(transferLog(TOKEN, STRANGER, { to: SAFE, amount: 9n }));
      emit({ address: STRANGER, topics: [SUCCEEDED, REDEMPTION], data: '0x' });
    });
    for (let block = 0; block < 3; block += 1) chain.mine();
    await deposits.scan();
    expect(bookedFor(store)).toBe(9);
  });

  it.each([
    [[SUCCEEDED, hashOf('foreign')], '0x'],
    [[SUCCEEDED], hashOf('foreign')],
  ] as const)(
    'books what came as its owner acted elsewhere with the Safe: it is no action of this service',
    async (topics, data) => {
      const { chain, live } = world();
      const { deposits, store } = live(createMemoryStore());
      chain.send((_state, emit) => {
        emit(transferLog(TOKEN, STRANGER, { to: SAFE, amount: 9n }));
        emit({ address: SAFE, topics: [...topics], data });
      });
      for (let block = 0; block < 3; block += 1) chain.mine();
      await deposits.scan();
      expect(bookedFor(store)).toBe(9);
    },
  );

  it('goes on where it was after a stop, and finds what came meanwhile', async () => {
    const { chain, live } = world();
    const store = createMemoryStore();
    await live(store).deposits.scan();
    give(chain, 3n);
    for (let block = 0; block < 3_000; block += 1) chain.mine();
    const again = live(store);
    expect([
      await again.deposits.scan(),
      bookedFor(store),
      store.get(CHAIN_CURSORS, ['deposits'])?.value.block,
    ]).toEqual([1, 3, chain.blockNumber - 2]);
  });

  it('hears of a user who is made while it runs', async () => {
    const { chain, live, safes } = world();
    const { deposits, bus, store } = live(createMemoryStore());
    await deposits.scan();
    const bob = asId<UserId>('usr_bob');
    safes.set(bob, OTHER_SAFE);
    bus.publish([
      { seq: 1, event: { type: 'user.created', userId: bob, atMs: T0, address: OTHER_SAFE } },
    ]);
    chain.mint(TOKEN, OTHER_SAFE, 11n);
    for (let block = 0; block < 3; block += 1) chain.mine();
    await deposits.scan();
    expect(bookedFor(store, bob)).toBe(11);
  });

  it('asks again when the chain does not answer, by itself', async () => {
    const { chain, live, clock } = world();
    const { deposits, store, log } = live(createMemoryStore());
    chain.isDown = true;
    deposits.start();
    await clock.advance(10_000);
    expect(log.lines.map(({ event }) => event)).toContain('funding.scan_failed');
    chain.isDown = false;
    chain.mint(TOKEN, SAFE, 5n);
    await clock.advance(60_000);
    expect(bookedFor(store)).toBe(5);
    await deposits.stop();
  });
});

describe('a power failure', () => {
  async function run(cut: Parameters<typeof runThrough>[1]) {
    const { chain, live, clock } = world();
    const happened = new Set<string>();
    const pay =
      (name: string, ...amounts: readonly bigint[]) =>
      async () => {
        if (!happened.has(name)) give(chain, ...amounts);
        happened.add(name);
        await new Promise<void>((resolve) => void clock.after(30_000, resolve));
      };
    const { store, moments } = await runThrough(
      {
        clock,
        begin: (memory) => {
          const life = live(memory);
          life.deposits.start();
          return { life, starting: Promise.resolve() };
        },
        die: (life) => void life.deposits.stop(),
        bury: async (life) => life.deposits.stop(),
        steps: [pay('first', 5n, 6n), pay('second', 7n), pay('nothing')],
      },
      cut,
    );
    return { booked: bookedFor(store), moments };
  }

  it('L9: at any durable step leaves every deposit booked once', async () => {
    const { booked, moments } = await run(null);
    expect(booked).toBe(18);
    const points = cutPoints(moments);
    expect(points.length).toBeGreaterThan(5);
    for (const point of points) expect([point, (await run(point)).booked]).toEqual([point, 18]);
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMemoryStore, type MemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { asId, type Address } from '../../../src/domain/ids.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
import { createChainExplanations } from '../../../src/services/funding/chain-explanations.ts';
import {
  createChainDeposits,
  type ChainDeposits,
} from '../../../src/services/funding/chain-deposits.ts';
import { pageOfDeposits } from '../../../src/services/funding/deposit-list.ts';
import { createAddressIndex } from '../../../src/services/funding/address-index.ts';
import { NOTIFICATIONS } from '../../../src/services/notifications/tables.ts';
import { balanceOf } from '../../../src/services/books/record-changes.ts';
import { USERS } from '../../../src/services/sign-in/tables.ts';
import { BALANCES, LEDGER_ENTRIES, RESTORES } from '../../../src/services/books/tables.ts';
import { transferCall } from '../../../src/services/wallets/contract-calls.ts';
import { TRANSACTIONS } from '../../../src/services/transactions/tables.ts';
import { T0 } from '../../support/builders.ts';
import { hashOf } from '../../support/fakes/fake-chain-logs.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../../support/quiet.ts';
import {
  aMoneyWorld,
  buy,
  CONTRACTS,
  MARKET,
  reconcilerOf,
  type MoneyLife,
  type MoneyWorld,
} from '../../support/worlds/money-world.ts';
import { during } from '../../support/worlds/trading-world.ts';

const STRANGER = asId<Address>(`0x${'57'.repeat(20)}`);
const SUCCEEDED = '0x442e715f626346e8c54381002da614f62bee8d27386535b2521ec8540898556e';
const PLAIN = CONTRACTS.withdrawalToken.address;
const { collateral } = CONTRACTS;

let world: MoneyWorld;
let store: MemoryStore;
let life: MoneyLife;
let arrivals: ChainDeposits;

/**
 * A hundred dollars came to a Safe that is ready, over the chain alone: nothing here posts an
 * entry.
 */
beforeEach(async () => {
  world = aMoneyWorld();
  store = createMemoryStore();
  begin('first');
  await life.commit((tx) => tx.put({ name: USERS.name }, [world.user], { userId: world.user }));
  world.chain.mint(collateral, world.safe, 100_000_000n);
  await world.clock.advance(60_000);
});
afterEach(() => end());

function begin(seed: string): void {
  life = world.live(store, seed);
  arrivals = createChainDeposits({
    store,
    commit: life.commit,
    chain: world.chain,
    contracts: CONTRACTS,
    clock: world.clock,
    marketClock: world.clock,
    log: createKeptLog(),
    safes: createAddressIndex({
      bus: createKeptBus(),
      clock: world.clock,
      addressOf: () => world.safe,
      users: () => [{ userId: world.user, address: world.safe }],
    }),
  });
  life.recover([world.user]);
  arrivals.start();
}

async function end(): Promise<void> {
  life.stop();
  await arrivals.stop();
}

/** A process that begins anew over what the last one left. */
async function restart(): Promise<void> {
  await end();
  begin('again');
  await world.clock.advance(30_000);
}

const onChain = (token: Address, owner: Address) => Number(world.chain.state.tokenOf(token, owner));
const settled = () => balanceOf(store, world.user, 'usdc:safe').settled;
const kinds = () =>
  store
    .range(LEDGER_ENTRIES)
    .map(({ value }) => value.kind)
    .sort();
const notifications = () =>
  store.range(NOTIFICATIONS, { prefix: [world.user] }).map(({ value }) => value.facts.kind);
const transfer = (token: string, micros: number) =>
  during(world, life.safeTransfers.transfer(world.user, { token, amount: usdcMicros(micros) }));
const withdraw = (micros: number) =>
  during(world, life.withdrawals.withdraw(world.user, { usdc: usdcMicros(micros) }));
/** Deposits as the user's list has them, newest first. */
const listed = () =>
  pageOfDeposits(store, world.user, { limit: 50, cursor: null }).data.map((line) =>
    line.kind === 'arrival' ? [line.arrival.via, line.arrival.usdc] : ['bridge', null],
  );

async function compare() {
  const [log, metrics] = [createKeptLog(), createKeptMetrics()];
  const report = await during(world, reconcilerOf(world, life, { log, metrics }).round());
  return { mismatched: report.mismatched, events: log.lines.map(({ event }) => event) };
}

/** The owner acts with an exported key, past us. */
function moveManually(to: Address, micros: bigint): void {
  world.chain.send((state, emit) => {
    const nonce = state.nonces.get(world.safe.toLowerCase()) ?? 0;
    state.nonces.set(world.safe.toLowerCase(), nonce + 1);
    state.run(world.safe, transferCall(collateral, to, micros), emit);
    emit({ address: world.safe, topics: [SUCCEEDED, hashOf(`manually ${nonce}`)], data: '0x' });
  });
}

async function expectSound(micros: number): Promise<void> {
  expect([
    settled(),
    onChain(collateral, world.safe),
    balanceOf(store, world.user, 'usdc:safe').provisional,
  ]).toEqual([micros, micros, 0]);
  expect(
    store.range(BALANCES).reduce((sum, { value }) => sum + value.settled + value.provisional, 0),
  ).toBe(0);
  expect((await compare()).mismatched).toEqual([]);
}

describe('every movement of money in and out of a Safe', () => {
  it('L4: a direct arrival is a deposit, once, also over a restart', async () => {
    await expectSound(100_000_000);
    await restart();
    expect([kinds(), listed()]).toEqual([['deposit'], [['direct', 100_000_000]]]);
    await expectSound(100_000_000);
  });

  it('L4: a withdrawal is held and then final, and arrives as USDC; the same USDC comes back by a transfer as collateral and is a deposit, once', async () => {
    expect(await withdraw(30_000_000)).toMatchObject({
      state: 'settled',
      token: 'USDC',
      reason: null,
    });
    expect([onChain(PLAIN, world.owner), onChain(collateral, world.owner)]).toEqual([
      30_000_000, 0,
    ]);
    await expectSound(70_000_000);
    expect(await transfer('USDC', 30_000_000)).toMatchObject({
      state: 'settled',
      token: 'USDC',
      reason: null,
    });
    // In the books with its end: no caller has to wait for a read of the chain, which finds it
    // booked.
    expect(settled()).toBe(100_000_000);
    await restart();
    await expectSound(100_000_000);
    expect([kinds(), listed(), onChain(PLAIN, world.safe)]).toEqual([
      ['deposit', 'deposit', 'hold', 'hold_booked'],
      [
        ['safe_transfer', 30_000_000],
        ['direct', 100_000_000],
      ],
      0,
    ]);
  });

  it('L4, L9: a transfer whose process ends at the worst moment is booked by the next one, once', async () => {
    await withdraw(30_000_000);
    world.safes.usual = 'lost';
    const asked = life.safeTransfers.transfer(world.user, {
      token: 'USDC',
      amount: usdcMicros(30_000_000),
      key: 'once',
    });
    await world.clock.advance(100);
    await end();
    await during(world, asked);
    begin('again');
    await world.clock.advance(60_000);
    expect(life.safeTransfers.list(world.user, { limit: 5, cursor: null }).data).toMatchObject([
      { state: 'settled', amount: 30_000_000 },
    ]);
    await expectSound(100_000_000);
  });

  it('a withdrawal the chain never carries out is given back', async () => {
    world.safes.usual = 'refused';
    await withdraw(30_000_000);
    world.safes.usual = 'ok';
    await world.clock.advance(1_800_000);
    expect(life.withdrawals.list(world.user, { limit: 5, cursor: null }).data).toMatchObject([
      { state: 'returned', usdc: 30_000_000 },
    ]);
    expect(kinds()).toEqual(['deposit', 'hold', 'hold_released']);
    await expectSound(100_000_000);
  });

  it('plain dollars that come to a Safe are wrapped, and are a deposit then, once', async () => {
    world.chain.mint(PLAIN, world.safe, 12_000_000n);
    await world.clock.advance(10_000);
    expect([settled(), (await compare()).mismatched]).toEqual([100_000_000, []]);
    await world.clock.advance(30_000);
    await compare();
    expect([onChain(PLAIN, world.safe), listed()]).toEqual([
      0,
      [
        ['direct', 12_000_000],
        ['direct', 100_000_000],
      ],
    ]);
    await restart();
    await expectSound(112_000_000);
    expect(
      store
        .range(TRANSACTIONS)
        .filter(({ value }) => value.purpose.kind === 'wrap')
        .map(({ value }) => value.state),
    ).toEqual(['done']);
  });

  it('dust of plain dollars stays where it is, and a wrapping that failed is not tried again at once', async () => {
    world.chain.mint(PLAIN, world.safe, 9_999n);
    await world.clock.advance(10_000);
    await compare();
    const wraps = () =>
      store.range(TRANSACTIONS).filter(({ value }) => value.purpose.kind === 'wrap').length;
    expect(wraps()).toBe(0);
    world.chain.mint(PLAIN, world.safe, 5_000_000n);
    await world.clock.advance(10_000);
    world.safes.usual = 'refused';
    await compare();
    await world.clock.advance(900_000);
    world.safes.usual = 'ok';
    await world.clock.advance(60_000);
    await compare();
    expect(wraps()).toBeGreaterThan(0);
    await world.clock.advance(700_000);
    await compare();
    await world.clock.advance(60_000);
    expect(onChain(PLAIN, world.safe)).toBe(0);
    await expectSound(105_009_999);
  });

  it('money the owner moves out with an exported key is a departure, by the proof that the Safe acted without us, once', async () => {
    moveManually(STRANGER, 40_000_000n);
    await world.clock.advance(20_000);
    // Once it is an alarm, for a key may be stolen; from then on ledger and chain agree.
    expect(await compare()).toEqual({
      mismatched: [world.user],
      events: ['money.explained', 'money.mismatched'],
    });
    await restart();
    await expectSound(60_000_000);
    expect(kinds()).toEqual(['departure', 'deposit']);
  });

  it('after a restore is left alone by the comparison until it is adopted, then booked once, and alarms no user', async () => {
    await life.commit((tx) =>
      tx.put(RESTORES, ['newest'], { upToMs: T0, madeAtMs: T0, adoptedAtMs: null }),
    );
    moveManually(STRANGER, 40_000_000n);
    await world.clock.advance(20_000);
    expect(await compare()).toEqual({ mismatched: [world.user], events: ['money.mismatched'] });
    expect(settled()).toBe(100_000_000);
    const { chain, clock, safe, user } = world;
    const explanations = createChainExplanations({
      store,
      commit: life.commit,
      chain,
      contracts: chain.contracts,
      safeOf: () => safe,
      clock,
      marketClock: clock,
      log: createKeptLog(),
    });
    expect(await during(world, explanations.explain(user, T0))).toEqual({
      arrived: 0,
      departed: 1,
    });
    expect(await during(world, explanations.explain(user, T0))).toEqual({
      arrived: 0,
      departed: 0,
    });
    expect([kinds(), notifications()]).toEqual([['departure', 'deposit'], ['deposit_booked']]);
    await expectSound(60_000_000);
  });

  it('money that leaves without the Safe having acted stays an alarm: nothing says whose doing it was', async () => {
    world.chain.send((state, emit) =>
      state.run(world.safe, transferCall(collateral, STRANGER, 40_000_000n), emit),
    );
    await world.clock.advance(20_000);
    expect(await compare()).toEqual({ mismatched: [world.user], events: ['money.mismatched'] });
    expect([settled(), kinds()]).toEqual([100_000_000, ['deposit']]);
  });

  it('an arrival that the watch of deposits has missed is found by the comparison, and is a deposit once', async () => {
    await arrivals.stop();
    world.chain.mint(collateral, world.safe, 7_000_000n);
    await world.clock.advance(20_000);
    expect(await compare()).toEqual({ mismatched: [], events: ['money.explained'] });
    await restart();
    await expectSound(107_000_000);
    expect(kinds()).toEqual(['deposit', 'deposit']);
  });

  it('a redemption is a payout, and no deposit', async () => {
    const [up, down] = MARKET.outcomes;
    await buy(world, life);
    await world.clock.advance(20_000);
    world.chain.report(MARKET.marketId, [1n, 0n], [up.tokenId, down.tokenId]);
    await world.clock.advance(4_000);
    await life.portfolio.recordResolution({
      marketId: MARKET.marketId,
      payoutTicks: [10_000, 0],
      resolvedAtMs: 0,
    });
    await during(world, life.portfolio.payOut(MARKET.marketId));
    await world.clock.advance(60_000);
    expect(kinds()).toEqual(['deposit', 'fill', 'payout', 'settle']);
    await expectSound(110_000_000);
  });

  it('is reported once where a transfer brought it, also where the watch of the chain books it before the transfer ends', async () => {
    await withdraw(30_000_000);
    world.safes.usual = 'lost';
    const asked = life.safeTransfers.transfer(world.user, {
      token: 'USDC',
      amount: usdcMicros(30_000_000),
    });
    await world.clock.advance(100);
    life.stop();
    await during(world, asked);
    await world.clock.advance(60_000);
    expect([settled(), notifications()]).toEqual([
      100_000_000,
      ['deposit_booked', 'withdrawal_settled'],
    ]);
    await restart();
    await world.clock.advance(60_000);
    await expectSound(100_000_000);
    expect(notifications()).toEqual(['deposit_booked', 'withdrawal_settled', 'transfer_settled']);
  });

  it('is reported to its user: what came, what went, what failed', async () => {
    await withdraw(30_000_000);
    await transfer('USDC', 30_000_000);
    world.safes.usual = 'refused';
    await withdraw(20_000_000);
    world.safes.usual = 'ok';
    await world.clock.advance(1_800_000);
    moveManually(STRANGER, 1_000_000n);
    await world.clock.advance(20_000);
    await compare();
    expect(notifications()).toEqual([
      'deposit_booked',
      'withdrawal_settled',
      'transfer_settled',
      'withdrawal_returned',
      'money_departed',
    ]);
  });

  it('is listed newest first, page by page, each kind in its own list', async () => {
    await withdraw(10_000_000);
    await world.clock.advance(1_000);
    await withdraw(20_000_000);
    await transfer('USDC', 5_000_000);
    const first = life.withdrawals.list(world.user, { limit: 1, cursor: null });
    const second = life.withdrawals.list(world.user, { limit: 1, cursor: first.nextCursor });
    expect([
      first.data.map(({ usdc }) => usdc),
      second.data.map(({ usdc }) => usdc),
      second.nextCursor,
    ]).toEqual([[20_000_000], [10_000_000], null]);
    const [moved] = life.safeTransfers.list(world.user, { limit: 5, cursor: null }).data;
    expect(() =>
      life.withdrawals.list(world.user, { limit: 1, cursor: moved?.transferId ?? '' }),
    ).toThrow(/not a cursor of this list/);
    const deposits = pageOfDeposits(store, world.user, { limit: 1, cursor: null });
    const older = pageOfDeposits(store, world.user, { limit: 1, cursor: deposits.nextCursor });
    expect([deposits.data, older.data, older.nextCursor]).toMatchObject([
      [{ arrival: { usdc: 5_000_000 } }],
      [{ arrival: { usdc: 100_000_000 } }],
      null,
    ]);
    expect(() => pageOfDeposits(store, world.user, { limit: 1, cursor: first.nextCursor })).toThrow(
      /not a cursor of this list/,
    );
  });
});

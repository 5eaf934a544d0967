import { afterEach, describe, expect, it } from 'vitest';
import { BRIDGE, DEPOSIT_WATCH } from '../../../config/limits/bridge.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore, type MemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { asId, type Address, type UserId } from '../../../src/domain/ids.ts';
import { createCommit } from '../../../src/services/commit.ts';
import { createChainDeposits } from '../../../src/services/funding/chain-deposits.ts';
import { createDeposits } from '../../../src/services/funding/deposit-addresses.ts';
import { createAddressIndex } from '../../../src/services/funding/address-index.ts';
import {
  DEPOSIT_RECORDS,
  DEPOSIT_WATCHES,
  OPEN_DEPOSITS,
} from '../../../src/services/funding/tables.ts';
import { balanceOf } from '../../../src/services/books/record-changes.ts';
import { T0 } from '../../support/builders.ts';
import { FakeBridge } from '../../support/fakes/fake-bridge.ts';
import { FakeChain } from '../../support/fakes/fake-chain.ts';
import { transferLog } from '../../support/fakes/fake-chain-logs.ts';
import { CONTRACTS } from '../../support/worlds/money-world.ts';
import { cutPoints, runThrough } from '../../support/loads/crash-points.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../../support/quiet.ts';
import { sampled } from '../../support/sampled.ts';

const ADA = asId<UserId>('usr_ada');
const STRANGER = asId<Address>(`0x${'57'.repeat(20)}`);
const SAFE = asId<Address>(`0x${'a1'.repeat(20)}`);
const ENDINGS = [() => undefined];
afterEach(async () => {
  for (const end of ENDINGS.splice(0)) await end();
});

/** A chain, a bridge that works every four seconds, and the daemon's deposits over a store. */
function world({ isScanned = true, isBusy = true } = {}) {
  const clock = createVirtualClock(T0);
  const chain = new FakeChain(clock, CONTRACTS);
  const bridge = new FakeBridge(clock, chain);
  if (isBusy) {
    chain.start();
    bridge.start();
  }
  const live = (store: MemoryStore, seed = 'one') => {
    const [bus, log, metrics] = [createKeptBus(), createKeptLog(), createKeptMetrics()];
    const commit = createCommit({ store, bus, metrics });
    const safeOf = (userId: UserId) =>
      userId === ADA ? SAFE : asId<Address>(`0x${userId.slice(4).padStart(40, '0')}`);
    const deposits = createDeposits({
      store,
      commit,
      bus,
      bridge,
      safeOf,
      clock,
      random: createSeededRandom(seed),
      log,
      metrics,
    });
    const arrivals = createChainDeposits({
      store,
      commit,
      chain,
      clock,
      marketClock: clock,
      log,
      contracts: CONTRACTS,
      safes: createAddressIndex({
        bus,
        clock,
        addressOf: safeOf,
        users: () => [{ userId: ADA, address: SAFE }],
      }),
    });
    deposits.recover();
    if (isScanned) arrivals.start();
    const stop = async () => {
      deposits.stop();
      await arrivals.stop();
    };
    ENDINGS.push(() => void stop());
    return { store, deposits, arrivals, bus, log, metrics, stop };
  };
  return { clock, chain, bridge, live };
}

const records = (store: MemoryStore) => store.range(DEPOSIT_RECORDS).map(({ value }) => value);
const states = (store: MemoryStore) => records(store).map(({ state }) => state);
const credited = (store: MemoryStore) => balanceOf(store, ADA, 'usdc:safe').settled;

describe('a deposit address', () => {
  it('is followed from the payment to the chain’s proof without anybody asking: every state is stored and reported', async () => {
    const { clock, bridge, live } = world();
    const { deposits, store, bus, metrics, log } = live(createMemoryStore());
    const { addresses } = await deposits.addresses(ADA);
    bridge.pay(addresses.evm, '25000000');
    await clock.advance(60_000);
    const [deposit] = records(store);
    expect(deposit).toMatchObject({
      state: 'completed',
      transfer: { amount: '25000000', status: 'completed' },
      credit: { usdc: 25_000_000, transferId: deposit?.transfer.transactionHash },
    });
    expect(deposit?.history.map(({ state }) => state)).toEqual([
      'detected',
      'processing',
      'origin_confirmed',
      'submitted',
      'arriving',
      'completed',
    ]);
    const reported = bus.entries.flatMap(({ event }) =>
      event.type === 'deposit.changed' ? [[event.from, event.deposit.state]] : [],
    );
    expect(reported).toEqual([
      [null, 'detected'],
      ['detected', 'processing'],
      ['processing', 'origin_confirmed'],
      ['origin_confirmed', 'submitted'],
      ['submitted', 'completed'],
    ]);
    expect(
      bus.entries.flatMap(({ event }) => (event.type === 'audit.recorded' ? [event.action] : [])),
    ).toEqual(['deposit_ended']);
    expect([
      credited(store),
      store.range(OPEN_DEPOSITS),
      metrics.counts.get('deposits_total completed'),
      metrics.counts.get('deposits_open'),
    ]).toEqual([25_000_000, [], 1, 0]);
    expect(log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('books nothing by the bridge’s word: what it says it paid and the chain does not show is unproven, counted, and reported', async () => {
    const { clock, bridge, live } = world();
    const { deposits, store, metrics, log, bus } = live(createMemoryStore());
    const { addresses } = await deposits.addresses(ADA);
    bridge.pay(addresses.evm, '25000000', { script: 'lies' });
    await clock.advance(60_000);
    expect([states(store), credited(store)]).toEqual([['arriving'], 0]);
    await clock.advance(DEPOSIT_WATCH.unprovenAfterMs + 30_000);
    expect([
      states(store),
      credited(store),
      metrics.counts.get('deposits_unproven'),
      metrics.counts.get('deposits_open'),
    ]).toEqual([['unproven'], 0, 1, 1]);
    expect(log.lines.filter(({ level }) => level === 'error').map(({ event }) => event)).toEqual([
      'deposit.changed',
    ]);
    expect(
      bus.entries.flatMap(({ event }) => (event.type === 'audit.recorded' ? [event.action] : [])),
    ).toEqual(['deposit_unproven']);
    expect(await deposits.status(ADA, addresses.evm)).toMatchObject({
      deposits: [{ deposit: { state: 'unproven' } }],
    });
  });

  it('completes an unproven deposit when the chain shows it after all', async () => {
    const { clock, bridge, live } = world({ isScanned: false });
    const { deposits, arrivals, store, metrics } = live(createMemoryStore());
    const { addresses } = await deposits.addresses(ADA);
    bridge.pay(addresses.evm, '25000000');
    await clock.advance(90_000 + DEPOSIT_WATCH.unprovenAfterMs);
    expect([states(store), metrics.counts.get('deposits_unproven')]).toEqual([['unproven'], 1]);
    await arrivals.scan();
    await clock.advance(DEPOSIT_WATCH.turnMs * 4);
    expect([states(store), credited(store), metrics.counts.get('deposits_unproven')]).toEqual([
      ['completed'],
      25_000_000,
      0,
    ]);
  });

  it('shows a payment in a token the bridge does not take, and one that is too small, as such; both fail and cost nothing', async () => {
    const { clock, bridge, live } = world();
    const { deposits, store } = live(createMemoryStore());
    const { addresses } = await deposits.addresses(ADA);
    bridge.pay(addresses.evm, '1999999', { script: 'refused' });
    bridge.pay(addresses.evm, '9000000', { script: 'refused', token: `0x${'99'.repeat(20)}` });
    bridge.pay(addresses.evm, '2000000');
    await clock.advance(7_500);
    const problems = () =>
      records(store)
        .map(({ transfer, problem, state }) => [transfer.amount, problem, state])
        .sort();
    expect(problems()).toEqual([
      ['1999999', 'below_minimum', 'processing'],
      ['2000000', null, 'processing'],
      ['9000000', 'token_not_taken', 'processing'],
    ]);
    await clock.advance(60_000);
    expect(problems()).toEqual([
      ['1999999', 'below_minimum', 'failed'],
      ['2000000', null, 'completed'],
      ['9000000', 'token_not_taken', 'failed'],
    ]);
    expect(credited(store)).toBe(2_000_000);
  });

  it('keeps payments of the same amount apart, and gives each the booking of its own credit', async () => {
    const { clock, bridge, live } = world();
    const { deposits, store } = live(createMemoryStore());
    const { addresses } = await deposits.addresses(ADA);
    for (let payment = 0; payment < 3; payment += 1) {
      bridge.pay(addresses.evm, '5000000');
      await clock.advance(3_000);
    }
    await clock.advance(60_000);
    expect([states(store), credited(store)]).toEqual([
      ['completed', 'completed', 'completed'],
      15_000_000,
    ]);
    expect(new Set(records(store).map(({ credit }) => credit?.transferId)).size).toBe(3);
  });

  it('gives payments that one transaction credits a booking each, however often it looks', async () => {
    const { clock, chain, bridge, live } = world();
    const { deposits, store } = live(createMemoryStore());
    const { addresses } = await deposits.addresses(ADA);
    const hash = chain.send((_state, emit) => {
      for (const amount of [5_000_000n, 7_000_000n])
        emit(transferLog(CONTRACTS.collateral, STRANGER, { to: SAFE, amount }));
    });
    for (const amount of ['5000000', '7000000']) bridge.pay(addresses.evm, amount, { hash });
    await clock.advance(60_000);
    expect([states(store), credited(store)]).toEqual([['completed', 'completed'], 12_000_000]);
    expect(
      records(store)
        .map(({ credit }) => credit?.transferId)
        .sort(),
    ).toEqual([hash, `${hash}#2`]);
    bridge.pay(addresses.evm, '9000000', { hash });
    await clock.advance(60_000);
    // A third that names the same transaction finds nothing of its own there.
    expect([...states(store)].sort()).toEqual(['arriving', 'completed', 'completed']);
  });

  it('lets go of a payment that its chain took back', async () => {
    const { clock, bridge, live } = world();
    const { deposits, store } = live(createMemoryStore());
    const { addresses } = await deposits.addresses(ADA);
    bridge.pay(addresses.evm, '5000000', { script: 'stuck' });
    await clock.advance(10_000);
    bridge.takeBack(addresses.evm);
    await clock.advance(DEPOSIT_WATCH.vanishedAfterMs);
    expect(states(store)).toEqual(['processing']);
    await clock.advance(2 * DEPOSIT_WATCH.slowMs);
    expect([states(store), store.range(OPEN_DEPOSITS)]).toEqual([['vanished'], []]);
  });

  it('is polled ever more rarely, sleeps an hour after the last request for it, and wakes with the next', async () => {
    const { clock, bridge, live } = world();
    const { deposits, store, metrics } = live(createMemoryStore());
    const { addresses } = await deposits.addresses(ADA);
    await clock.advance(DEPOSIT_WATCH.awakeMs + 2 * DEPOSIT_WATCH.slowMs);
    expect([store.range(DEPOSIT_WATCHES), metrics.counts.get('deposit_addresses_watched')]).toEqual(
      [[], 0],
    );
    const before = bridge.questions.length;
    expect(before).toBeLessThan(4 * 60);
    await clock.advance(86_400_000);
    expect(bridge.questions.length).toBe(before);
    bridge.pay(addresses.evm, '5000000');
    expect(await deposits.status(ADA, addresses.evm)).toMatchObject({
      isFresh: true,
      deposits: [{ deposit: { state: 'detected' } }],
    });
    await clock.advance(60_000);
    expect(states(store)).toEqual(['completed']);
  });

  it('sleeps over a payment and learns of it when the chain books its credit', async () => {
    const { clock, bridge, live } = world();
    const { deposits, store } = live(createMemoryStore());
    const { addresses } = await deposits.addresses(ADA);
    await clock.advance(DEPOSIT_WATCH.awakeMs + 2 * DEPOSIT_WATCH.slowMs);
    bridge.pay(addresses.evm, '5000000');
    await clock.advance(60_000);
    expect([states(store), credited(store)]).toEqual([['completed'], 5_000_000]);
  });

  it('is given up after days without news of a payment, which stays on record', async () => {
    const { clock, bridge, live } = world({ isScanned: false, isBusy: false });
    const { deposits, store } = live(createMemoryStore());
    const { addresses } = await deposits.addresses(ADA);
    bridge.pay(addresses.evm, '5000000', { script: 'stuck' });
    bridge.work();
    await clock.advance(DEPOSIT_WATCH.patienceMs + DEPOSIT_WATCH.awakeMs);
    const before = bridge.questions.length;
    expect([store.range(DEPOSIT_WATCHES), states(store)]).toEqual([[], ['processing']]);
    await clock.advance(86_400_000);
    expect(bridge.questions.length).toBe(before);
  });

  it('goes on when the bridge has been silent', async () => {
    const { clock, bridge, live } = world();
    const { deposits, store } = live(createMemoryStore());
    const { addresses } = await deposits.addresses(ADA);
    bridge.pay(addresses.evm, '5000000');
    await clock.advance(7_500);
    bridge.isDown = true;
    await clock.advance(40_000);
    // The chain's proof needs no bridge; which payment it proves, the bridge has not said.
    expect([states(store), credited(store)]).toEqual([['processing'], 5_000_000]);
    bridge.isDown = false;
    await clock.advance(DEPOSIT_WATCH.slowMs);
    expect(states(store)).toEqual(['completed']);
  });

  it('keeps a bounded number of payments: the oldest that are over make room', async () => {
    const { clock, bridge, live } = world();
    const { deposits, store } = live(createMemoryStore());
    const { addresses } = await deposits.addresses(ADA);
    for (let round = 0; round < 7; round += 1) {
      for (let payment = 0; payment < BRIDGE.transfersMaximum - 20; payment += 1)
        bridge.pay(addresses.evm, `${1_000 + round * 1_000 + payment}`, { script: 'refused' });
      for (let step = 0; step < 3; step += 1) {
        await deposits.status(ADA, addresses.evm);
        bridge.work();
      }
      bridge.takeBack(addresses.evm);
      await clock.advance(1);
    }
    const kept = records(store);
    expect(kept.length).toBe(DEPOSIT_WATCH.recordsMaximum);
    expect(kept.some(({ transfer }) => transfer.amount === '1000')).toBe(false);
    expect(kept.filter(({ transfer }) => Number(transfer.amount) >= 7_000)).toHaveLength(
      BRIDGE.transfersMaximum - 20,
    );
    await clock.settle();
  });
});

describe('many addresses', () => {
  it('are served in turn, at most so many actors at a time; the others get the places of those that fall asleep', async () => {
    const { clock, bridge, live } = world({ isScanned: false, isBusy: false });
    const store = createMemoryStore();
    const count = DEPOSIT_WATCH.actorsMaximum + 12;
    // Followed when the last process ended, and long enough ago to sleep after one poll.
    await store.write((tx) => {
      for (let number = 0; number < count; number += 1)
        tx.put(DEPOSIT_WATCHES, [`usr_${number}`, `0x${number}`], {
          askedAtMs: T0 - DEPOSIT_WATCH.awakeMs,
        });
    });
    const { metrics } = live(store);
    expect(metrics.counts.get('deposit_addresses_watched')).toBe(DEPOSIT_WATCH.actorsMaximum);
    const asked = () => bridge.questions.filter((question) => question !== 'assets');
    await clock.advance(60_000);
    const inAMinute = 60_000 / DEPOSIT_WATCH.turnMs + 1;
    expect([asked().length, new Set(asked()).size]).toEqual([inAMinute, inAMinute]);
    await clock.advance(count * DEPOSIT_WATCH.turnMs);
    // Each exactly once.
    expect([
      asked().length,
      new Set(asked()).size,
      store.range(DEPOSIT_WATCHES),
      metrics.counts.get('deposit_addresses_watched'),
    ]).toEqual([count, count, [], 0]);
  });
});

describe('a restart', () => {
  async function run(cut: Parameters<typeof runThrough>[1]) {
    const { clock, bridge, live } = world();
    const happened = new Set<string>();
    const pause = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve));
    const outcome = await runThrough(
      {
        clock,
        begin: (store, number) => ({
          life: live(store, `life-${number}`),
          starting: Promise.resolve(),
        }),
        die: (life) => void life.stop(),
        bury: async (life) => life.stop(),
        steps: [
          async (life) => {
            const { addresses } = await life.deposits.addresses(ADA);
            if (!happened.has('paid')) {
              bridge.pay(addresses.evm, '5000000');
              bridge.pay(addresses.evm, '5000000');
              bridge.pay(addresses.evm, '1', { script: 'refused' });
            }
            happened.add('paid');
          },
          () => pause(60_000),
        ],
      },
      cut,
    );
    await outcome.life.stop();
    const { store } = outcome;
    return {
      ...outcome,
      end: {
        credited: credited(store),
        states: [...states(store)].sort(),
        credits: new Set(records(store).map(({ credit }) => credit?.transferId)).size,
        open: store.range(OPEN_DEPOSITS).length,
      },
    };
  }

  it('L9: at any durable step leaves every payment on record once and every credit booked once', async () => {
    const whole = await run(null);
    expect(whole.end).toEqual({
      credited: 10_000_000,
      states: ['completed', 'completed', 'failed'],
      credits: 3,
      open: 0,
    });
    const points = cutPoints(whole.moments);
    expect(points.length).toBeGreaterThan(20);
    for (const point of sampled('three deposits', points, 20)) {
      const cut = await run(point);
      expect([point, cut.lives, cut.end]).toEqual([point, 2, whole.end]);
    }
  });

  it('L9: follows again what was followed, and counts what is open', async () => {
    const { clock, bridge, live } = world();
    const first = live(createMemoryStore());
    const { addresses } = await first.deposits.addresses(ADA);
    bridge.pay(addresses.evm, '25000000', { script: 'lies' });
    await clock.advance(90_000 + DEPOSIT_WATCH.unprovenAfterMs);
    await first.stop();
    await clock.advance(86_400_000);
    const second = live(first.store, 'two');
    expect([
      second.metrics.counts.get('deposits_open'),
      second.metrics.counts.get('deposits_unproven'),
      second.metrics.counts.get('deposit_addresses_watched'),
    ]).toEqual([1, 1, 4]);
    bridge.pay(addresses.solana, '7000000');
    await clock.advance(60_000);
    expect([...states(second.store)].sort()).toEqual(['completed', 'unproven']);
  });

  it('throws nothing but the bridge’s own error', async () => {
    const { bridge, live } = world();
    const { deposits } = live(createMemoryStore());
    bridge.isDown = true;
    await expect(deposits.addresses(ADA)).rejects.toBeInstanceOf(AppError);
  });
});

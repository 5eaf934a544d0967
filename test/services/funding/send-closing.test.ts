import { expect, it } from 'vitest';
import { NOTIFICATION } from '../../../config/limits/notification.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { depositEntry } from '../../../src/domain/ledger-entries.ts';
import { notificationText } from '../../../src/domain/notification-table.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
import { openHold } from '../../../src/services/books/holds.ts';
import { balanceOf, postToLedger } from '../../../src/services/books/record-changes.ts';
import { createCommit } from '../../../src/services/commit.ts';
import { createSendClosings } from '../../../src/services/funding/send-closing.ts';
import { createTransactionBooking } from '../../../src/services/funding/transaction-closing.ts';
import { notificationOf } from '../../../src/services/notifications/notification-facts.ts';
import { outSince, reserveOut } from '../../../src/services/transactions/daily-out.ts';
import { createTransactions } from '../../../src/services/transactions/transactions.ts';
import { aUserId, T0 } from '../../support/builders.ts';
import { FakeEvmRail } from '../../support/fakes/fake-rails.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../../support/quiet.ts';

const USER = aUserId(1);
const ACCOUNT = { chain: 'BASE', rail: 'evm', address: '0xaccount' } as const;
const TO = '0x00000000000000000000000000000000000000aa';

/** A user with 20 USDC on Base who has sent 5 of them. */
async function aSentTransfer({ usdc = true, fails = false } = {}) {
  const clock = createVirtualClock(T0);
  const store = createMemoryStore();
  const rail = new FakeEvmRail(clock);
  if (fails) rail.reverting.add(ACCOUNT.address);
  const commit = createCommit({ store, bus: createKeptBus(), metrics: createKeptMetrics() });
  let lives = 0;
  const live = () => {
    lives += 1;
    return createTransactions({
      store,
      commit,
      rails: [rail],
      books: createTransactionBooking({ send: createSendClosings(clock) }),
      clock,
      random: createSeededRandom(`sends ${lives}`),
      log: createKeptLog(),
      metrics: createKeptMetrics(),
    });
  };
  const transactions = live();
  const cash = { userId: USER, cashAccount: 'usdc:base' } as const;
  const { transactionId } = await commit((tx) => {
    const before = { ...cash, transferId: 'd1', usdc: usdcMicros(20_000_000), atMs: T0 };
    postToLedger(tx, USER, depositEntry(before));
    const units = '5000000';
    const token = { token: null, symbol: 'USDC', decimals: 6, units, to: TO };
    const held = usdc ? usdcMicros(5_000_000) : null;
    const purpose = { owner: 'send', kind: 'send', data: { ...token, usdc: held } } as const;
    const body = { kind: 'calls', calls: [] } as const;
    return transactions.intend(tx, { userId: USER, account: ACCOUNT, purpose, body }, (record) => {
      const { transactionId: holdId } = record;
      if (held !== null) openHold(tx, { ...cash, holdId, purpose: 'transfer', usdc: held }, T0);
      const outflow = { userId: USER, transactionId: holdId, micros: 5_000_000 };
      reserveOut(tx, { ...outflow, atMs: T0, isFresh: true }, 0);
    });
  });
  transactions.wake(USER);
  await clock.advance(60_000);
  const record = () => transactions.get(USER, transactionId);
  const notified = () =>
    store
      .readJournal(0, 1_000)
      .flatMap(({ event }) => notificationOf(store, event)?.facts ?? [])
      .map((facts) => [facts.kind, notificationText(facts, NOTIFICATION).body]);
  const entries = () =>
    store
      .readJournal(0, 1_000)
      .flatMap(({ event }) => (event.type === 'ledger.posted' ? [event.entry.entryId] : []));
  const cashOf = () => balanceOf(store, USER, 'usdc:base');
  /** The chain takes its block back, and carries it out again, or not. */
  const takenBack = async ({ again = transactions.askAgain, fails: isFailing = true } = {}) => {
    rail.takeBack(ACCOUNT.address, 0, record()?.attempts.map(({ id }) => id) ?? []);
    if (isFailing) rail.reverting.add(ACCOUNT.address);
    else rail.reverting.delete(ACCOUNT.address);
    await clock.advance(20_000);
    await again(USER, 'BASE');
    await clock.advance(20_000);
    await again(USER, 'BASE');
  };
  return { clock, store, live, transactionId, record, notified, entries, cashOf, takenBack };
}

it('L4: a transfer whose block was taken back and that fails then is failed, its USDC are in the books again, and its sender is notified', async () => {
  const world = await aSentTransfer();
  expect([world.record()?.state, world.cashOf().settled]).toEqual(['done', 15_000_000]);
  await world.takenBack();
  expect([world.record()?.state, world.cashOf()]).toEqual([
    'failed',
    { settled: 20_000_000, provisional: 0 },
  ]);
  expect(world.entries().at(-1)).toBe(
    `taken_back:hold_booked:transfer:${USER}:${world.transactionId}`,
  );
  expect(world.notified().at(-1)).toEqual([
    'send_failed',
    `5 USDC to ${TO} stay in your wallet. The chain took back the block it was in, and did not carry it out again: nothing but fees has moved.`,
  ]);
});

it('L5: it counts no more for what may leave in its day', async () => {
  const world = await aSentTransfer();
  expect(outSince(world.store, USER, 0)).toBe(5_000_000);
  await world.takenBack();
  expect(outSince(world.store, USER, 0)).toBe(0);
});

it('L4, L9: it is undone once, also where the same is found again after a restart', async () => {
  const world = await aSentTransfer();
  await world.takenBack();
  const [booked, notified] = [world.entries(), world.notified()];
  await world.takenBack({ again: world.live().askAgain });
  expect([world.entries(), world.notified()]).toEqual([booked, notified]);
});

it('L4: it is settled again where the chain takes that back too and carries it out, and undone again likewise', async () => {
  const world = await aSentTransfer();
  await world.takenBack();
  await world.takenBack({ fails: false });
  expect([world.record()?.state, world.cashOf(), world.record()?.reason]).toEqual([
    'done',
    { settled: 15_000_000, provisional: 0 },
    null,
  ]);
  expect([outSince(world.store, USER, 0), world.notified().at(-1)?.[0]]).toEqual([
    5_000_000,
    'send_settled',
  ]);
  await world.takenBack();
  expect([world.record()?.state, world.cashOf().settled]).toEqual(['failed', 20_000_000]);
});

it('L4: one that failed at first leaves the books where it is carried out with the block that takes the place of its own', async () => {
  const world = await aSentTransfer({ fails: true });
  expect([world.record()?.state, world.cashOf()]).toEqual([
    'failed',
    { settled: 20_000_000, provisional: 0 },
  ]);
  await world.takenBack({ fails: false });
  expect([world.record()?.state, world.cashOf()]).toEqual([
    'done',
    { settled: 15_000_000, provisional: 0 },
  ]);
  await world.takenBack();
  expect([world.record()?.state, world.cashOf().settled]).toEqual(['failed', 20_000_000]);
});

it('is failed as well where it sent a token that is in no books', async () => {
  const world = await aSentTransfer({ usdc: false });
  const booked = world.entries();
  await world.takenBack();
  expect([world.record()?.state, world.entries()]).toEqual(['failed', booked]);
  expect(world.notified().at(-1)?.[0]).toBe('send_failed');
});

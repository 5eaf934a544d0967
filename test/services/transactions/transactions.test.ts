import { beforeEach, describe, expect, it } from 'vitest';
import type { MemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { asId } from '../../../src/domain/ids.ts';
import type { TransactionPurpose } from '../../../src/domain/transaction-purpose.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
import { balanceOf } from '../../../src/services/books/record-changes.ts';
import { TRANSACTIONS } from '../../../src/services/transactions/tables.ts';
import type { TransactionDraft } from '../../../src/services/transactions/transaction-records.ts';
import { callsBody, transferCall } from '../../../src/services/wallets/contract-calls.ts';
import { safeAccount } from '../../../src/services/wallets/contracts.ts';
import { aUserId } from '../../support/builders.ts';
import type { RelayPlan } from '../../support/fakes/fake-relayer.ts';
import { aReadyLife, type MoneyLife, type MoneyWorld } from '../../support/worlds/money-world.ts';
import { brokenLaws, during } from '../../support/worlds/trading-world.ts';

let world: MoneyWorld;
let store: MemoryStore;
let life: MoneyLife;

beforeEach(async () => {
  ({ world, store, life } = await aReadyLife());
});

const withdraw = (usdc: number, key?: string) =>
  during(
    world,
    life.withdrawals.withdraw(world.user, {
      usdc: usdcMicros(usdc),
      ...(key === undefined ? {} : { key }),
    }),
  );
const tokens = (who: 'safe' | 'owner') =>
  world.chain.state.tokenOf(
    who === 'safe'
      ? world.chain.contracts.collateral
      : world.chain.contracts.withdrawalToken.address,
    world[who],
  );
const transactionsOf = (kind: string) =>
  store
    .range(TRANSACTIONS)
    .map(({ value }) => value)
    .filter(({ purpose }) => purpose.kind === kind);
/** The distinct bytes that left for one nonce. */
const bytesOfNonce = (nonce: number) =>
  new Set(
    world.safes.received.flatMap((action) =>
      action.kind === 'execute' && action.nonce === nonce ? [action.signature] : [],
    ),
  ).size;

describe('a transaction of a Safe', () => {
  it.each<RelayPlan>([
    'ok',
    'lost',
    'dropped',
    'hangs',
    'twice',
    'foreign_hash',
    'busy',
    'refused',
    'fails',
    'never',
  ])('L1, L2: is executed once when the relayer\'s answer is "%s"', async (plan) => {
    world.safes.plans.push(plan);
    const view = await withdraw(30_000_000);
    await world.clock.advance(120_000);
    expect(life.withdrawals.get(world.user, view.withdrawalId)).toMatchObject({
      state: 'settled',
      reason: null,
    });
    expect([tokens('safe'), tokens('owner'), balanceOf(store, world.user, 'usdc:safe')]).toEqual([
      70_000_000n,
      30_000_000n,
      { settled: 70_000_000, provisional: 0 },
    ]);
    expect([await world.safes.nonce(world.safe), bytesOfNonce(1)]).toEqual([2, 1]);
    expect(brokenLaws(store, world.user)).toEqual([]);
  });

  it('L1: sends the same bytes however often it has to', async () => {
    world.safes.plans.push('lost', 'busy', 'dropped');
    world.chain.isDown = false;
    await withdraw(1_000_000);
    await world.clock.advance(120_000);
    expect(bytesOfNonce(1)).toBe(1);
    expect(
      world.safes.signed.filter((action) => action.kind === 'execute' && action.nonce === 1),
    ).toHaveLength(1);
  });

  it('L1: is enqueued behind another in one change, once for a key, and not once it is not wanted', async () => {
    const draft = (key: string, usdc: number): TransactionDraft => ({
      userId: world.user,
      account: safeAccount(world.safe),
      purpose: {
        owner: 'venue',
        kind: 'venue_call',
        data: { venue: asId('example'), side: 'buy', data: null },
      },
      body: callsBody([transferCall(world.chain.contracts.collateral, world.owner, BigInt(usdc))]),
      key,
    });
    const { transactions } = life;
    const none = await transactions.enqueue([draft('late', 1)], () => false);
    const both = [draft('first', 1_000_000), draft('second', 2_000_000)];
    const made = await transactions.enqueue(both);
    const again = await transactions.enqueue(both);
    expect([none, transactions.find(world.user, 'late'), made.map(({ place }) => place)]).toEqual([
      [],
      null,
      [made[0]?.place, (made[0]?.place ?? 0) + 1],
    ]);
    expect(again.map(({ transactionId }) => transactionId)).toEqual(
      made.map(({ transactionId }) => transactionId),
    );
    expect(transactions.find(world.user, 'second')?.transactionId).toBe(made[1]?.transactionId);
    await world.clock.advance(120_000);
    expect(transactions.find(world.user, 'second')?.state).toBe('done');
  });

  it('waits its turn: one is in flight for a wallet', async () => {
    world.safes.usual = 'never';
    const first = life.withdrawals.withdraw(world.user, { usdc: usdcMicros(1_000_000) });
    const second = life.withdrawals.withdraw(world.user, { usdc: usdcMicros(2_000_000) });
    await during(world, Promise.all([first, second]));
    expect(
      transactionsOf('withdraw')
        .map(({ state }) => state)
        .sort(),
    ).toEqual(['intended', 'submitted']);
    world.safes.usual = 'ok';
    await world.clock.advance(120_000);
    expect(transactionsOf('withdraw').map(({ state }) => state)).toEqual(['done', 'done']);
    expect(tokens('owner')).toBe(3_000_000n);
  });

  it('L1: is signed under no nonce that an own transaction has used, when the node that tells the nonce is behind', async () => {
    await withdraw(1_000_000);
    await world.clock.advance(30_000);
    const tell = world.safes.nonce.bind(world.safes);
    let isBehind = true;
    world.safes.nonce = async (safe) => (await tell(safe)) - (isBehind ? 1 : 0);
    const { withdrawalId } = await withdraw(2_000_000);
    expect(
      world.safes.signed.flatMap((action) => (action.kind === 'execute' ? [action.nonce] : [])),
    ).toEqual([0, 1]);
    isBehind = false;
    await world.clock.advance(30_000);
    expect(life.withdrawals.get(world.user, withdrawalId)).toMatchObject({ state: 'settled' });
    expect(
      world.safes.signed.flatMap((action) => (action.kind === 'execute' ? [action.nonce] : [])),
    ).toEqual([0, 1, 2]);
  });

  it('L2: is not final before enough blocks stand on it, and waits again when its block is taken back', async () => {
    const asked = life.withdrawals.withdraw(world.user, { usdc: usdcMicros(5_000_000) });
    await world.clock.advanceUntil(() => transactionsOf('withdraw')[0]?.state === 'mined', 20_000);
    world.chain.reorganise(1, 'lost');
    await during(world, asked);
    await world.clock.advance(60_000);
    const path = store
      .readJournal(0, 1_000)
      .flatMap(({ event }) =>
        event.type === 'transaction.changed' && event.transaction.purpose.kind === 'withdraw'
          ? [event.transaction.state]
          : [],
      );
    expect(path).toEqual([
      'intended',
      'signed',
      'submitted',
      'mined',
      'unknown',
      'submitted',
      'mined',
      'done',
    ]);
    expect([tokens('owner'), bytesOfNonce(1)]).toEqual([5_000_000n, 1]);
  });

  it('L1: is given up by a call without effect under its nonce, so that never both are executed; the money is given back', async () => {
    world.safes.usual = 'refused';
    const { withdrawalId } = await withdraw(30_000_000);
    await world.clock.advance(60_000);
    const taken = transactionsOf('withdraw')[0];
    expect(taken?.attempts.map(({ isCancel }) => isCancel)).toEqual([false, true]);
    world.safes.usual = 'ok';
    await world.clock.advance(60_000);
    expect(life.withdrawals.get(world.user, withdrawalId)).toMatchObject({ state: 'returned' });
    expect([
      tokens('safe'),
      tokens('owner'),
      balanceOf(store, world.user, 'usdc:safe').settled,
      life.portfolio.cash(world.user, 'usdc:safe').available,
    ]).toEqual([100_000_000n, 0n, 100_000_000, 100_000_000]);
    // The first bytes come up again, from wherever they were: the chain does not take them.
    const old = world.safes.received.find(
      (action) => action.kind === 'execute' && action.nonce === 1,
    );
    if (old !== undefined) world.safes.broadcast(old);
    await world.clock.advance(10_000);
    expect(tokens('owner')).toBe(0n);
    expect(brokenLaws(store, world.user)).toEqual([]);
  });

  it('L1: is signed anew only after the chain proved that another transaction used its nonce', async () => {
    world.safes.usual = 'never';
    const asked = life.withdrawals.withdraw(world.user, { usdc: usdcMicros(30_000_000) });
    await world.clock.advance(1_000);
    world.safes.broadcast(
      world.safes.signExecute(world.user, {
        calls: [{ to: world.owner, data: '0x', valueWei: 0n }],
        nonce: 1,
        note: 'by the owner',
      }),
    );
    world.safes.usual = 'ok';
    await during(world, asked);
    await world.clock.advance(60_000);
    expect(
      transactionsOf('withdraw').map(({ state, attempts, dead }) => [
        state,
        attempts.map(({ bound }) => bound),
        dead.map(({ proof }) => proof),
      ]),
    ).toEqual([['done', [{ kind: 'nonce', nonce: 2 }], [{ kind: 'nonce_used', nonce: 1 }]]]);
    expect(tokens('owner')).toBe(30_000_000n);
  });

  it('L9: waits while the chain does not answer, and concludes nothing', async () => {
    world.chain.isDown = true;
    const { withdrawalId } = await withdraw(30_000_000);
    await world.clock.advance(300_000);
    expect(life.withdrawals.get(world.user, withdrawalId)?.state).toBe('reserved');
    world.chain.isDown = false;
    await world.clock.advance(60_000);
    expect(life.withdrawals.get(world.user, withdrawalId)?.state).toBe('settled');
  });
});

describe('a transaction of a kind that no books know', () => {
  const stranger = aUserId(2);
  const intendUnknown = (purpose: { readonly owner: string; readonly kind: string }) =>
    life.commit((tx) =>
      life.transactions.intend(tx, {
        userId: world.user,
        account: { chain: 'POLYGON', rail: 'safe', address: world.safe },
        // what a newer version of the program could have stored
        purpose: {
          ...purpose,
          data: { to: world.owner, usdc: usdcMicros(5_000_000), token: world.owner },
        } as unknown as TransactionPurpose,
        body: { kind: 'calls', calls: [] },
      }),
    );

  it.each([
    { owner: 'safe', kind: 'lend' },
    // a kind that the Safe has too must not be closed as the Safe's
    { owner: 'lender', kind: 'withdraw' },
  ])(
    'is neither signed nor sent nor booked, and stops its own queue alone: %o',
    async (purpose) => {
      const { kind } = purpose;
      const { transactionId } = await intendUnknown(purpose);
      life.transactions.wake(world.user);
      const held = await withdraw(30_000_000);
      life.recover([world.user, stranger]);
      await world.clock.advance(300_000);
      expect(life.transactions.get(world.user, transactionId)).toMatchObject({
        state: 'intended',
        attempts: [],
      });
      expect(life.withdrawals.get(world.user, held.withdrawalId)?.state).toBe('reserved');
      expect([await world.safes.nonce(world.safe), tokens('safe')]).toEqual([1, 100_000_000n]);
      expect(life.onboarding.missing(stranger)).toEqual([]);
      expect(brokenLaws(store, world.user)).toEqual([]);
      expect([
        life.transactions.stopped(),
        life.log.lines.filter(({ event }) => event === 'transaction.kind_unknown').length,
        life.metrics.counts.get('transaction_queues_stopped POLYGON'),
      ]).toEqual([[{ userId: world.user, transactionId, chain: 'POLYGON', kind }], 1, 1]);
    },
  );

  it('L9: stops its queue again after a start', async () => {
    await intendUnknown({ owner: 'safe', kind: 'lend' });
    life.die();
    const next = world.live(store, 'next');
    next.recover([world.user]);
    await world.clock.advance(60_000);
    expect(next.transactions.stopped()).toMatchObject([{ kind: 'lend' }]);
    expect(transactionsOf('lend')).toMatchObject([{ state: 'intended' }]);
  });
});

describe('a transaction that a version before owners has stored', () => {
  /** Writes a record as format 1 had it: the data of a purpose beside its kind, and no owner. */
  const flatten = () =>
    store.write((tx) => {
      for (const { key, value } of tx.range(TRANSACTIONS)) {
        const { kind, data } = value.purpose as TransactionPurpose; // this version's
        tx.put(TRANSACTIONS, key, { ...value, purpose: { kind, ...data } });
      }
    });

  it('L9: is sent, closed and booked by its owner, and shown as any other', async () => {
    world.chain.isDown = true;
    const { withdrawalId } = await withdraw(30_000_000);
    life.die();
    await flatten();
    world.chain.isDown = false;
    const next = world.live(store, 'next');
    next.recover([world.user]);
    await world.clock.advance(60_000);
    expect(next.transactions.stopped()).toEqual([]);
    const view = next.withdrawals.get(world.user, withdrawalId);
    expect(view).toMatchObject({ state: 'settled', usdc: 30_000_000, to: world.owner });
    expect(next.withdrawals.list(world.user, { limit: 10, cursor: null }).data).toEqual([view]);
    expect(balanceOf(store, world.user, 'usdc:safe').settled).toBe(70_000_000);
    expect(brokenLaws(store, world.user)).toEqual([]);
  });

  it('is listed after its end, and found again under its key', async () => {
    const made = await withdraw(30_000_000, 'key-1');
    await flatten();
    const { data } = life.withdrawals.list(world.user, { limit: 10, cursor: null });
    expect(data).toMatchObject([{ withdrawalId: made.withdrawalId, state: 'settled' }]);
    expect(await withdraw(30_000_000, 'key-1')).toEqual(data[0]);
    expect(
      life.withdrawals.list(world.user, { limit: 10, cursor: made.withdrawalId }).data,
    ).toEqual([]);
  });
});

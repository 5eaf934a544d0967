import { beforeEach, describe, expect, it } from 'vitest';
import { createMemoryStore, type MemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { asId, type TransactionId, type Address } from '../../../src/domain/ids.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
import { LEDGER_ENTRIES } from '../../../src/services/books/tables.ts';
import { aUserId } from '../../support/builders.ts';
import {
  aMoneyWorld,
  aReadyLife,
  fund,
  type MoneyLife,
  type MoneyWorld,
} from '../../support/worlds/money-world.ts';
import { during } from '../../support/worlds/trading-world.ts';

const FRIEND = asId<Address>('0x2222222222222222222222222222222222222222');
let world: MoneyWorld;
let store: MemoryStore;
let life: MoneyLife;

beforeEach(async () => {
  ({ world, store, life } = await aReadyLife());
});

const withdraw = (usdc: number, more: { readonly key?: string; readonly to?: Address } = {}) =>
  during(world, life.withdrawals.withdraw(world.user, { usdc: usdcMicros(usdc), ...more }));
const entries = () => store.range(LEDGER_ENTRIES).map(({ value }) => value.kind);
const paidOut = () =>
  world.chain.state.tokenOf(world.chain.contracts.withdrawalToken.address, world.owner);
const audited = () =>
  store
    .readJournal(0, 1_000)
    .flatMap(({ event }) => (event.type === 'audit.recorded' ? [event.action] : []));

describe('a withdrawal', () => {
  it("L3: is held, sent and settled on the chain's proof, and leaves a trace of its request and its end", async () => {
    const asked = life.withdrawals.withdraw(world.user, { usdc: usdcMicros(30_000_000) });
    await world.clock.advance(100);
    expect(life.portfolio.cash(world.user, 'usdc:safe')).toMatchObject({
      settled: 100_000_000,
      provisional: -30_000_000,
      available: 70_000_000,
    });
    const view = await during(world, asked);
    expect(view).toMatchObject({
      state: 'settled',
      usdc: 30_000_000,
      token: 'USDC',
      to: world.owner,
      reason: null,
    });
    expect(life.portfolio.cash(world.user, 'usdc:safe')).toMatchObject({
      settled: 70_000_000,
      provisional: 0,
      available: 70_000_000,
    });
    expect([paidOut(), entries().sort(), audited()]).toEqual([
      30_000_000n,
      ['deposit', 'hold', 'hold_booked'],
      ['withdrawal_requested', 'withdrawal_ended'],
    ]);
  });

  it('L4: pays once for one key, asked twice at once and once more later', async () => {
    const answers = await during(
      world,
      Promise.all(
        [1, 2].map(() =>
          life.withdrawals.withdraw(world.user, { usdc: usdcMicros(30_000_000), key: 'one' }),
        ),
      ),
    );
    const again = await withdraw(30_000_000, { key: 'one' });
    expect(new Set([...answers, again].map(({ withdrawalId }) => withdrawalId)).size).toBe(1);
    expect(paidOut()).toBe(30_000_000n);
  });

  it.each([
    [0, 'amount_too_small'],
    [9_999, 'amount_too_small'],
    [100_000_001, 'insufficient_funds'],
  ] as const)(
    'of %i micros is refused, nothing is held, and a line stays of it',
    async (usdc, code) => {
      await expect(withdraw(usdc)).rejects.toMatchObject({ code });
      expect([
        life.portfolio.cash(world.user, 'usdc:safe').available,
        entries(),
        audited(),
      ]).toEqual([100_000_000, ['deposit'], ['withdrawal_refused']]);
      expect(store.readJournal(0, 1_000).at(-1)?.event).toMatchObject({
        userId: world.user,
        subject: code,
        detail: `${usdc / 1_000_000} USDC to ${world.owner}`,
      });
    },
  );

  it('L9: asked for again with its key after a restart in the middle, is the same one and is paid once', async () => {
    const asked = life.withdrawals.withdraw(world.user, {
      usdc: usdcMicros(30_000_000),
      key: 'one',
    });
    await world.clock.advance(100);
    life.stop();
    const before = await during(world, asked);
    life = world.live(store, 'next');
    life.recover([world.user]);
    const after = await withdraw(30_000_000, { key: 'one' });
    expect([before.state, after]).toEqual([
      'sent',
      expect.objectContaining({ withdrawalId: before.withdrawalId, state: 'settled' }),
    ]);
    expect([paidOut(), entries().sort(), audited()]).toEqual([
      30_000_000n,
      ['deposit', 'hold', 'hold_booked'],
      ['withdrawal_requested', 'withdrawal_ended'],
    ]);
  });

  it('L5: takes no more than is free, however many ask at once', async () => {
    const asked = await during(
      world,
      Promise.allSettled(
        [60_000_000, 60_000_000].map((usdc) =>
          life.withdrawals.withdraw(world.user, { usdc: usdcMicros(usdc) }),
        ),
      ),
    );
    expect(asked.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(paidOut()).toBe(60_000_000n);
  });

  it('of everything there is leaves nothing', async () => {
    await withdraw(100_000_000);
    expect(life.portfolio.cash(world.user, 'usdc:safe')).toMatchObject({
      settled: 0,
      available: 0,
    });
  });

  it('goes to the owner alone', async () => {
    await expect(withdraw(1_000_000, { to: FRIEND })).rejects.toMatchObject({
      code: 'forbidden',
      fields: [{ path: '/to' }],
    });
    expect(store.readJournal(0, 1_000).at(-1)?.event).toMatchObject({
      action: 'withdrawal_refused',
      subject: 'forbidden',
      detail: `1 USDC to ${FRIEND}`,
    });
    expect(
      (
        await withdraw(1_000_000, {
          to: asId<Address>(world.owner.toUpperCase().replace('0X', '0x')),
        })
      ).to,
    ).toBe(world.owner);
  });

  it('is shown to no other user', async () => {
    const { withdrawalId } = await withdraw(1_000_000);
    expect([
      life.withdrawals.get(aUserId(2), withdrawalId),
      life.withdrawals.get(world.user, asId<TransactionId>('txn_none')),
    ]).toEqual([null, null]);
  });

  it('waits for a Safe that is not ready', async () => {
    const fresh = aMoneyWorld();
    const early = fresh.live(createMemoryStore());
    await fund(fresh, early, 10_000_000);
    await expect(
      early.withdrawals.withdraw(fresh.user, { usdc: usdcMicros(1_000_000) }),
    ).rejects.toMatchObject({ code: 'wallet_not_ready', retryable: true });
    expect(early.store.readJournal(0, 1_000).map(({ event }) => event.type)).not.toContain(
      'audit.recorded',
    );
  });
});

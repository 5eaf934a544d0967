import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import type { CashAccount } from '../../../src/domain/cash.ts';
import { FUNDS_DISPUTES } from '../../../src/services/books/tables.ts';
import { TRANSACTIONS } from '../../../src/services/transactions/tables.ts';
import {
  aMoneyWorld,
  CONTRACTS,
  type MoneyLife,
  type MoneyWorld,
} from '../../support/worlds/money-world.ts';

const signUp = (world: MoneyWorld, life: MoneyLife) =>
  life.commit((tx) =>
    tx.append({
      type: 'user.created',
      userId: world.user,
      atMs: world.clock.nowMs(),
      address: world.owner,
    }),
  );
/** The venue says of an order that the Safe has not let it take the money. */
const refused = (
  { user, clock }: MoneyWorld,
  life: MoneyLife,
  account: CashAccount = 'usdc:safe',
) =>
  life.commit((tx) => {
    const dispute = {
      asset: account,
      refusals: 1,
      reason: 'the allowance is not enough',
      lacksAllowanceOf: account,
      sinceMs: clock.nowMs(),
      retryAtMs: clock.nowMs() + 900_000,
    };
    tx.put(FUNDS_DISPUTES, [user, account], dispute);
    tx.append({ type: 'funds.disputed', userId: user, atMs: clock.nowMs(), dispute });
  });
const kinds = (life: MoneyLife) =>
  life.store
    .range(TRANSACTIONS)
    .map(({ value }) => `${value.purpose.kind} ${value.state}`)
    .sort();

describe("a new user's Safe", () => {
  it('is deployed and gives every allowance in one batch, without anybody asking', async () => {
    const world = aMoneyWorld();
    const life = world.live(createMemoryStore());
    expect(life.onboarding.missing(world.user)).toEqual(['deployment', 'allowances']);
    expect(() => life.onboarding.assertReady(world.user)).toThrow('deployment and allowances');
    await signUp(world, life);
    await world.clock.advance(60_000);
    expect(life.onboarding.missing(world.user)).toEqual([]);
    expect([
      kinds(life),
      world.chain.state.allowances.size,
      world.chain.state.nonces.size,
      await world.safes.nonce(world.safe),
    ]).toEqual([['allowances done', 'deploy done'], 3, 1, 1]);
    life.onboarding.assertReady(world.user);
  });

  it('L9: is taken up by the next start when its sign-up was all that was stored', async () => {
    const world = aMoneyWorld();
    const store = createMemoryStore();
    const first = world.live(store);
    first.stop();
    await signUp(world, first);
    const second = world.live(store);
    second.recover([world.user]);
    await world.clock.advance(60_000);
    expect(second.onboarding.missing(world.user)).toEqual([]);
  });

  it('is begun once, however often it is asked for', async () => {
    const world = aMoneyWorld();
    const life = world.live(createMemoryStore());
    await Promise.all([
      life.onboarding.begin(world.user),
      life.onboarding.begin(world.user),
      signUp(world, life),
    ]);
    await world.clock.advance(60_000);
    await life.onboarding.begin(world.user);
    expect(kinds(life)).toEqual(['allowances done', 'deploy done']);
  });

  it('counts as deployed when it stood already', async () => {
    const world = aMoneyWorld();
    world.safes.broadcast(world.safes.signCreate(world.user));
    await world.clock.advance(10_000);
    const life = world.live(createMemoryStore());
    await signUp(world, life);
    await world.clock.advance(60_000);
    expect([
      life.onboarding.missing(world.user),
      world.safes.received.filter(({ kind }) => kind === 'create'),
    ]).toEqual([[], []]);
  });

  it('gives its allowances anew when the list of them changes', async () => {
    const world = aMoneyWorld();
    const store = createMemoryStore();
    const before = world.live(store);
    await signUp(world, before);
    await world.clock.advance(60_000);
    before.stop();
    const changed = aMoneyWorld({ ...CONTRACTS, allowanceSet: 'set-2' });
    const life = changed.live(store);
    expect(life.onboarding.missing(world.user)).toEqual(['allowances']);
  });

  it('gives its allowances while its deployment is in a block and not yet final', async () => {
    const world = aMoneyWorld();
    const life = world.live(createMemoryStore());
    await signUp(world, life);
    await world.clock.advanceUntil(() => kinds(life).includes('allowances submitted'), 20_000);
    expect(kinds(life)).toEqual(['allowances submitted', 'deploy mined']);
    await world.clock.advance(60_000);
    expect(kinds(life)).toEqual(['allowances done', 'deploy done']);
  });

  it('L1, L2: is deployed and allowed once each when the block of its deployment is taken back with the allowances on their way', async () => {
    const world = aMoneyWorld();
    const life = world.live(createMemoryStore());
    await signUp(world, life);
    await world.clock.advanceUntil(() => kinds(life).includes('allowances submitted'), 20_000);
    world.chain.reorganise(1, 'lost');
    await world.clock.advance(120_000);
    expect([kinds(life), life.onboarding.missing(world.user)]).toEqual([
      ['allowances done', 'deploy done'],
      [],
    ]);
    expect(await world.safes.nonce(world.safe)).toBe(1);
    expect(world.safes.signed.map(({ kind }) => kind)).toEqual(['create', 'execute']);
  });

  it.each([
    'deploy signed',
    'deploy submitted',
    'deploy mined',
    'allowances signed',
    'allowances submitted',
    'allowances mined',
  ])(
    'L1, L9: is made ready by the next start, with the same bytes, after the process dies at "%s"',
    async (moment) => {
      const world = aMoneyWorld();
      const store = createMemoryStore();
      const first = world.live(store);
      await signUp(world, first);
      await world.clock.advanceUntil(() => kinds(first).includes(moment), 30_000);
      first.die();
      const second = world.live(store);
      second.recover([world.user]);
      await world.clock.advance(120_000);
      expect([kinds(second), second.onboarding.missing(world.user)]).toEqual([
        ['allowances done', 'deploy done'],
        [],
      ]);
      expect(world.safes.signed.map(({ kind }) => kind)).toEqual(['create', 'execute']);
      expect([
        await world.safes.nonce(world.safe),
        new Set(world.safes.received.map(({ signature }) => signature)).size,
      ]).toEqual([1, 2]);
    },
  );

  it('gives its allowances anew when the venue says that one is missing, is not ready meanwhile, and lets the next order try at once', async () => {
    const world = aMoneyWorld();
    const life = world.live(createMemoryStore());
    await signUp(world, life);
    await world.clock.advance(60_000);
    await refused(world, life);
    expect(() => life.onboarding.assertReady(world.user)).toThrow(
      expect.objectContaining({
        code: 'wallet_not_ready',
        message: expect.stringContaining('allowances'),
      }),
    );
    await world.clock.advance(60_000);
    life.onboarding.assertReady(world.user);
    expect(kinds(life)).toEqual(['allowances done', 'allowances done', 'deploy done']);
    const dispute = life.store.get(FUNDS_DISPUTES, [world.user, 'usdc:safe'])?.value;
    expect(dispute).toMatchObject({ refusals: 1, lacksAllowanceOf: null });
    expect(dispute?.retryAtMs).toBeLessThanOrEqual(world.clock.nowMs());
  });

  it('is as ready as before when the word was of another wallet, which its allowances do not mend', async () => {
    const world = aMoneyWorld();
    const life = world.live(createMemoryStore());
    await signUp(world, life);
    await refused(world, life, 'usdc:base');
    await world.clock.advance(60_000);
    life.onboarding.assertReady(world.user);
    expect(kinds(life)).toEqual(['allowances done', 'deploy done']);
    expect(life.store.get(FUNDS_DISPUTES, [world.user, 'usdc:base'])?.value).toMatchObject({
      lacksAllowanceOf: 'usdc:base',
    });
  });

  it("L9: gives them anew at the next start when the venue's word was all that was stored", async () => {
    const world = aMoneyWorld();
    const store = createMemoryStore();
    const first = world.live(store);
    await signUp(world, first);
    await world.clock.advance(60_000);
    first.stop();
    await refused(world, first);
    const second = world.live(store);
    expect(second.onboarding.missing(world.user)).toEqual(['allowances']);
    second.recover([world.user]);
    await world.clock.advance(60_000);
    expect([second.onboarding.missing(world.user), kinds(second)]).toEqual([
      [],
      ['allowances done', 'allowances done', 'deploy done'],
    ]);
  });

  it('is tried again after the relayer would not have its allowances', async () => {
    const world = aMoneyWorld();
    const life = world.live(createMemoryStore());
    world.safes.plans.push('ok', 'refused', 'refused', 'refused', 'refused', 'refused');
    await signUp(world, life);
    await world.clock.advance(300_000);
    expect(kinds(life)).toEqual(['allowances done', 'allowances failed', 'deploy done']);
    expect(life.onboarding.missing(world.user)).toEqual([]);
  });
});

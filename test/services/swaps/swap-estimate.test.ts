import { describe, expect, it, vi } from 'vitest';
import { SWAP } from '../../../config/limits/tokens.ts';
import { asId, type Address } from '../../../src/domain/ids.ts';
import type { KeyLimits } from '../../../src/domain/key-limits.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
import { API_KEY_RECORDS } from '../../../src/services/api-keys/tables.ts';
import type { SwapExecution } from '../../../src/services/swaps/swap-execution.ts';
import { OPEN_SWAPS } from '../../../src/services/swaps/tables.ts';
import { aUserId, T0 } from '../../support/builders.ts';
import { aKeyRecord } from '../../support/worlds/key-record.ts';
import { aWorld, DIAMOND, REQUEST, SOLD_MICROS, USDC, USER, WALLET } from './swap-life.ts';

type World = ReturnType<typeof aWorld>;

const KEY = 'key_1';

function giveKey({ store }: World, limits: Partial<KeyLimits>) {
  return store.write((tx) =>
    tx.put(API_KEY_RECORDS, [USER, KEY], aKeyRecord(USER, KEY, limits, { scopes: ['swap'] })),
  );
}

type Obstacle = readonly [
  name: string,
  code: string,
  set: (world: World) => unknown,
  by: Partial<SwapExecution>,
];

/** What prevents an execution, each with the code it is refused by. */
const OBSTACLES: readonly Obstacle[] = [
  ['a stop', 'trading_stopped', ({ state }) => (state.isStopped = true), {}],
  ['too little in the wallet', 'insufficient_funds', ({ state }) => (state.held = 24_999_999n), {}],
  [
    'too little of the coin for gas',
    'insufficient_funds',
    // a fifth more than the 210,000 gas of the trial, at three gwei
    ({ state }) => (state.wei = 210_000n * 3n * 10n ** 9n),
    {},
  ],
  [
    'dollars that are held by others',
    'insufficient_funds',
    ({ state }) => (state.cashAccount = 'usdc:base'),
    {},
  ],
  [
    'a call that draws more when it is tried out',
    'quote_refused',
    ({ state }) => {
      const to = asId<Address>(DIAMOND);
      const drawn = { token: USDC, from: WALLET, to, amount: 25_000_001n };
      state.simulation = { kind: 'done', movements: [drawn], approvals: [], gas: 210_000n };
    },
    {},
  ],
  [
    'as many swaps under way as may be',
    'limit_reached',
    ({ store }) =>
      store.write((tx) => {
        for (let made = 0; made < SWAP.openPerUserMaximum; made += 1)
          tx.put(OPEN_SWAPS, [USER, `swp_${made}`], { sinceMs: T0 });
      }),
    {},
  ],
  [
    'a key with a smaller order',
    'cap_exceeded',
    (world) => giveKey(world, { orderUsdc: usdcMicros(1_000_000) }),
    { keyId: KEY },
  ],
  [
    'a key with a smaller day',
    'cap_exceeded',
    (world) => giveKey(world, { dayUsdc: usdcMicros(24_000_000) }),
    { keyId: KEY },
  ],
  [
    'a key that asks its person',
    'confirmation_required',
    (world) => giveKey(world, { confirmAboveUsdc: usdcMicros(0) }),
    { keyId: KEY },
  ],
  [
    'what has left in the day',
    'fresh_sign_in_required',
    async (world) => {
      const life = world.live();
      await world.execute(life, true);
      await world.clock.advance(60_000);
      life.stop();
    },
    { isFresh: false },
  ],
];

describe('an estimate of a swap', () => {
  it('says what counts and what the caps leave after it, and changes nothing', async () => {
    const world = aWorld({ dailyOutUsd: 40 });
    await giveKey(world, { orderUsdc: usdcMicros(30_000_000), dayUsdc: usdcMicros(60_000_000) });
    const life = world.live();
    const { quoteId } = await life.swaps.quote(USER, REQUEST);
    const written = vi.spyOn(world.store, 'write');
    const estimate = await life.swaps.estimate(USER, { quoteId, isFresh: false, keyId: KEY });
    expect(estimate).toMatchObject({
      quote: { quoteId },
      counted: { soldMicros: SOLD_MICROS, outMicros: SOLD_MICROS },
      dayLeftMicros: 15_000_000,
      needsFreshSignIn: false,
      keyOrderMicros: 30_000_000,
      keyDayLeftMicros: 35_000_000,
      refusal: null,
    });
    expect(written).not.toHaveBeenCalled();
    expect(world.rail.signatures).toBe(0);
    const answer = life.swaps.execute(USER, { quoteId, isFresh: false, keyId: KEY });
    await world.clock.advance(60_000);
    expect((await answer).state).not.toBe('failed');
    await expect(life.swaps.estimate(USER, { quoteId, isFresh: true })).rejects.toMatchObject({
      code: 'quote_expired',
    });
    const next = await life.swaps.quote(USER, REQUEST);
    const second = { quoteId: next.quoteId, isFresh: false, keyId: KEY };
    expect(await life.swaps.estimate(USER, second)).toMatchObject({
      dayLeftMicros: 0,
      needsFreshSignIn: true,
      keyDayLeftMicros: 10_000_000,
      refusal: { code: 'fresh_sign_in_required', isRetryable: false },
    });
    life.stop();
  });

  it('is of the owner’s quote alone, while it is good', async () => {
    const world = aWorld();
    const { swaps } = world.live();
    const { quoteId } = await swaps.quote(USER, REQUEST);
    await expect(swaps.estimate(aUserId(2), { quoteId, isFresh: true })).rejects.toMatchObject({
      code: 'not_found',
    });
    await world.clock.advance(60_000);
    await expect(swaps.estimate(USER, { quoteId, isFresh: true })).rejects.toMatchObject({
      code: 'quote_expired',
    });
  });

  it.each(OBSTACLES)('is refused by %s as the execution is: %s', async (_name, code, set, by) => {
    const world = aWorld({ dailyOutUsd: 40 });
    await set(world);
    const { swaps } = world.live();
    const { quoteId } = await swaps.quote(USER, REQUEST);
    const call = { quoteId, isFresh: true, ...by };
    const { refusal } = await swaps.estimate(USER, call);
    const error: unknown = await swaps.execute(USER, call).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code });
    expect(error).toMatchObject({
      code: refusal?.code,
      message: refusal?.message,
      retryable: refusal?.isRetryable,
    });
    swaps.stop();
  });
});

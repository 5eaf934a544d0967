import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { asId, type Address } from '../../../src/domain/ids.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
import { API_KEY_RECORDS, API_KEY_SPENDS } from '../../../src/services/api-keys/tables.ts';
import { TRANSACTIONS } from '../../../src/services/transactions/tables.ts';
import { outSince } from '../../../src/services/transactions/daily-out.ts';
import { aUserId } from '../../support/builders.ts';
import { aKeyRecord } from '../../support/worlds/key-record.ts';
import { POISONED_OFFERS } from '../../support/fakes/poisoned-offers.ts';
import {
  ARRIVAL,
  aWorld,
  DIAMOND,
  offerFor,
  OUT,
  reborn,
  REQUEST,
  SOLD_MICROS,
  USDC,
  USER,
  WALLET,
} from './swap-life.ts';

describe('a swap', () => {
  it('is approved exactly, sent once, and done when the other chain shows what arrived', async () => {
    const world = aWorld();
    const life = world.live();
    const { swapId } = await world.execute(life);
    await world.clock.advance(60_000);
    expect(life.swaps.get(USER, swapId)).toMatchObject({
      state: 'completed',
      received: OUT.toString(),
      receivedHash: ARRIVAL,
    });
    expect(world.rail.landed.size).toBe(2);
  });

  it('is not done by the statement of the router: what the chain does not show has not arrived', async () => {
    const world = aWorld();
    world.state.arrived = null;
    const life = world.live();
    const { swapId } = await world.execute(life);
    await world.clock.advance(3_600_000);
    expect(life.swaps.get(USER, swapId)?.state).toBe('following');
    world.state.arrived = OUT;
    await world.clock.advance(60_000);
    expect(life.swaps.get(USER, swapId)?.state).toBe('completed');
  });

  it('that cannot be proven in a day is given up with a line that the operator sees', async () => {
    const world = aWorld();
    world.state.arrived = null;
    const life = world.live();
    const { swapId } = await world.execute(life);
    await world.clock.advance(25 * 3_600_000);
    expect(life.swaps.get(USER, swapId)?.state).toBe('unproven');
    expect(
      world.log.lines.some(({ event, level }) => event === 'swap.unproven' && level === 'error'),
    ).toBe(true);
  });

  it.each([
    ['refunded', 'BASE', 'refunded'],
    ['partial', 'ARBITRUM', 'partial'],
    ['done', 'ARBITRUM', 'completed'],
  ] as const)(
    'that the router calls %s is %s when the chain of it bears it out',
    async (word, receivingChain, end) => {
      const world = aWorld();
      world.state.word = { ...world.state.word, state: word, receivingChain };
      if (word === 'refunded') world.state.word = { ...world.state.word, receivingHash: ARRIVAL };
      const life = world.live();
      const { swapId } = await world.execute(life);
      await world.clock.advance(60_000);
      const found = life.swaps.get(USER, swapId);
      // a refund is of a token: without its transfer in the receipt nothing has come back
      expect(found?.state).toBe(word === 'refunded' ? 'following' : end);
    },
  );

  it('is executed once: the same key gives the same swap, and a spent quote none', async () => {
    const world = aWorld();
    const life = world.live();
    const { quoteId } = await life.swaps.quote(USER, REQUEST);
    const run = (key: string) => {
      const answer = life.swaps.execute(USER, { quoteId, isFresh: false, key });
      answer.catch(() => undefined);
      return answer;
    };
    const [first, second] = [run('one'), run('two')];
    await world.clock.advance(10_000);
    const outcomes = await Promise.allSettled([first, second]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await world.clock.advance(60_000);
    expect(world.rail.landed.size).toBe(2);
    const again = run('one');
    await world.clock.advance(10_000);
    expect((await again).swapId).toBe((await first).swapId);
  });

  it('needs a quote that is its owner’s and still good', async () => {
    const world = aWorld();
    const life = world.live();
    const { quoteId } = await life.swaps.quote(USER, REQUEST);
    await expect(life.swaps.execute(aUserId(2), { quoteId, isFresh: true })).rejects.toMatchObject({
      code: 'not_found',
    });
    await world.clock.advance(60_000);
    await expect(life.swaps.execute(USER, { quoteId, isFresh: true })).rejects.toMatchObject({
      code: 'quote_expired',
    });
  });

  it('L5: counts by its worth against the limits of the API key it came by', async () => {
    const world = aWorld();
    const life = world.live();
    const keep = (orderUsdc: number) =>
      world.store.write((tx) =>
        tx.put(
          API_KEY_RECORDS,
          [USER, 'key_1'],
          aKeyRecord(USER, 'key_1', { orderUsdc: usdcMicros(orderUsdc) }, { scopes: ['swap'] }),
        ),
      );
    const { quoteId } = await life.swaps.quote(USER, REQUEST);
    const execute = () =>
      life.swaps.execute(USER, { quoteId, isFresh: true, keyId: 'key_1', key: 'once' });
    await keep(1_000_000);
    await expect(execute()).rejects.toMatchObject({ code: 'cap_exceeded' });
    expect(world.store.get(API_KEY_SPENDS, ['key_1'])).toBeNull();
    await keep(1_000_000_000);
    const executed = execute();
    await world.clock.advance(5_000);
    await executed;
    expect(world.store.get(API_KEY_SPENDS, ['key_1'])?.value.usdc).toBe(SOLD_MICROS);
  });

  it('L6: is kept in by a stop, and by a wallet that does not hold what is sold', async () => {
    const world = aWorld();
    const life = world.live();
    const { quoteId } = await life.swaps.quote(USER, REQUEST);
    world.state.isStopped = true;
    await expect(life.swaps.execute(USER, { quoteId, isFresh: true })).rejects.toMatchObject({
      code: 'trading_stopped',
    });
    world.state.isStopped = false;
    world.state.held = 24_999_999n;
    await expect(life.swaps.execute(USER, { quoteId, isFresh: true })).rejects.toMatchObject({
      code: 'insufficient_funds',
    });
    expect(world.rail.signatures).toBe(0);
  });

  it('L5: of eight at once over one wallet is taken in what the wallet can pay, and no more', async () => {
    const world = aWorld();
    world.state.held = 60_000_000n;
    const life = world.live();
    const quotes = await Promise.all(
      Array.from({ length: 8 }, () => life.swaps.quote(USER, REQUEST)),
    );
    const answers = quotes.map(({ quoteId }) =>
      life.swaps.execute(USER, { quoteId, isFresh: true, key: quoteId }),
    );
    const settled = Promise.allSettled(answers);
    await world.clock.advance(120_000);
    const refused = (await settled).flatMap((each) =>
      each.status === 'rejected' ? [each.reason] : [],
    );
    expect(refused).toHaveLength(6);
    expect(new Set(refused.map(({ code, retryable }) => `${code} ${retryable}`))).toEqual(
      new Set(['insufficient_funds true']),
    );
    expect(world.rail.landed.size).toBe(4);
    // what has ended reserves nothing
    await world.execute(life, true);
    await world.clock.advance(60_000);
    expect(world.rail.landed.size).toBe(6);
  });

  it('L5: is not promised the coin that others under way take for gas', async () => {
    const world = aWorld();
    // 210,000 gas and an approval's to take back, a fifth more, at three gwei
    world.state.wei = 972_000_000_000_000n;
    const life = world.live();
    const quotes = await Promise.all(
      [REQUEST, REQUEST].map((each) => life.swaps.quote(USER, each)),
    );
    const settled = Promise.allSettled(
      quotes.map(({ quoteId }) => life.swaps.execute(USER, { quoteId, isFresh: true })),
    );
    await world.clock.advance(30_000);
    expect((await settled).map(({ status }) => status).toSorted()).toEqual([
      'fulfilled',
      'rejected',
    ]);
  });

  it('that fails takes its right back, whenever it is killed', async () => {
    const ends: unknown[] = [];
    for (let step = 1; ; step += 1) {
      const world = aWorld();
      world.rail.revertingNonces.add(1);
      world.state.dieAfter = step;
      const first = world.live();
      void first.swaps
        .quote(USER, REQUEST)
        .then(({ quoteId }) => first.swaps.execute(USER, { quoteId, isFresh: true, key: 'k' }))
        .catch(() => undefined);
      await world.clock.advance(120_000);
      const isWhole = !world.killed();
      first.stop();
      const second = reborn(world);
      await world.clock.advance(120_000);
      second.stop();
      const made = world.store
        .range(TRANSACTIONS, { prefix: [USER] })
        .map(({ value }) => value)
        .toSorted((one, other) => one.place - other.place || one.createdAtMs - other.createdAtMs);
      ends.push(
        made.map(({ purpose, state, body }) => [
          purpose.kind,
          state,
          body.kind === 'calls' ? body.calls[0]?.data.slice(-8) : null,
        ]),
      );
      if (isWhole) break;
    }
    expect(ends.length).toBeGreaterThan(8);
    expect(new Set(ends.map((end) => inspect(end)))).toEqual(
      new Set([
        inspect([
          ['swap_approval', 'done', '017d7840'],
          ['swap', 'failed', '12345678'],
          ['swap_approval', 'done', '00000000'],
        ]),
      ]),
    );
  });

  it('L8: is refused as nothing but late while our own price is, and its quote stays good', async () => {
    const world = aWorld();
    const life = world.live();
    const { quoteId } = await life.swaps.quote(USER, REQUEST);
    world.state.isPriceLate = true;
    const late = { code: 'price_late', retryable: true, retryAfterMs: 3_000 };
    await expect(life.swaps.quote(USER, REQUEST)).rejects.toMatchObject(late);
    await expect(life.swaps.execute(USER, { quoteId, isFresh: false })).rejects.toMatchObject(late);
    expect((await life.swaps.estimate(USER, { quoteId, isFresh: false })).refusal).toMatchObject({
      code: 'price_late',
    });
    world.state.offer = (request) => ({ ...offerFor(request), spender: WALLET });
    await expect(life.swaps.quote(USER, REQUEST)).rejects.toMatchObject({ code: 'quote_refused' });
    world.state.isPriceLate = false;
    const executed = life.swaps.execute(USER, { quoteId, isFresh: false });
    await world.clock.advance(60_000);
    expect((await executed).state).toBe('queued');
  });

  it('of what the token itself calls too little is refused for that, not as an unsafe offer', async () => {
    const world = aWorld();
    const life = world.live();
    const { quoteId } = await life.swaps.quote(USER, REQUEST);
    const execute = () => life.swaps.execute(USER, { quoteId, isFresh: true });
    const reason = 'ERC20InsufficientBalance';
    world.state.simulation = { kind: 'reverted', reason, lacking: WALLET };
    await expect(execute()).rejects.toMatchObject({ code: 'insufficient_funds' });
    world.state.simulation = { kind: 'reverted', reason, lacking: asId<Address>(DIAMOND) };
    await expect(execute()).rejects.toMatchObject({ code: 'quote_refused' });
  });

  it('of what another one has taken since its wallet was read is refused for that, not as an unsafe offer', async () => {
    const world = aWorld();
    const life = world.live();
    const { quoteId } = await life.swaps.quote(USER, REQUEST);
    Object.defineProperty(world.state, 'simulation', {
      get() {
        world.state.held = 10_000_000n;
        return { kind: 'reverted', reason: 'TRANSFER_FROM_FAILED', lacking: null };
      },
    });
    await expect(life.swaps.execute(USER, { quoteId, isFresh: true })).rejects.toMatchObject({
      code: 'insufficient_funds',
      message: 'your wallet holds at most 10 USDC on BASE',
    });
  });

  it('L5: across chains counts in full, and beyond a day’s worth needs a fresh sign-in', async () => {
    const world = aWorld({ dailyOutUsd: 40 });
    const life = world.live();
    await world.execute(life);
    await world.clock.advance(60_000);
    const { quoteId } = await life.swaps.quote(USER, REQUEST);
    await expect(life.swaps.execute(USER, { quoteId, isFresh: false })).rejects.toMatchObject({
      code: 'fresh_sign_in_required',
    });
    expect(outSince(world.store, USER, 0)).toBe(SOLD_MICROS);
    await world.execute(life, true);
    await world.clock.advance(60_000);
    expect(world.rail.landed.size).toBe(4);
    expect(outSince(world.store, USER, 0)).toBe(2 * SOLD_MICROS);
    await world.clock.advance(86_400_000);
    expect(outSince(world.store, USER, world.clock.nowMs() - 3_600_000)).toBe(0);
  });

  it('L5: of eight at once and a start in between no more leave than the day lets', async () => {
    const world = aWorld({ dailyOutUsd: 80 });
    const life = world.live();
    const quotes = await Promise.all(
      Array.from({ length: 8 }, () => life.swaps.quote(USER, REQUEST)),
    );
    const answers = quotes.map(({ quoteId }) =>
      life.swaps.execute(USER, { quoteId, isFresh: false, key: quoteId }),
    );
    const settled = Promise.allSettled(answers);
    await world.clock.advance(30_000);
    expect((await settled).filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    life.stop();
    const second = reborn(world);
    const { quoteId } = await second.swaps.quote(USER, REQUEST);
    await expect(second.swaps.execute(USER, { quoteId, isFresh: false })).rejects.toMatchObject({
      code: 'fresh_sign_in_required',
    });
    await world.clock.advance(120_000);
    expect(world.rail.landed.size).toBe(6);
    second.stop();
  });
});

describe('a hostile router', () => {
  it.each(POISONED_OFFERS)('moves nothing by $name', async ({ poison }) => {
    const world = aWorld();
    world.state.offer = (request) => poison(offerFor(request));
    const life = world.live();
    await expect(life.swaps.quote(USER, REQUEST)).rejects.toMatchObject({ code: 'quote_refused' });
    expect(world.log.lines.map(({ event }) => event)).toContain('swap.offer_refused');
    await world.clock.advance(60_000);
    expect([world.rail.signatures, world.rail.landed.size]).toEqual([0, 0]);
  });

  it.each([
    ['draws more than is sold', 25_000_001n],
    ['draws nothing it says it does', 0n],
  ])('moves nothing by a call that %s when it is tried out', async (_name, amount) => {
    const world = aWorld();
    world.state.simulation = {
      kind: 'done',
      movements: [{ token: USDC, from: WALLET, to: asId<Address>(DIAMOND), amount }],
      approvals: [],
      gas: 210_000n,
    };
    const life = world.live();
    const { quoteId } = await life.swaps.quote(USER, REQUEST);
    await expect(life.swaps.execute(USER, { quoteId, isFresh: true })).rejects.toMatchObject({
      code: 'quote_refused',
    });
    expect(world.rail.signatures).toBe(0);
  });
});

describe('a crash at every durable step of a bridge', () => {
  it('L1: doubles nothing and loses nothing', async () => {
    const whole = aWorld();
    const life = whole.live();
    await whole.execute(life);
    await whole.clock.advance(120_000);
    const outcomes: unknown[] = [];
    let step = 1;
    for (; ; step += 1) {
      const world = aWorld();
      world.state.dieAfter = step;
      const first = world.live();
      void first.swaps
        .quote(USER, REQUEST)
        .then(({ quoteId }) => first.swaps.execute(USER, { quoteId, isFresh: false, key: 'k' }))
        .catch(() => undefined);
      await world.clock.advance(120_000);
      if (!world.killed()) break;
      first.stop();
      const second = reborn(world);
      await world.clock.advance(120_000);
      const { data } = second.swaps.list(USER, { limit: 10, cursor: null });
      outcomes.push([step, data.map(({ state }) => state), world.rail.landed.size]);
      second.stop();
    }
    expect(step).toBeGreaterThan(6);
    expect(outcomes).toEqual(
      Array.from({ length: step - 1 }, (_, index) => [index + 1, ['completed'], 2]),
    );
  });
});

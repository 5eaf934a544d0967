import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { asId, type Address, type SolanaAddress } from '../../../src/domain/ids.ts';
import type { Simulation } from '../../../src/ports/evm-account.ts';
import type { EvmReceipt } from '../../../src/ports/evm.ts';
import type { RouteOffer, RouteRequest, RouteStatus } from '../../../src/ports/router.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
import { API_KEY_RECORDS, API_KEY_SPENDS } from '../../../src/services/api-keys/tables.ts';
import { createCommit, type Commit } from '../../../src/services/commit.ts';
import { createSwaps } from '../../../src/services/swaps/swaps.ts';
import type { QuoteRequest } from '../../../src/services/swaps/swap-quoting.ts';
import { outSince } from '../../../src/services/transactions/daily-out.ts';
import { createTransactions } from '../../../src/services/transactions/transactions.ts';
import { aUserId, T0 } from '../../support/builders.ts';
import { aKeyRecord } from '../../support/worlds/key-record.ts';
import { FakeEvmRail } from '../../support/fakes/fake-rails.ts';
import { fakePrices } from '../../support/fakes/fake-token-data.ts';
import { POISONED_OFFERS } from '../../support/fakes/poisoned-offers.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../../support/quiet.ts';

const USER = aUserId(1);
const WALLET = asId<Address>('0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A');
const USDC = asId<Address>('0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913');
const ARRIVAL = `0x${'cd'.repeat(32)}`;
const DIAMOND = '0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE';
const OUT = 12_462_500_000_000_000n;
const REQUEST: QuoteRequest = {
  fromChain: 'BASE',
  toChain: 'ARBITRUM',
  sellTokenTicker: 'USDC',
  buyTokenTicker: 'ETH',
  sellToken: null,
  buyToken: null,
  amount: '25',
  walletType: null,
  slippageBps: 50,
  acceptUnpriced: false,
};

function offerFor({ amount, sender, receiver, sellToken, buyToken }: RouteRequest): RouteOffer {
  return {
    tool: 'across',
    fromChain: 'BASE',
    toChain: 'ARBITRUM',
    sellToken,
    buyToken,
    buyDecimals: 18,
    amount,
    sender,
    receiver,
    out: OUT,
    minimumOut: (OUT * 995n) / 1_000n,
    spender: DIAMOND,
    seconds: 30,
    fees: [],
    transaction: {
      kind: 'evm',
      chain: 'BASE',
      from: sender,
      to: DIAMOND,
      data: '0x12345678',
      valueWei: 0n,
    },
    call: {
      toChain: 'ARBITRUM',
      sellToken,
      buyToken,
      amount,
      minimumOut: (OUT * 995n) / 1_000n,
      receiver,
      refundTo: sender,
      callsOn: false,
    },
  };
}

function aWorld({ dailyOutUsd = 1_000 } = {}) {
  const clock = createVirtualClock(T0);
  const store = createMemoryStore();
  const rail = new FakeEvmRail(clock);
  const log = createKeptLog();
  const state = {
    offer: offerFor,
    held: 1_000_000_000n,
    /** What the chain shows to have arrived; null while nothing has. */
    arrived: OUT as bigint | null,
    word: {
      state: 'done',
      receivingChain: 'ARBITRUM',
      receivingHash: ARRIVAL,
      receivedToken: null,
    } as RouteStatus,
    simulation: {
      kind: 'done',
      movements: [{ token: USDC, from: WALLET, to: asId<Address>(DIAMOND), amount: 25_000_000n }],
      approvals: [],
    } as Simulation,
    isStopped: false,
    /** After so many commits nothing goes on: the process is dead. */
    dieAfter: Number.POSITIVE_INFINITY,
  };
  const unused = (): never => {
    throw new Error('not asked for here');
  };
  const evm = {
    chainId: 8_453,
    head: unused,
    call: unused,
    hasCode: unused,
    shares: unused,
    logs: unused,
    balances: async () => ({ wei: 0n, tokens: [state.held] }),
    receipt: async (hash: string): Promise<EvmReceipt | null> =>
      state.arrived === null
        ? null
        : {
            transactionHash: hash as `0x${string}`,
            succeeded: true,
            blockNumber: 1,
            confirmations: 9,
            logs: [],
          },
  };
  const accounts = {
    nonce: unused,
    fees: unused,
    gas: unused,
    send: unused,
    simulate: async () => state.simulation,
    coinChange: async () => state.arrived,
    allowance: async () => 0n,
  };
  let lives = 0;
  let commits = 0;
  const live = () => {
    lives += 1;
    const own = lives;
    const durable = createCommit({ store, bus: createKeptBus(), metrics: createKeptMetrics() });
    const commit: Commit = async (change, whenDurable) => {
      if (own !== lives || commits >= state.dieAfter) return new Promise(() => undefined);
      const result = await durable(change, whenDurable);
      commits += 1;
      return own !== lives || commits >= state.dieAfter ? new Promise(() => undefined) : result;
    };
    const shared = { store, commit, clock, log, metrics: createKeptMetrics() };
    const random = createSeededRandom(`swaps ${own}`);
    const transactions = createTransactions<EvmReceipt>({
      ...shared,
      random,
      rails: [rail],
      books: { verdict: () => ({ state: 'done', reason: null }), close: () => undefined },
    });
    const swaps = createSwaps({
      ...shared,
      random,
      transactions,
      marketClock: clock,
      router: {
        offer: async (request) => state.offer(request),
        status: async () => state.word,
      },
      sides: {
        router: { token: async () => null },
        search: async () => ({ found: [], readAtMs: 0 }),
      },
      prices: fakePrices(() => ({ priceE18: 2_000n * 10n ** 18n, atMs: T0 })),
      walletsOf: () => ({ evm: WALLET, safe: WALLET, solana: asId<SolanaAddress>('s') }),
      nodesOf: (chain) => (chain === 'SOLANA' ? null : { kind: 'evm', evm, accounts }),
      targets: [DIAMOND],
      programs: [],
      cashAccountOf: () => null,
      assertMayLeave() {
        if (state.isStopped) throw new AppError('trading_stopped', 'stopped');
      },
      dailyOutMicros: dailyOutUsd * 1_000_000,
    });
    return {
      swaps,
      recover() {
        transactions.recover();
        swaps.recover();
      },
      stop() {
        swaps.stop();
        transactions.stop();
      },
    };
  };
  const execute = async (life: ReturnType<typeof live>, isFresh = false) => {
    const { quoteId } = await life.swaps.quote(USER, REQUEST);
    const answer = life.swaps.execute(USER, { quoteId, isFresh, key: `key ${quoteId}` });
    await clock.advance(5_000);
    return answer;
  };
  return { clock, store, rail, log, state, live, execute, killed: () => commits >= state.dieAfter };
}

/** What the request sells, at a dollar a USDC. */
const SOLD_MICROS = 25_000_000;

/** Another life, as a start after a crash has it. */
function reborn(world: ReturnType<typeof aWorld>) {
  world.state.dieAfter = Number.POSITIVE_INFINITY;
  const life = world.live();
  life.recover();
  return life;
}

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

  it('is not done by the word of the router: what the chain does not show has not arrived', async () => {
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

  it('that nobody can prove in a day is given up with a line that the operator sees', async () => {
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

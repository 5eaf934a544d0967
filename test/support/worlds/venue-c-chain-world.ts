import { parseAbiItem, type Hex } from 'viem';
import { venueSettings } from '../../../config/profiles/venues.ts';
import { POLYGON_CHAIN } from '../../../config/profiles/profile.ts';
import { createEvmAccounts } from '../../../src/adapters/evm/evm-account.ts';
import { createEvmChain } from '../../../src/adapters/evm/evm-chain.ts';
import { createEvmRail } from '../../../src/adapters/evm/evm-rail.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { createWalletAddresses } from '../../../src/adapters/safe-relayer/derive.ts';
import { loadKeccak } from '../../../src/adapters/wire/keccak.ts';
import { NETWORK } from '../../../src/adapters/wire/transport.ts';
import { chainClients } from '../../../src/app/chains.ts';
import { lateTransactions } from '../../../src/app/late-transactions.ts';
import { asId, type UserId } from '../../../src/domain/ids.ts';
import { priceTicks, shareMicros, TICKS_PER_USD } from '../../../src/domain/units.ts';
import type { EvmReceipt } from '../../../src/ports/evm.ts';
import { startChainGate } from '../../../src/sandbox/chains/evm/chain-gate.ts';
import { takeBack } from '../../../src/sandbox/chains/evm/transaction-faults.ts';
import type { FaultBoard } from '../../../src/sandbox/faults.ts';
import { VENUE_C_CHAIN } from '../../../src/sandbox/venues/venue-c/chain-addresses.ts';
import { reportMarket } from '../../../src/sandbox/venues/venue-c/chain/conditions.ts';
import { makerAccount } from '../../../src/sandbox/venues/venue-c/chain/maker-account.ts';
import type { VenueMarket } from '../../../src/sandbox/venues/venue-c/model/market.ts';
import { MAKER_ID, type OrderType } from '../../../src/sandbox/venues/venue-c/model/order.ts';
import { createTransactionBooking } from '../../../src/services/funding/transaction-closing.ts';
import { assertMaySign } from '../../../src/services/funding/stopped-money.ts';
import { createVenueClosings } from '../../../src/services/funding/venue-closing.ts';
import { createTransactions } from '../../../src/services/transactions/transactions.ts';
import { POOL } from '../../../src/venues/venue-c/id.ts';
import { venueC } from '../../../src/venues/venue-c/venue.ts';
import type { OtherOrder, VenueWorld } from '../../contracts/venue/fixture.ts';
import type { PoolUser, PoolWorld } from '../../sandbox/venues/venue-c/a-venue.ts';
import {
  poolQuestion,
  startAmmChain,
  type AmmChain,
  type ListedPool,
} from '../../sandbox/venues/venue-c/an-amm-chain.ts';
import { aMarket, aUserId } from '../builders.ts';
import { startPacedClock } from '../clocks/paced-clock.ts';
import { vaultOf } from '../known-keys.ts';
import { createKeptMetrics } from '../quiet.ts';
import { createPoolMover, type PoolMover } from './pool-mover.ts';

const CONDITION_RESOLVED = parseAbiItem(
  'event ConditionResolution(bytes32 indexed conditionId, address indexed oracle, bytes32 indexed questionId, uint256 outcomeSlotCount, uint256[] payoutNumerators)',
);
/** Of the sandbox's venue that tests start. */
const SEED = 7;
/** Times as fast as life, unless it is said. */
const SPEED = 10;
const USER = aUserId(1);
/** What another trader has, who moves a pool as far as tests ask for, dollars. */
const TRADER_HAS = '100000';
/** What a pool begins at in tests that trade it: orders that rest below are not met. */
const BEGINS_AT = 0.5;
/** The last transaction is final by then, and its money seen: some blocks and a question. */
const POOL_AGREED_MS = 15_000;

/** What only this world can do. */
export interface VenueCChainWorld extends VenueWorld {
  readonly faults: FaultBoard;
  readonly on: AmmChain;
  readonly user: PoolUser;
  /** Of each user: the first one and the others. */
  userOf(userId: UserId): PoolUser;
  readonly listed: VenueMarket;
  /** The pool that is traded with; null where the market has an order book. */
  readonly pool: `0x${string}` | null;
  /** What its outcomes pay, parts of a million; null while it is open. */
  payouts(): readonly [number, number] | null;
  /** Ends the market: payouts of Yes and No, parts of a million. */
  end(payouts: readonly [number, number]): void;
  /**
   * Takes back the block in which the chain learned the market's end, and those on top: what came
   * after it is carried out again without it.
   */
  endTakenBack(): Promise<void>;
  /** Reports the market's end to the chain once more. */
  reported(): Promise<void>;
  /** Resolves once servers and node are gone; they go once. */
  closed(): Promise<void>;
}

/**
 * venue_c's row before the sandbox's venue behind its servers and a node of chain 8453, faults on
 * the way: the wallet holds all money, and the service's own queues carry its transactions. Time
 * passes by itself. `others` are users who begin as the first does,
 * `speed` says how many times as fast as life it passes.
 */
export async function createVenueCChainWorld(
  mechanism: 'order_book' | 'pool',
  {
    others = [],
    speed = SPEED,
  }: { readonly others?: readonly UserId[]; readonly speed?: number } = {},
): Promise<VenueCChainWorld> {
  const clock = startPacedClock(Date.now(), speed);
  const on = await startAmmChain({ makers: false, clock });
  clock.restWith(() => on.node.client.getChainId());
  const venue = await on.open();
  const { exchange, beforeTransaction } = venue.open;
  const { faults } = venue.shared;
  const pool = mechanism === 'pool' ? await poolQuestion(venue) : null;
  const failing = { isNext: false };
  const gate = await startChainGate({
    node: on.node,
    faults,
    clock,
    before: [
      ...(beforeTransaction === undefined ? [] : [beforeTransaction]),
      // behind the venue's own: what is armed here meets the same bytes when they come again
      async ({ to }) => {
        if (!failing.isNext || to?.toLowerCase() !== pool?.address.toLowerCase()) return;
        failing.isNext = false;
        faults.arm('block-taken-back', { times: 1, delayMs: 3_000 });
        faults.arm('pool-moved', { times: 1 });
      },
    ],
  });
  const user = await venue.user('1000');
  const users = new Map([[USER, user]]);
  for (const userId of others) users.set(userId, await venue.user('1000'));
  const listed =
    pool === null
      ? exchange.markets().find(({ window, tradeType }) => window === null && tradeType === 'clob')
      : exchange.market(pool.slug);
  if (listed === undefined || listed === null) throw new Error('a question is open');
  const keccak = await loadKeccak();
  const vault = await vaultOf(
    keccak,
    [...users].map(([userId, { key }]) => ({ userId, privateKey: key })),
  );
  const mover = pool === null ? null : await moverOf(on, venue, pool);
  const store = createMemoryStore();
  /** Who has no shares sells an outcome by buying the other one: both are made of the money. */
  const other = ({ tokenId, side, price, shares }: OtherOrder, type: OrderType): void => {
    const isFirst = (tokenId === listed.tokens[0]) === (side === 'buy');
    exchange.quote(listed, {
      clientOrderId: null,
      ownerId: MAKER_ID,
      account: makerAccount(SEED).address,
      slug: listed.slug,
      outcome: isFirst ? 0 : 1,
      side: 'buy',
      type,
      price: side === 'buy' ? price : TICKS_PER_USD - price,
      originalMicros: shares * 1_000_000,
      postOnly: false,
      selfTrade: 'cancel_taker',
      signed: null,
    });
  };
  let closing: Promise<void> | null = null;
  async function closeAll(): Promise<void> {
    await gate.close();
    await venue.close();
    await on.close();
    await clock.stop();
  }
  function closed(): Promise<void> {
    closing ??= closeAll();
    return closing;
  }
  const own = { conditionId: listed.conditionId };
  /** What a process of that name has of the chain. */
  const carriers = new Map<string, Carrier>();
  let paid: readonly [number, number] | null = null;
  return {
    row: venueC,
    faults,
    on,
    user,
    userOf(userId) {
      const found = users.get(userId);
      if (found === undefined) throw new Error(`${userId} trades here`);
      return found;
    },
    listed,
    pool: pool?.address ?? null,
    clock,
    userId: USER,
    market: aMarket(1, {
      venue: venueC.id,
      marketId: asId(listed.slug),
      slug: listed.slug,
      question: listed.title,
      outcomes: [
        { tokenId: listed.tokens[0], label: 'Yes' },
        { tokenId: listed.tokens[1], label: 'No' },
      ],
      own:
        pool === null
          ? {
              ...own,
              tradeType: 'clob',
              exchange: VENUE_C_CHAIN.exchange,
              adapter: null,
              negRiskRequestId: null,
            }
          : { ...own, tradeType: 'amm', address: pool.address },
      ...(pool === null ? {} : { mechanism: POOL }),
      tickSize: priceTicks(10),
      minSize: shareMicros(1_000),
      fee: null,
      endsAtMs: listed.endsAtMs,
    }),
    pricedBy: mover === null ? 'orders' : 'curve',
    ...(mover === null ? {} : { agreedAfterMs: POOL_AGREED_MS }),
    quote: (order) => (mover === null ? other(order, 'GTC') : mover.move(order)),
    take: (order) => (mover === null ? other(order, 'FAK') : mover.move(order)),
    garbleFrame: null,
    befall(accident) {
      if (pool !== null)
        faults.arm(accident === 'lost' ? 'nonce-gap' : 'evm-answer-lost', { times: 1 });
      else
        faults.arm(accident === 'lost' ? 'refused-silently' : 'lost-ack', {
          times: 1,
          match: { path: '/orders' },
        });
    },
    /** Of a pool: the block is taken back, and the pool has moved when its bytes come again. */
    failTrade() {
      if (pool === null) faults.arm('ghost-fill', { times: 1 });
      else failing.isNext = true;
    },
    resolve: ([first]) => exchange.endEarly(listed, first > 0 ? 0 : 1),
    payouts: () => paid,
    end(payouts) {
      const [first] = payouts;
      paid = payouts;
      if (first === 500_000)
        faults.arm('market-voided', { times: 1, match: { marketId: listed.slug } });
      exchange.endEarly(listed, first > 0 ? 0 : 1);
    },
    async endTakenBack() {
      const { client } = on.node;
      const [report] = await client.getLogs({
        address: VENUE_C_CHAIN.conditionalTokens,
        event: CONDITION_RESOLVED,
        args: { conditionId: listed.conditionId as Hex }, // the sandbox made it: a hash
        fromBlock: 0n,
      });
      if (report === undefined) throw new Error('the end is known to the chain');
      const { from } = await client.getTransaction({ hash: report.transactionHash });
      await takeBack(on.node, { hash: report.transactionHash, from });
    },
    async reported() {
      if (paid !== null) await reportMarket(on.chain, listed, paid);
    },
    async open(ownClock, life) {
      const metrics = createKeptMetrics();
      const about = { chainId: 8_453, rpcUrl: gate.url, metrics };
      const death = { isDead: false };
      const evm = whileAlive(createEvmChain(about), death);
      const accounts = whileAlive(createEvmAccounts(about), death);
      const transactions = lateTransactions();
      const settings = venueSettings({}, { runs: 'test' });
      const opened = await venueC.open(
        {
          store,
          vault,
          keccak,
          wallets: createWalletAddresses(keccak, POLYGON_CHAIN.wallets),
          random: createSeededRandom(life),
          transport: NETWORK,
          chain: chainClients({ evm: { BASE: evm }, evmAccounts: { BASE: accounts } }),
          transactions,
          clock: ownClock,
          wallClock: ownClock,
          metrics,
        },
        settings({ venues: { venue_c: venue.open.urls } })['venue_c'],
      );
      carriers.set(life, { evm, accounts, join: transactions.join });
      return {
        ...opened,
        async close() {
          death.isDead = true;
          await opened.close();
        },
      };
    },
    carry({ name, store: books, commit, clock: ownClock, log }) {
      const carrier = carriers.get(name);
      if (carrier === undefined) throw new Error(`the venue is open in ${name}`);
      const { evm, accounts, join } = carrier;
      const metrics = createKeptMetrics();
      const queues = createTransactions<EvmReceipt>({
        store: books,
        commit,
        rails: [
          createEvmRail({
            chain: 'BASE',
            evm,
            accounts,
            vault,
            loadKeys: async () => undefined,
            assertMaySign: (record) => assertMaySign(books, record),
            metrics,
          }),
        ],
        books: createTransactionBooking({
          venue: createVenueClosings({ clock: ownClock, marketClock: ownClock }),
        }),
        clock: ownClock,
        random: createSeededRandom(`${name} transactions`),
        log,
        metrics,
      });
      join(queues);
      queues.recover();
      return queues;
    },
    close: closed,
    closed,
  };
}

/** Another trader at a pool, which is moved to where tests begin. */
async function moverOf(on: AmmChain, venue: PoolWorld, pool: ListedPool): Promise<PoolMover> {
  const trader = await venue.user(TRADER_HAS);
  await on.allow(trader, pool.address);
  const mover = createPoolMover(on, trader, pool);
  await mover.moveTo(BEGINS_AT);
  return mover;
}

interface Carrier {
  readonly evm: ReturnType<typeof createEvmChain>;
  readonly accounts: ReturnType<typeof createEvmAccounts>;
  readonly join: ReturnType<typeof lateTransactions>['join'];
}

const NO_ANSWER = new Promise<never>(() => undefined);

/** The same calls, which a process that is gone neither makes nor hears. */
function whileAlive<T extends object>(calls: T, death: { readonly isDead: boolean }): T {
  return new Proxy(calls, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return async (...given: readonly unknown[]): Promise<unknown> => {
        if (death.isDead) return NO_ANSWER;
        const answer: unknown = await Reflect.apply(value, target, given);
        return death.isDead ? NO_ANSWER : answer;
      };
    },
  });
}

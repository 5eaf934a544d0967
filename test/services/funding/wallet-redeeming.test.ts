import { beforeEach, describe, expect, it } from 'vitest';
import { REDEEM } from '../../../config/limits/funds.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { asId, type Address, type TradeId } from '../../../src/domain/ids.ts';
import { depositEntry, fillEntry, settleEntry } from '../../../src/domain/ledger-entries.ts';
import type { OutcomeIndex } from '../../../src/domain/market.ts';
import { foldFill } from '../../../src/domain/position-fold.ts';
import { shareMicros, usdcMicros } from '../../../src/domain/units.ts';
import type { EvmReceipt } from '../../../src/ports/evm.ts';
import {
  balanceOf,
  postToLedger,
  putPosition,
  riskOf,
} from '../../../src/services/books/record-changes.ts';
import { OPEN_POSITIONS, POSITIONS, TRADED_MARKETS } from '../../../src/services/books/tables.ts';
import { createCommit } from '../../../src/services/commit.ts';
import { createRedemptions } from '../../../src/services/funding/redemptions.ts';
import { REDEMPTIONS } from '../../../src/services/funding/tables.ts';
import { createTransactionBooking } from '../../../src/services/funding/transaction-closing.ts';
import { createVenueClosings } from '../../../src/services/funding/venue-closing.ts';
import { walletRedeeming } from '../../../src/services/funding/wallet-redeeming.ts';
import { createNotificationLog } from '../../../src/services/notifications/notification-log.ts';
import { NOTIFICATIONS } from '../../../src/services/notifications/tables.ts';
import { createPortfolio } from '../../../src/services/portfolio/portfolio.ts';
import { TRANSACTIONS } from '../../../src/services/transactions/tables.ts';
import { createTransactions } from '../../../src/services/transactions/transactions.ts';
import { aMarket, aUserId, T0 } from '../../support/builders.ts';
import { transferLog } from '../../support/fakes/fake-chain-logs.ts';
import { FakeEvmRail } from '../../support/fakes/fake-rails.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../../support/quiet.ts';
import { aFill } from '../../support/worlds/money-records.ts';
import { brokenLaws } from '../../support/worlds/trading-world.ts';
import { VENUE_A_TERMS } from '../../support/venue-a-terms.ts';
import { VENUE_A } from '../../support/venue-ids.ts';

const USER = aUserId(1);
const WALLET = asId<Address>(`0x${'ab'.repeat(20)}`);
const [USDC, CONDITIONS] = ['c0', '4d'].map((byte) => asId<Address>(`0x${byte.repeat(20)}`)) as [
  Address,
  Address,
];
const MARKET = aMarket(1);
const SHARES = 20_000_000;

/** A venue whose winners redeem in their own wallets, over a chain in memory. */
function begin() {
  const clock = createVirtualClock(T0);
  const store = createMemoryStore();
  const log = createKeptLog();
  const metrics = createKeptMetrics();
  const commit = createCommit({
    store,
    bus: createKeptBus(),
    metrics,
    follow: createNotificationLog({ wallClock: clock, log }),
  });
  const rail = new FakeEvmRail(clock);
  const chain = {
    isDecided: true,
    /** What a redemption pays, micros. */
    pays: SHARES,
    problems: [] as string[],
    held: new Map<string, number>([[MARKET.outcomes[0].tokenId, SHARES]]),
  };
  const status = rail.status.bind(rail);
  rail.status = async (record) => {
    const read = await status(record);
    if (read.kind !== 'confirmed' || read.receipt === null) return read;
    const paid = transferLog(USDC, CONDITIONS, { to: WALLET, amount: BigInt(chain.pays) });
    const about = { blockNumber: 1, transactionHash: read.receipt.transactionHash, logIndex: 0 };
    const logs = chain.pays === 0 ? [] : [{ ...paid, ...about }];
    return { kind: 'confirmed', receipt: { ...read.receipt, logs } };
  };
  const transactions = createTransactions<EvmReceipt>({
    store,
    commit,
    rails: [rail],
    books: createTransactionBooking({ venue: createVenueClosings({ clock, marketClock: clock }) }),
    clock,
    random: createSeededRandom('redeeming'),
    log,
    metrics,
  });
  const account = walletRedeeming({
    id: VENUE_A,
    cashAccount: 'usdc:base',
    accounts: {
      open: async () => undefined,
      deposits: async () => [],
      collateral: async () => usdcMicros(0),
      missing: async () => chain.problems,
      wallet: {
        holdings: async (_userId, known) => ({
          usdc: usdcMicros(0),
          tokens: new Map(known.map((id) => [id, shareMicros(chain.held.get(id) ?? 0)])),
        }),
        history: () => Promise.reject(new Error('not asked')),
      },
    },
    redeemer: {
      walletOf: async () => WALLET,
      isDecided: async () => chain.isDecided,
      call: async () => ({ to: CONDITIONS, data: '0x01', valueWei: 0n }),
      token: USDC,
    },
  });
  if (account === null) return expect.unreachable('the venue redeems in wallets');
  const redemptions = createRedemptions({
    store,
    commit,
    transactions,
    account,
    clock,
    marketClock: clock,
    log,
  });
  const portfolio = createPortfolio({
    store,
    commit,
    updates: { announce: () => undefined },
    clock,
    log,
    metrics,
    venues: {
      of: () => ({ funds: redemptions }),
      trading: () => VENUE_A_TERMS,
      cashAccountOf: () => 'usdc:base',
    },
  });
  const own = { userId: USER, cashAccount: 'usdc:base', marketId: MARKET.marketId } as const;
  const buy = (outcome: OutcomeIndex): Promise<void> =>
    commit((tx) => {
      const fill = aFill({
        ...own,
        tradeId: asId<TradeId>(`t${outcome}`),
        tokenId: MARKET.outcomes[outcome].tokenId,
        outcome,
        shares: shareMicros(SHARES),
        usdc: usdcMicros(10_000_000),
        fee: usdcMicros(0),
      });
      tx.put(TRADED_MARKETS, [MARKET.marketId], MARKET);
      postToLedger(tx, USER, fillEntry(fill, T0));
      postToLedger(tx, USER, settleEntry(fill, T0));
      putPosition(tx, null, foldFill(null, fill, { market: MARKET, agentId: null }), T0);
    });
  const start = (): Promise<unknown> =>
    commit((tx) =>
      postToLedger(
        tx,
        USER,
        depositEntry({ ...own, transferId: 'in', usdc: usdcMicros(100_000_000), atMs: T0 }),
      ),
    );
  const resolve = (payoutTicks: readonly [number, number]) =>
    portfolio.recordResolution({ marketId: MARKET.marketId, payoutTicks, resolvedAtMs: T0 });
  const cash = () => balanceOf(store, USER, 'usdc:base').settled;
  const states = () => store.range(POSITIONS).map(({ value }) => value.state);
  const sent = () => store.range(TRANSACTIONS).map(({ value }) => value);
  const newest = () => sent().toSorted((a, b) => b.place - a.place)[0];
  /** The chain takes the block of the newest redemption back, and carries it out again, or not. */
  const takenBack = async ({ fails = true } = {}) => {
    const attempts = newest()?.attempts ?? [];
    const [{ bound } = { bound: null }] = attempts;
    if (bound?.kind !== 'nonce') return expect.unreachable('an EVM account counts');
    rail.takeBack(
      WALLET,
      bound.nonce,
      attempts.map(({ id }) => id),
    );
    if (fails) rail.reverting.add(WALLET);
    else rail.reverting.delete(WALLET);
    for (let times = 0; times < 2; times += 1) {
      await clock.advance(20_000);
      await transactions.askAgain(USER, 'BASE');
    }
    rail.reverting.delete(WALLET);
  };
  /** What its user is notified of, once each. */
  const notified = () =>
    store
      .range(NOTIFICATIONS, { prefix: [USER] })
      .map(({ value: { facts } }) => facts)
      .filter(({ kind }) => kind.startsWith('position') || kind.startsWith('payout'));
  return {
    newest,
    takenBack,
    notified,
    clock,
    store,
    rail,
    chain,
    redemptions,
    portfolio,
    buy,
    start,
    resolve,
    cash,
    states,
    sent,
  };
}

let world: ReturnType<typeof begin>;
beforeEach(async () => {
  world = begin();
  await world.start();
  await world.buy(0);
});

describe('a position in a wallet of the user that won', () => {
  it('is redeemed by itself, by a transaction of the account, and paid once by what that brought', async () => {
    const { clock, store, portfolio, resolve, cash, states, sent, redemptions } = world;
    await resolve([10_000, 0]);
    expect(await portfolio.payOut(MARKET.marketId)).toBe(false);
    expect(states()).toEqual(['redeeming']);
    await redemptions.redeem(USER, MARKET.marketId);
    await clock.advance(20_000);
    expect([states(), await portfolio.payOut(MARKET.marketId), cash()]).toEqual([
      ['redeemed'],
      true,
      110_000_000,
    ]);
    expect(sent().map(({ account, purpose, state }) => [account.chain, purpose, state])).toEqual([
      [
        'BASE',
        {
          owner: 'venue',
          kind: 'venue_redemption',
          data: {
            venue: VENUE_A,
            side: 'sell',
            marketId: MARKET.marketId,
            cashAccount: 'usdc:base',
            token: USDC,
          },
        },
        'done',
      ],
    ]);
    expect(brokenLaws(store, USER)).toEqual([]);
  });

  it('of a voided market gets for both outcomes what the chain pays', async () => {
    const { clock, store, portfolio, resolve, cash, states, buy } = world;
    await buy(1);
    await resolve([5_000, 5_000]);
    await portfolio.payOut(MARKET.marketId);
    await clock.advance(20_000);
    expect([states(), cash()]).toEqual([['redeemed', 'redeemed'], 100_000_000]);
    expect(store.range(OPEN_POSITIONS)).toEqual([]);
    expect(brokenLaws(store, USER)).toEqual([]);
  });

  it('waits for the chain to know the end, and is claimed on request once it does', async () => {
    const { clock, chain, redemptions, resolve, sent } = world;
    chain.isDecided = false;
    await resolve([10_000, 0]);
    expect(await redemptions.claim(USER)).toMatchObject([{ state: 'waiting', usdc: SHARES }]);
    chain.isDecided = true;
    const claims = redemptions.claim(USER, MARKET.marketId);
    await clock.advance(20_000);
    expect(await claims).toMatchObject([{ state: 'redeemed', usdc: SHARES }]);
    expect(sent()).toHaveLength(1);
  });

  it('sends nothing while its wallet cannot pay the network, and says what is missing', async () => {
    const { chain, redemptions, resolve, sent } = world;
    chain.problems = ['not enough ETH for gas'];
    await resolve([10_000, 0]);
    await expect(redemptions.claim(USER)).rejects.toMatchObject({
      code: 'wallet_not_ready',
      message: 'not enough ETH for gas',
      retryable: true,
    });
    await redemptions.redeem(USER, MARKET.marketId);
    expect(sent()).toEqual([]);
  });

  it('is tried again where it brought nothing, and ends as gone once the wallet holds none', async () => {
    const { clock, chain, portfolio, resolve, cash, states, sent, store } = world;
    chain.pays = 0;
    await resolve([10_000, 0]);
    await portfolio.payOut(MARKET.marketId);
    await clock.advance(20_000);
    expect([states(), sent().map(({ reason }) => reason)]).toEqual([
      ['resolved'],
      ['executed without a payout'],
    ]);
    chain.held.clear();
    for (let times = 0; times < 2; times += 1) {
      await clock.advance(REDEEM.goneAfterMs);
      await portfolio.payOut(MARKET.marketId);
    }
    expect([states(), cash(), sent().length]).toEqual([['removed'], 90_000_000, 1]);
    expect(store.range(REDEMPTIONS)).toEqual([]);
  });
});

describe('a redemption whose block was taken back', () => {
  const paid = async () => {
    await world.resolve([10_000, 0]);
    await world.portfolio.payOut(MARKET.marketId);
    await world.clock.advance(20_000);
    expect([world.states(), world.cash()]).toEqual([['redeemed'], 110_000_000]);
  };

  it('L4: and that fails then leaves the books once, notified, with its shares to be claimed; a later one pays once', async () => {
    const { clock, store, chain, cash, states, redemptions, takenBack, notified, sent } = world;
    await paid();
    await takenBack();
    expect([states(), cash(), sent().map(({ state }) => state)]).toEqual([
      ['resolved'],
      90_000_000,
      ['failed'],
    ]);
    const position = store.get(POSITIONS, [USER, MARKET.outcomes[0].tokenId])?.value;
    expect(position).toMatchObject({
      shares: SHARES,
      costUsdc: 10_000_000,
      realizedPnl: 0,
      closedAtMs: null,
    });
    expect([riskOf(store, USER).realisedUsdc, brokenLaws(store, USER)]).toEqual([0, []]);
    chain.pays = SHARES;
    const claims = redemptions.claim(USER, MARKET.marketId);
    await clock.advance(20_000);
    expect(await claims).toMatchObject([{ state: 'redeemed', usdc: SHARES }]);
    expect([states(), cash()]).toEqual([['redeemed'], 110_000_000]);
    expect(notified()).toMatchObject([
      { kind: 'position_redeemed', paidUsdc: SHARES },
      { kind: 'payout_taken_back' },
      // what was taken back is not in it
      { kind: 'position_redeemed', paidUsdc: SHARES },
    ]);
    expect(brokenLaws(store, USER)).toEqual([]);
  });

  it('is claimed again by itself', async () => {
    const { clock, cash, states, portfolio, takenBack, sent } = world;
    await paid();
    await takenBack();
    await clock.advance(REDEEM.retryMaximumMs);
    await portfolio.payOut(MARKET.marketId);
    await clock.advance(20_000);
    expect([states(), cash(), sent().length]).toEqual([['redeemed'], 110_000_000, 2]);
  });

  it('and that is carried out again stays as it is booked', async () => {
    const { cash, states, takenBack, notified } = world;
    await paid();
    await takenBack({ fails: false });
    expect([states(), cash()]).toEqual([['redeemed'], 110_000_000]);
    expect(notified().map(({ kind }) => kind)).toEqual(['position_redeemed']);
  });

  it('takes what it brought beyond the books with it, and is booked again where it is carried out after all', async () => {
    const { store, chain, cash, states, takenBack, resolve, portfolio, clock, newest } = world;
    chain.pays = SHARES + 3_000_000;
    await resolve([10_000, 0]);
    await portfolio.payOut(MARKET.marketId);
    await clock.advance(20_000);
    expect([states(), cash()]).toEqual([['redeemed'], 113_000_000]);
    await takenBack();
    expect([states(), cash()]).toEqual([['resolved'], 90_000_000]);
    await takenBack({ fails: false });
    expect([states(), cash(), newest()?.state]).toEqual([['redeemed'], 113_000_000, 'done']);
    await takenBack();
    expect([states(), cash(), newest()?.state]).toEqual([['resolved'], 90_000_000, 'failed']);
    expect(brokenLaws(store, USER)).toEqual([]);
  });
});

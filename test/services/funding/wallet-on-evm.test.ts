import { describe, expect, it } from 'vitest';
import { EVM_WALLET } from '../../../config/limits/chain.ts';
import { WALLET } from '../../../config/limits/funds.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createEvmWalletReads } from '../../../src/adapters/evm/wallet-reads.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { chainAccountOf } from '../../../src/domain/cash.ts';
import type { FillRecord } from '../../../src/domain/fill.ts';
import { asId, type Address, type TradeId, type UserId } from '../../../src/domain/ids.ts';
import { shareMicros, usdcMicros } from '../../../src/domain/units.ts';
import type { TransactionPurpose } from '../../../src/domain/transaction-purpose.ts';
import type { Hex } from '../../../src/ports/evm.ts';
import { balanceOf, postToLedger } from '../../../src/services/books/record-changes.ts';
import { depositEntry, fillEntry, settleEntry } from '../../../src/domain/ledger-entries.ts';
import { FILLS, OPEN_ORDERS, ORDERS } from '../../../src/services/books/tables.ts';
import { createCommit } from '../../../src/services/commit.ts';
import { ARRIVALS, WALLET_MARKS } from '../../../src/services/funding/tables.ts';
import { createWalletCash } from '../../../src/services/funding/wallet-cash.ts';
import {
  newTransaction,
  putTransaction,
} from '../../../src/services/transactions/transaction-records.ts';
import { anAttempt } from '../../support/attempts.ts';
import { aMarket, aUserId, T0 } from '../../support/builders.ts';
import { FakeChain } from '../../support/fakes/fake-chain.ts';
import { EXCHANGE, transferLog } from '../../support/fakes/fake-chain-logs.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../../support/quiet.ts';
import { aFill, anOrder } from '../../support/worlds/money-records.ts';
import { CONTRACTS } from '../../support/worlds/money-world.ts';
import { VENUE_A } from '../../support/venue-ids.ts';

const USER = aUserId(1);
const POOL = asId<Address>(`0x${'ef'.repeat(20)}`);
const WALLET_ADDRESS = asId<Address>(`0x${'ab'.repeat(20)}`);
const MARKET = aMarket(1);
const { tokenId: TOKEN } = MARKET.outcomes[0];
const USDC = CONTRACTS.collateral;

/** A user's wallet on Base before a chain in memory, and what reads it. */
function begin() {
  const clock = createVirtualClock(T0);
  const store = createMemoryStore();
  const chain = new FakeChain(clock, CONTRACTS);
  const log = createKeptLog();
  /** Whether own transactions that have ended are sent again, or taken back. */
  const ended = { areMoving: false, asked: 0, changed: [] as readonly string[] };
  const deps = {
    store,
    commit: createCommit({ store, bus: createKeptBus(), metrics: createKeptMetrics() }),
    clock,
    marketClock: clock,
    log,
    cashAccount: 'usdc:base',
    async askAgain(_userId: UserId, changed: ReadonlySet<string>) {
      ended.asked += 1;
      ended.changed = [...changed];
      return ended.areMoving;
    },
    wallet: createEvmWalletReads({
      evm: chain,
      walletOf: async () => WALLET_ADDRESS,
      usdc: USDC,
      conditionalTokens: CONTRACTS.conditionalTokens,
      exchanges: [EXCHANGE],
    }),
  } as const;
  const cash = createWalletCash(deps);
  const mine = (blocks: number) => {
    for (let block = 0; block < blocks; block += 1) chain.mine();
  };
  const booked = () => balanceOf(store, USER, 'usdc:base').settled;
  const lines = () =>
    new Map(store.range(ARRIVALS).map(({ value }) => [value.transactionHash, value.usdc]));
  const events = () => log.lines.map(({ event }) => event);
  const mark = (asset: string) => store.get(WALLET_MARKS, [USER, asset])?.value.transactionHash;
  /** A buy as the books have it once it is final. */
  const bookBuy = (tradeId: string, usdc: number, transactionHash: Hex): Promise<void> =>
    store.write((tx) => {
      const fill: FillRecord = {
        ...aFill({ userId: USER, cashAccount: 'usdc:base', settlement: 'settled' }),
        tokenId: TOKEN,
        tradeId: asId<TradeId>(tradeId),
        usdc: usdcMicros(usdc),
        shares: shareMicros(2 * usdc),
        fee: usdcMicros(0),
        transactionHash,
      };
      tx.put(FILLS, [USER, fill.orderId, fill.tradeId], fill);
      postToLedger(tx, USER, fillEntry(fill, T0));
      postToLedger(tx, USER, settleEntry(fill, T0));
    });
  const read = () => cash.read(USER);
  /** An own transaction as it is stored after its end. */
  const putDone = (purpose: TransactionPurpose, transactionHash: string): Promise<void> =>
    store.write((tx) => {
      const draft = {
        userId: USER,
        account: chainAccountOf('usdc:base', WALLET_ADDRESS),
        purpose,
        body: { kind: 'calls', calls: [] },
      } as const;
      const record = newTransaction(tx, draft, { transactionId: asId('txn_1'), nowMs: T0 });
      putTransaction(tx, { before: null, after: { ...record, state: 'done', transactionHash } });
    });
  return { clock, store, chain, read, mine, booked, lines, events, mark, bookBuy, putDone, ended };
}

const POOL_TRADE: TransactionPurpose = {
  owner: 'venue',
  kind: 'venue_call',
  data: { venue: VENUE_A, side: 'buy', data: null },
};

const MOVING = { arrived: 0, rest: 'moving' };

describe('USDC in a wallet on an EVM chain', () => {
  it('L4: is booked once its block is final, each transaction under its own name', async () => {
    const { chain, read, mine, booked, lines } = begin();
    const came = [chain.mint(USDC, WALLET_ADDRESS, 5_000_000n)];
    mine(1);
    expect(await read()).toEqual({ arrived: 0, rest: 'unsettled' });
    came.push(chain.mint(USDC, WALLET_ADDRESS, 2_000_000n));
    mine(3);
    expect([await read(), booked(), lines()]).toEqual([
      { arrived: 2, rest: 'nothing' },
      7_000_000,
      new Map([
        [came[0], 5_000_000],
        [came[1], 2_000_000],
      ]),
    ]);
  });

  it('L3: is a trade of its own where the exchange names it, and waits for its fills, never booked as sent', async () => {
    const { chain, read, clock, mine, booked, lines, bookBuy, events } = begin();
    const came = chain.mint(USDC, WALLET_ADDRESS, 10_000_000n);
    mine(3);
    await read();
    const traded = chain.trade(WALLET_ADDRESS, {
      usdc: -4_000_000n,
      tokenId: TOKEN,
      shares: 8_000_000n,
    });
    const beside = chain.mint(USDC, WALLET_ADDRESS, 500_000n);
    mine(3);
    for (let times = 0; times <= WALLET.readingsUnexplained; times += 1) {
      expect(await read()).toEqual({ arrived: 0, rest: 'unsettled' });
      await clock.advance(WALLET.againMs);
    }
    expect(booked()).toBe(10_000_000);
    await bookBuy('t1', 3_000_000, traded);
    expect(await read()).toEqual({ arrived: 0, rest: 'unsettled' });
    await bookBuy('t2', 1_000_000, traded);
    expect([await read(), booked(), lines()]).toEqual([
      { arrived: 1, rest: 'nothing' },
      6_500_000,
      new Map([
        [came, 10_000_000],
        [beside, 500_000],
      ]),
    ]);
    expect(events()).not.toContain('money.departed');
  });

  it('is booked while an order of the user rests at the venue, and not while one is on its way there', async () => {
    const { store, chain, read, mine, booked } = begin();
    chain.mint(USDC, WALLET_ADDRESS, 5_000_000n);
    mine(3);
    const put = (state: 'submitting' | 'live') =>
      store.write((tx) => {
        const order = anOrder({
          state,
          attempts: [anAttempt('0xo1')],
          intent: { userId: USER, cashAccount: 'usdc:base', life: 'rests' },
        });
        tx.put(ORDERS, [USER, order.intent.intentId], order);
        tx.put(OPEN_ORDERS, [USER, order.intent.intentId], {
          sinceMs: T0,
          venue: VENUE_A,
          marketId: order.intent.marketId,
          isFencing: false,
        });
      });
    await put('submitting');
    expect([await read(), booked()]).toEqual([MOVING, 0]);
    await put('live');
    expect([(await read()).arrived, booked()]).toEqual([1, 5_000_000]);
  });

  it('L3: is not booked again where a transaction of a venue has brought it', async () => {
    const { store, chain, read, mine, booked, putDone } = begin();
    const own = chain.mint(USDC, WALLET_ADDRESS, 5_000_000n);
    const other = chain.mint(USDC, WALLET_ADDRESS, 2_000_000n);
    mine(3);
    await putDone(
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
      own,
    );
    await store.write((tx) => {
      const entry = depositEntry({
        userId: USER,
        cashAccount: 'usdc:base',
        atMs: T0,
        transferId: 'by its end',
        usdc: usdcMicros(5_000_000),
      });
      postToLedger(tx, USER, entry);
    });
    expect([await read(), booked()]).toEqual([{ arrived: 1, rest: 'nothing' }, 7_000_000]);
    expect(other).not.toBe(own);
  });

  it('L4: has an own trade booked anew that moved another sum than is booked, and is no arrival', async () => {
    const { chain, read, mine, booked, bookBuy, putDone, lines, ended } = begin();
    chain.mint(USDC, WALLET_ADDRESS, 10_000_000n);
    mine(3);
    await read();
    const traded = chain.send((state, emit) => {
      state.addToken(USDC, WALLET_ADDRESS, -3_000_000n);
      emit(transferLog(USDC, WALLET_ADDRESS, { to: POOL, amount: 3_000_000n }));
    });
    mine(3);
    await putDone(POOL_TRADE, traded);
    await bookBuy('t1', 4_000_000, traded);
    ended.areMoving = true;
    expect([await read(), booked(), lines().size]).toEqual([
      { arrived: 0, rest: 'unsettled' },
      6_000_000,
      1,
    ]);
    expect(ended.changed).toEqual([traded]);
  });

  it('L4: waits while an own trade of a block that was taken back is on its way once more', async () => {
    const { chain, read, mine, booked, bookBuy, putDone, ended } = begin();
    chain.mint(USDC, WALLET_ADDRESS, 10_000_000n);
    mine(3);
    await read();
    const traded = `0x${'cd'.repeat(32)}` as const;
    await putDone(POOL_TRADE, traded);
    await bookBuy('t1', 4_000_000, traded);
    ended.areMoving = true;
    expect([await read(), booked()]).toEqual([{ arrived: 0, rest: 'unsettled' }, 6_000_000]);
    ended.areMoving = false;
    expect([(await read()).rest, ended.asked]).toEqual(['unexplained', 2]);
  });

  it('L9: is read from a mark that moves on while chain and books agree', async () => {
    const { chain, read, clock, mine, booked, mark } = begin();
    mine(EVM_WALLET.markDepthBlocks);
    await read();
    const first = mark('usdc:base');
    expect(first).toBe(String(chain.blockNumber - EVM_WALLET.markDepthBlocks));
    mine(10);
    await read();
    expect(mark('usdc:base')).toBe(first);
    await clock.advance(WALLET.markEveryMs);
    await read();
    const { blockNumber } = chain;
    expect(mark('usdc:base')).toBe(String(blockNumber - EVM_WALLET.markDepthBlocks));
    chain.mint(USDC, WALLET_ADDRESS, 5_000_000n);
    mine(3);
    await read();
    expect([booked(), mark('usdc:base')]).toEqual([5_000_000, String(blockNumber + 1)]);
  });

  it('is one arrival where it lay there before histories are read, and no alarm', async () => {
    const { chain, read, clock, mine, booked, lines, events } = begin();
    chain.state.addToken(USDC, WALLET_ADDRESS, 9_000_000n);
    mine(3);
    for (let times = 1; times < WALLET.readingsUnexplained; times += 1) {
      expect((await read()).rest).toBe('unexplained');
      await clock.advance(WALLET.againMs);
    }
    await read();
    await read();
    expect([booked(), lines()]).toEqual([9_000_000, new Map([[null, 9_000_000]])]);
    expect(events()).toContain('funding.opening_booked');
    expect(events()).not.toContain('money.unexplained');
  });
});

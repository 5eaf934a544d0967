import { erc20Abi, type Address as HexAddress } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { isSwapOver } from '../../../src/domain/swap.ts';
import { isTransactionOver } from '../../../src/domain/transaction.ts';
import type { Store } from '../../../src/ports/store.ts';
import { openHolds } from '../../../src/services/books/holds.ts';
import { balanceOf } from '../../../src/services/books/record-changes.ts';
import { BALANCES, LEDGER_ENTRIES } from '../../../src/services/books/tables.ts';
import { ARRIVALS } from '../../../src/services/funding/tables.ts';
import { TRANSACTIONS } from '../../../src/services/transactions/tables.ts';
import type { QuoteRequest } from '../../../src/services/swaps/swap-quoting.ts';
import { outSince } from '../../../src/services/transactions/daily-out.ts';
import { aUserId } from '../../support/builders.ts';
import { dyingAfter } from '../../support/dying-commit.ts';
import { eventually } from '../../support/eventually.ts';
import { sampled } from '../../support/sampled.ts';
import {
  openSwapWorld,
  SOLANA_USDC,
  WALLETS,
  type SwapWorld,
} from '../../support/worlds/swap-world.ts';

const USER = aUserId(1);
const ARBITRUM_USDC = '0xaf88d065e77c8cC2239327C5EDb3A432268e5831';
/** More durable steps than a bridge has; a run that ends before its kill is a whole one. */
const STEPS_MAXIMUM = 12;
/** Ten dollars, in their smallest unit. */
const SOLD = 10_000_000;
/** Between reads of a wallet: what is not final yet is not final a moment later either. */
const READ_MS = 250;
let world: SwapWorld;
type Life = ReturnType<SwapWorld['live']>;

beforeAll(async () => {
  world = await openSwapWorld(['ARBITRUM'], { isSolanaCash: true });
  await world.give('ARBITRUM', 1, 1_000);
  await world.give('SOLANA', 1, 1_000);
});
afterAll(() => world.close());

const ask = (fromChain: 'ARBITRUM' | 'SOLANA', toChain: 'ARBITRUM' | 'SOLANA'): QuoteRequest => ({
  fromChain,
  toChain,
  sellTokenTicker: 'USDC',
  buyTokenTicker: 'USDC',
  sellToken: null,
  buyToken: null,
  amount: '10',
  walletType: null,
  slippageBps: 50,
  acceptUnpriced: false,
});

/** Dollars on both chains, in their smallest unit. */
async function held() {
  const { local } = await world.chains.open('ARBITRUM');
  const [evm, accounts] = await Promise.all([
    local.node.client.readContract({
      address: ARBITRUM_USDC,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [WALLETS.evm as HexAddress], // an address of an EVM chain
    }),
    world.solana.tokenAccounts(WALLETS.solana),
  ]);
  return {
    ARBITRUM: evm,
    SOLANA: accounts.find(({ mint }) => mint === SOLANA_USDC)?.amount ?? 0n,
  };
}

const kindsOf = (store: Store) => store.range(LEDGER_ENTRIES).map(({ value }) => value.kind);
const departuresOf = (store: Store) => kindsOf(store).filter((kind) => kind === 'departure').length;

/** What the books have of the dollars in the Solana wallet. */
const booked = (store: Store) => balanceOf(store, USER, 'usdc:solana');

/** The sum over all accounts of the books, by asset and column; nothing but zeros. */
function sums(store: Store): readonly number[] {
  const all = new Map<string, number>();
  for (const { key, value } of store.range(BALANCES)) {
    const asset = String(key[1]);
    for (const column of ['provisional', 'settled'] as const) {
      const at = `${asset} ${column}`;
      all.set(at, (all.get(at) ?? 0) + value[column]);
    }
  }
  return [...all.values()];
}

/**
 * What the books must say the moment the process has died: dollars of theirs are set aside with the
 * intent, and not a moment longer than until the chain has decided.
 */
function expectReserved(store: Store, from: 'ARBITRUM' | 'SOLANA', before: number): void {
  const sent = store
    .range(TRANSACTIONS, { prefix: [USER] })
    .find(({ value }) => value.purpose.kind === 'swap')?.value;
  const isHeld = from === 'SOLANA' && sent !== undefined && !isTransactionOver(sent.state);
  expect(openHolds(store, USER).map(({ usdc, purpose }) => [usdc, purpose])).toEqual(
    isHeld ? [[SOLD, 'bridge']] : [],
  );
  const isGone = from === 'SOLANA' && sent?.state === 'done';
  const { settled, provisional } = booked(store);
  if (from === 'SOLANA') expect(settled).toBe(before - (isGone ? SOLD : 0));
  expect(provisional).toBe(isHeld ? -SOLD : 0);
  expect(sums(store).every((sum) => sum === 0)).toBe(true);
}

/** Books what the wallet shows, as the rounds do, until books and chain are the same. */
async function booksFollow(life: Life, store: Store): Promise<void> {
  await eventually(
    async () => {
      await life.compareWallet(USER);
      expect(booked(store)).toEqual({ provisional: 0, settled: Number((await held()).SOLANA) });
    },
    { interval: READ_MS },
  );
}

async function killedAfter(step: number, request: QuoteRequest) {
  const store = createMemoryStore();
  const founding = world.live(store);
  await booksFollow(founding, store);
  founding.stop();
  const before = booked(store).settled;
  // What left the wallet in the lives of other books is not among these.
  const departures = departuresOf(store);
  const { wrap, isDead } = dyingAfter(step);
  const first = world.live(store, wrap);
  const { quoteId } = await first.swaps.quote(USER, request);
  void first.swaps.execute(USER, { quoteId, isFresh: true, key: 'once' }).catch(() => undefined);
  const latest = () => first.swaps.list(USER, { limit: 5, cursor: null }).data[0];
  await eventually(
    () => {
      if (isSwapOver(latest()?.state ?? 'queued'))
        void first.compareWallet(USER).catch(() => undefined);
      const { settled } = booked(store);
      const isWhole = settled !== before && isSwapOver(latest()?.state ?? 'queued');
      expect(isDead() || isWhole).toBe(true);
    },
    { interval: READ_MS },
  );
  if (isDead())
    expectReserved(store, request.fromChain === 'SOLANA' ? 'SOLANA' : 'ARBITRUM', before);
  first.stop();
  const second = world.live(store);
  second.recover();
  const swaps = () => second.swaps.list(USER, { limit: 5, cursor: null }).data;
  await eventually(() => expect(swaps().map(({ state }) => isSwapOver(state))).toEqual([true]));
  await booksFollow(second, store);
  second.stop();
  return {
    swap: swaps()[0] ?? expect.unreachable(),
    counted: outSince(store, USER, 0),
    arrivals: store.range(ARRIVALS).map(({ value }) => value),
    departures: departuresOf(store) - departures,
    store,
  };
}

describe('L1: a bridge on real chains, killed after a durable step', () => {
  it.each(
    (['ARBITRUM', 'SOLANA'] as const).flatMap((from) =>
      sampled(
        `killed bridges from ${from}`,
        Array.from({ length: STEPS_MAXIMUM }, (_, index) => [from, index + 1] as const),
        1,
      ),
    ),
  )('from %s after step %i leaves once, arrives once, is booked once', async (from, step) => {
    const to = from === 'ARBITRUM' ? 'SOLANA' : 'ARBITRUM';
    const before = await held();
    const { swap, counted, arrivals, departures, store } = await killedAfter(step, ask(from, to));
    const after = await held();
    expect(swap).toMatchObject({ state: 'completed', amount: String(SOLD), reason: null });
    expect(before[from] - after[from]).toBe(BigInt(SOLD));
    expect(after[to] - before[to]).toBe(BigInt(swap.received ?? 0));
    expect(counted).toBe(SOLD);
    // L4: each arrival under its own transaction, none of them as an unexplained sum
    expect(arrivals.every(({ transactionHash }) => transactionHash !== null)).toBe(true);
    expect(
      arrivals.filter(({ transactionHash }) => transactionHash === swap.receivedHash),
    ).toHaveLength(to === 'SOLANA' ? 1 : 0);
    expect(departures).toBe(0);
    expect(kindsOf(store).filter((kind) => kind === 'hold_booked')).toHaveLength(
      from === 'SOLANA' ? 1 : 0,
    );
    expect(sums(store).every((sum) => sum === 0)).toBe(true);
  });
});

import { describe, expect, it } from 'vitest';
import { VENUE_C_ALLOWANCE } from '../../../config/limits/venue-c.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { asId, type Address } from '../../../src/domain/ids.ts';
import type { EvmReceipt, Hex } from '../../../src/ports/evm.ts';
import { createCommit } from '../../../src/services/commit.ts';
import { createTransactionBooking } from '../../../src/services/funding/transaction-closing.ts';
import { createVenueClosings } from '../../../src/services/funding/venue-closing.ts';
import { TRANSACTIONS } from '../../../src/services/transactions/tables.ts';
import { createTransactions } from '../../../src/services/transactions/transactions.ts';
import { allowanceCall } from '../../../src/services/wallets/contract-calls.ts';
import { createAllowances } from '../../../src/venues/venue-c/allowances.ts';
import { VENUE_C_ID } from '../../../src/venues/venue-c/id.ts';
import { aUserId, T0 } from '../../support/builders.ts';
import { FakeEvmRail } from '../../support/fakes/fake-rails.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../../support/quiet.ts';

const USER = aUserId(1);
const contract = (byte: string) => asId<Address>(`0x${byte.repeat(20)}`);
const [WALLET, USDC, SHARES, EXCHANGE, ADAPTER] = ['ab', 'c0', '4d', 'e1', 'ad'].map(contract) as [
  Address,
  Address,
  Address,
  Address,
  Address,
];
const BUY = { side: 'buy', exchange: EXCHANGE, adapter: null } as const;
const SELL = { side: 'sell', exchange: EXCHANGE, adapter: null } as const;

/** A wallet whose rights the chain has once a block took the call that gives them. */
function begin(store = createMemoryStore()) {
  const clock = createVirtualClock(T0);
  const rail = new FakeEvmRail(clock);
  const commit = createCommit({ store, bus: createKeptBus(), metrics: createKeptMetrics() });
  const transactions = createTransactions<EvmReceipt>({
    store,
    commit,
    rails: [rail],
    books: createTransactionBooking({ venue: createVenueClosings({ clock, marketClock: clock }) }),
    clock,
    random: createSeededRandom('allowances'),
    log: createKeptLog(),
    metrics: createKeptMetrics(),
  });
  const state = { problems: [] as string[], asked: 0, isTakenBack: false };
  const sent = () => store.range(TRANSACTIONS).map(({ value }) => value);
  const calls = () => sent().map(({ body }) => (body.kind === 'calls' ? body.calls[0] : null));
  const isGiven = (data: Hex) =>
    !state.isTakenBack &&
    sent().some(
      ({ body, attempts }) =>
        body.kind === 'calls' &&
        body.calls[0]?.data === data &&
        attempts.some(({ id }) => rail.landed.get(id)?.succeeded === true),
    );
  const allowances = createAllowances({
    transactions,
    accounts: { missing: async () => state.problems },
    walletOf: async () => WALLET,
    chain: {
      evm: {
        async call(_to, question) {
          state.asked += 1;
          const operator = asId<Address>(`0x${question.slice(-40)}`);
          const { data } = allowanceCall({ kind: 'erc1155', token: SHARES, operator });
          return `0x${isGiven(data) ? '1' : '0'}`;
        },
      },
      accounts: {
        async allowance(token, _owner, spender) {
          state.asked += 1;
          const { data } = allowanceCall({ kind: 'erc20', token, spender });
          return isGiven(data) ? VENUE_C_ALLOWANCE.leastUnits : 1_000_000n;
        },
      },
    },
    usdc: USDC,
    conditionalTokens: SHARES,
    exchanges: [EXCHANGE],
    adapters: [ADAPTER],
  });
  /** Lets time pass while something is waited for. */
  async function during<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    const ended = work.finally(() => {
      isOver = true;
    });
    ended.catch(() => undefined);
    for (let passed = 0; passed < 60_000; passed += 500) {
      await clock.advance(500);
      if (isOver) break;
    }
    return ended;
  }
  /** Resolves once what was asked for is final too. */
  const ensure = (order: Parameters<typeof allowances.ensure>[1]) =>
    during(allowances.ensure(USER, order)).finally(() => clock.advance(20_000));
  return { clock, store, rail, allowances, state, sent, calls, ensure, during };
}

const right = (allowance: Parameters<typeof allowanceCall>[0]) => ({
  ...allowanceCall(allowance),
  valueWei: '0',
});
const DOLLARS = right({ kind: 'erc20', token: USDC, spender: EXCHANGE });
const OUTCOMES = right({ kind: 'erc1155', token: SHARES, operator: EXCHANGE });

describe('what a wallet allows the exchange of venue_c', () => {
  it('is its dollars before a purchase and its shares before a sale, each once, by its own queue', async () => {
    const { ensure, calls, sent, state, allowances } = begin();
    expect(await allowances.missing(USER, BUY)).toBe(1);
    await ensure(BUY);
    await ensure(BUY);
    expect([await allowances.missing(USER, BUY), calls()]).toEqual([0, [DOLLARS]]);
    await ensure(SELL);
    expect(calls()).toEqual([DOLLARS, OUTCOMES]);
    expect(sent().map(({ account, purpose, state: ended }) => [account, purpose, ended])).toEqual(
      [
        ['buy', `usdc:${EXCHANGE}`],
        ['sell', `shares:${EXCHANGE}`],
      ].map(([side, allows]) => [
        { chain: 'BASE', rail: 'evm', address: WALLET },
        { owner: 'venue', kind: 'venue_call', data: { venue: VENUE_C_ID, side, data: { allows } } },
        'done',
      ]),
    );
    await ensure(SELL);
    const { asked } = state;
    await ensure(BUY);
    await ensure(SELL);
    expect(state.asked).toBe(asked);
  });

  it('is its shares for the adapter too where a market of a group is sold', async () => {
    const { ensure, calls } = begin();
    // one waits for the other in the queue of the account, longer than an order does
    await expect(ensure({ ...SELL, adapter: ADAPTER })).rejects.toMatchObject({ retryable: true });
    await ensure({ ...SELL, adapter: ADAPTER });
    expect(calls()).toEqual([
      OUTCOMES,
      right({ kind: 'erc1155', token: SHARES, operator: ADAPTER }),
    ]);
  });

  it('is its shares for the adapter alone where they are redeemed there', async () => {
    const { allowances, during, calls } = begin();
    await during(allowances.ensureShares(USER, ADAPTER));
    expect(calls()).toEqual([right({ kind: 'erc1155', token: SHARES, operator: ADAPTER })]);
    await expect(allowances.ensureShares(USER, EXCHANGE)).rejects.toMatchObject({
      code: 'wallet_not_ready',
    });
  });

  it('is nothing for a contract that the operator does not trust, whatever a market names', async () => {
    const { allowances, sent } = begin();
    await expect(
      allowances.ensure(USER, { ...BUY, exchange: contract('66') }),
    ).rejects.toMatchObject({ code: 'wallet_not_ready', retryable: false });
    await expect(
      allowances.ensure(USER, { ...SELL, adapter: contract('66') }),
    ).rejects.toMatchObject({ code: 'wallet_not_ready' });
    expect(sent()).toEqual([]);
  });

  it('is not sent by a wallet that cannot pay for it, which says what is missing', async () => {
    const { allowances, state, sent } = begin();
    state.problems = ['not enough ETH on Base'];
    await expect(allowances.ensure(USER, BUY)).rejects.toMatchObject({
      code: 'wallet_not_ready',
      message: 'not enough ETH on Base',
    });
    expect(sent()).toEqual([]);
  });

  it('is asked for once by those who order at once, and by who comes back while it is on its way', async () => {
    const { allowances, rail, ensure, during, sent, clock } = begin();
    rail.drops = true;
    const tried = await during(
      Promise.allSettled([allowances.ensure(USER, BUY), allowances.ensure(USER, BUY)]),
    );
    expect(
      tried.map((one) => (one.status === 'rejected' ? (one.reason as { code: string }).code : '')),
    ).toEqual(['wallet_not_ready', 'wallet_not_ready']);
    await expect(ensure(BUY)).rejects.toMatchObject({
      retryable: true,
      retryAfterMs: VENUE_C_ALLOWANCE.retryAfterMs,
    });
    expect(sent()).toHaveLength(1);
    rail.drops = false;
    await clock.advance(60_000);
    await ensure(BUY);
    expect(sent().map(({ state }) => state)).toEqual(['done']);
  });

  it('is given anew where it failed, where it was taken back, and not more often than is sound', async () => {
    const { allowances, rail, ensure, state, sent } = begin();
    rail.reverting.add(WALLET);
    await expect(ensure(BUY)).rejects.toMatchObject({ code: 'wallet_not_ready', retryable: true });
    rail.reverting.clear();
    await ensure(BUY);
    await ensure(BUY);
    expect(sent().map((record) => record.state)).toEqual(['failed', 'done']);
    state.isTakenBack = true;
    await ensure(BUY);
    expect(sent()).toHaveLength(2);
    allowances.forget(USER);
    for (let times = sent().length; times < VENUE_C_ALLOWANCE.attemptsMaximum; times += 1)
      await expect(ensure(BUY)).rejects.toMatchObject({ retryable: true });
    await expect(ensure(BUY)).rejects.toMatchObject({ code: 'wallet_not_ready', retryable: false });
    expect(sent()).toHaveLength(VENUE_C_ALLOWANCE.attemptsMaximum);
  });

  it('L9: is found on the chain by the next process, or on its way in the queue', async () => {
    const first = begin();
    first.rail.drops = true;
    await expect(first.ensure(BUY)).rejects.toMatchObject({ code: 'wallet_not_ready' });
    const next = begin(first.store.crash());
    await next.ensure(BUY);
    expect(next.sent().map(({ state }) => state)).toEqual(['done']);
  });
});

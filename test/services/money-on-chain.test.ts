import { encodeFunctionData, maxUint256, zeroHash, type Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWallClock } from '../../src/adapters/clock/wall-clock.ts';
import { createEvmChain } from '../../src/adapters/evm/evm-chain.ts';
import { createPermits } from '../../src/adapters/evm/permits.ts';
import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import { createSafeRail } from '../../src/adapters/safe-relayer/safe-rail.ts';
import { createSafes } from '../../src/adapters/safe-relayer/safes.ts';
import {
  asId,
  type TransactionId,
  type Address,
  type MarketId,
  type TokenId,
  type UserId,
} from '../../src/domain/ids.ts';
import { depositEntry, fillEntry, settleEntry } from '../../src/domain/ledger-entries.ts';
import { foldFill } from '../../src/domain/position-fold.ts';
import { shareMicros, usdcMicros } from '../../src/domain/units.ts';
import { POLYGON_MONEY } from '../../config/profiles/venue-a-contracts.ts';
import { POLYGON_CHAIN } from '../../config/profiles/profile.ts';
import { moneyContracts } from '../../src/app/funds.ts';
import { VENUE_A_CHAIN } from '../../src/sandbox/venues/venue-a/chain/chain-addresses.ts';
import { CONDITIONAL_TOKENS_ABI, TOKEN_ABI } from '../../src/sandbox/chains/evm/contract-abis.ts';
import { deriveWallets } from '../../src/sandbox/venues/venue-a/wallets/wallet-derivation.ts';
import { createCommit } from '../../src/services/commit.ts';
import { createChainDeposits } from '../../src/services/funding/chain-deposits.ts';
import { createChainExplanations } from '../../src/services/funding/chain-explanations.ts';
import { createReconciler } from '../../src/services/funding/reconciler.ts';
import { createAddressIndex } from '../../src/services/funding/address-index.ts';
import { createFunds } from '../../src/services/funds.ts';
import { createPortfolio } from '../../src/services/portfolio/portfolio.ts';
import { balanceOf, postToLedger, putPosition } from '../../src/services/books/record-changes.ts';
import { USERS } from '../../src/services/sign-in/tables.ts';
import { POSITIONS, TRADED_MARKETS } from '../../src/services/books/tables.ts';
import { transferCall } from '../../src/services/wallets/contract-calls.ts';
import { aMarket, T0 } from '../support/builders.ts';
import { eventually } from '../support/eventually.ts';
import { holdKeys } from '../support/key-holder.ts';
import { aFill } from '../support/worlds/money-records.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../support/quiet.ts';
import {
  BUILDER,
  startChainFixture,
  startRelayerFixture,
  type ChainFixture,
  type RelayerFixture,
} from '../support/fixtures/relayer-fixture.ts';
import { redeemerOf, type Redeemers } from '../../src/venues/venue-a/own.ts';
import { VENUE_A_TERMS } from '../support/venue-a-terms.ts';

const USER = asId<UserId>('usr_on_chain');
const vault = holdKeys({ [USER]: `0x${'6'.repeat(64)}` });
const OWNER = vault.addressOf(USER);
const SAFE = deriveWallets(OWNER).safe;
const hex = (address: Address) => address as unknown as Hex; // an Address is checksummed 0x hex
const contracts = moneyContracts(POLYGON_CHAIN, POLYGON_MONEY);
const REDEEMERS: Redeemers = {
  standard: asId(POLYGON_MONEY.collateralAdapter),
  negRisk: asId(POLYGON_MONEY.negRiskCollateralAdapter),
};
const { collateral, conditionalTokens } = VENUE_A_CHAIN;

let fixture: ChainFixture;
let relay: RelayerFixture;
let runtime: ReturnType<typeof open>;
let blocks: ReturnType<typeof setInterval>;

beforeAll(async () => {
  fixture = await startChainFixture();
  relay = await startRelayerFixture(fixture.chain, createWallClock());
  // Confirmations grow as on a chain that others use too.
  blocks = setInterval(
    () => void fixture.node.client.mine({ blocks: 1 }).catch(() => undefined),
    200,
  );
  runtime = open();
});
afterAll(async () => {
  clearInterval(blocks);
  runtime.money.stop();
  await runtime.arrivals.stop();
  await runtime.safes.close();
  await relay.relayer.close();
  await fixture.close();
});

function open() {
  const clock = createWallClock();
  const store = createMemoryStore();
  const [bus, log, metrics] = [createKeptBus(), createKeptLog(), createKeptMetrics()];
  const commit = createCommit({ store, bus, metrics });
  const chain = createEvmChain({ chainId: 137, rpcUrl: fixture.node.url, metrics });
  const safes = createSafes({
    relayerUrl: relay.relayer.url,
    chain,
    vault,
    clock,
    metrics,
    builder: BUILDER,
    addressOf: (owner) => deriveWallets(owner).safe,
    contracts: {
      chainId: 137,
      factory: asId<Address>(VENUE_A_CHAIN.safeFactory),
      multisend: asId<Address>(VENUE_A_CHAIN.multiSend),
    },
  });
  const identity = { ownerOf: () => OWNER, loadKeys: async () => undefined };
  const money = createFunds({
    store,
    commit,
    bus,
    rails: [createSafeRail({ safes, chain, confirmations: contracts.confirmations, ...identity })],
    safeOf: (owner) => safes.addressOf(owner),
    chain,
    contracts,
    redeemerOf: (market) => redeemerOf(REDEEMERS, market),
    fundsInSafes: true,
    permits: createPermits({ chain, vault }),
    ...identity,
    clock,
    marketClock: clock,
    random: createSeededRandom('on chain'),
    log,
    metrics,
  });
  const portfolio = createPortfolio({
    store,
    commit,
    updates: { announce: () => undefined },
    clock,
    log,
    metrics,
    venues: {
      of: () => ({ funds: money }),
      trading: () => VENUE_A_TERMS,
      cashAccountOf: () => 'usdc:safe',
    },
  });
  const arrivals = createChainDeposits({
    store,
    commit,
    chain,
    clock,
    marketClock: clock,
    log,
    contracts,
    safes: createAddressIndex({
      bus,
      clock,
      addressOf: () => SAFE,
      users: () => [{ userId: USER, address: SAFE }],
    }),
  });
  arrivals.start();
  // The reconciler's pauses between sightings are there for blocks of two seconds: here they come
  // ten times as fast.
  const hasty = {
    nowMs: () => clock.nowMs(),
    after: (ms: number, run: () => void) => clock.after(Math.min(ms, 1_000), run),
  };
  const explanations = createChainExplanations({
    store,
    commit,
    chain,
    contracts,
    safeOf: () => SAFE,
    clock,
    marketClock: clock,
    log,
  });
  const reconciler = createReconciler({
    store,
    chain,
    contracts,
    safeOf: () => SAFE,
    clock: hasty,
    log,
    metrics,
    explanations,
    orphans: money.orphans,
  });
  return { store, commit, chain, safes, money, portfolio, arrivals, reconciler };
}

const view = (address: Hex, functionName: 'balanceOf', args: readonly [Hex]) =>
  fixture.node.client.readContract({ address, abi: TOKEN_ABI, functionName, args });
const cash = () => balanceOf(runtime.store, USER, 'usdc:safe');

/**
 * Waits for an action's end: a call answers after some seconds however far things are, and a busy
 * machine takes longer.
 */
const ended = (transactionId: TransactionId) =>
  eventually(() => {
    const state = runtime.money.transactions.get(USER, transactionId)?.state;
    expect(['done', 'failed']).toContain(state);
    return state;
  });

/** A market on chain with shares of its first outcome in the Safe, and the same in the books. */
async function bought(
  number: number,
  negRisk: boolean,
): Promise<{
  readonly marketId: MarketId;
  end(payouts: readonly [bigint, bigint]): Promise<void>;
}> {
  const oracle = fixture.chain.sender('oracle');
  const operator = fixture.chain.sender('operator');
  const questionId: Hex = `0x${String(number).padStart(64, '0')}`;
  await oracle.send({
    to: conditionalTokens,
    data: encodeFunctionData({
      abi: CONDITIONAL_TOKENS_ABI,
      functionName: 'prepareCondition',
      args: [oracle.address, questionId, 2n],
    }),
  });
  const read = { address: conditionalTokens, abi: CONDITIONAL_TOKENS_ABI } as const;
  const conditionId = await fixture.node.client.readContract({
    ...read,
    functionName: 'getConditionId',
    args: [oracle.address, questionId, 2n],
  });
  const collection = await fixture.node.client.readContract({
    ...read,
    functionName: 'getCollectionId',
    args: [zeroHash, conditionId, 1n],
  });
  const tokenId = asId<TokenId>(
    String(
      await fixture.node.client.readContract({
        ...read,
        functionName: 'getPositionId',
        args: [collateral, collection],
      }),
    ),
  );
  await fixture.mint(operator.address, 20_000_000n);
  await operator.send({
    to: collateral,
    data: encodeFunctionData({
      abi: TOKEN_ABI,
      functionName: 'approve',
      args: [conditionalTokens, maxUint256],
    }),
  });
  await operator.send({
    to: conditionalTokens,
    data: encodeFunctionData({
      abi: CONDITIONAL_TOKENS_ABI,
      functionName: 'splitPosition',
      args: [collateral, zeroHash, conditionId, [1n, 2n], 20_000_000n],
    }),
  });
  await operator.send({
    to: conditionalTokens,
    data: encodeFunctionData({
      abi: CONDITIONAL_TOKENS_ABI,
      functionName: 'safeTransferFrom',
      args: [operator.address, hex(SAFE), BigInt(tokenId), 20_000_000n, '0x'],
    }),
  });
  const marketId = asId<MarketId>(conditionId);
  const market = aMarket(number, { marketId, own: { negRisk } });
  // Given, not bought: the fill costs nothing.
  const fill = aFill({
    userId: USER,
    tradeId: asId(`t${number}`),
    marketId,
    tokenId,
    outcome: 0,
    side: 'buy',
    shares: shareMicros(20_000_000),
    usdc: usdcMicros(0),
    fee: usdcMicros(0),
  });
  await runtime.commit((tx) => {
    tx.put(TRADED_MARKETS, [marketId], market);
    postToLedger(tx, USER, fillEntry(fill, T0));
    postToLedger(tx, USER, settleEntry(fill, T0));
    putPosition(tx, null, foldFill(null, fill, { market, agentId: null }), T0);
  });
  return {
    marketId,
    end: async (payouts) =>
      void (await oracle.send({
        to: conditionalTokens,
        data: encodeFunctionData({
          abi: CONDITIONAL_TOKENS_ABI,
          functionName: 'reportPayouts',
          args: [questionId, [...payouts]],
        }),
      })),
  };
}

describe('money in a Safe on a real chain', () => {
  it('is ready after sign-up, with every allowance, though its owner never had a native coin', async () => {
    await runtime.commit((tx) => {
      tx.put({ name: USERS.name }, [USER], { userId: USER });
      tx.append({ type: 'user.created', userId: USER, atMs: 0, address: OWNER });
    });
    await eventually(() => runtime.money.onboarding.assertReady(USER));
    for (const allowance of contracts.allowances) {
      const isGranted =
        allowance.kind === 'erc20'
          ? await fixture.node.client.readContract({
              address: hex(allowance.token),
              abi: TOKEN_ABI,
              functionName: 'allowance',
              args: [hex(SAFE), hex(allowance.spender)],
            })
          : await fixture.node.client.readContract({
              address: hex(allowance.token),
              abi: CONDITIONAL_TOKENS_ABI,
              functionName: 'isApprovedForAll',
              args: [hex(SAFE), hex(allowance.operator)],
            });
      expect([allowance, isGranted]).toEqual([
        allowance,
        allowance.kind === 'erc20' ? maxUint256 : true,
      ]);
    }
    expect([
      contracts.allowances.length,
      await runtime.safes.nonce(SAFE),
      await fixture.node.client.getBalance({ address: hex(OWNER) }),
    ]).toEqual([10, 1, 0n]);
  });

  it('pays out to its owner, gasless, and the books say what the chain says', async () => {
    await fixture.mint(hex(SAFE), 50_000_000n);
    await eventually(() => expect(cash().settled).toBe(50_000_000));
    const { withdrawalId } = await runtime.money.withdrawals.withdraw(USER, {
      usdc: usdcMicros(20_000_000),
      key: 'w',
    });
    await ended(withdrawalId);
    expect(runtime.money.withdrawals.get(USER, withdrawalId)).toMatchObject({
      state: 'settled',
      token: 'USDC',
      to: OWNER,
      reason: null,
    });
    expect([
      await view(collateral, 'balanceOf', [hex(SAFE)]),
      await view(VENUE_A_CHAIN.usdc, 'balanceOf', [hex(OWNER)]),
      cash().settled,
    ]).toEqual([30_000_000n, 20_000_000n, 30_000_000]);
  });

  it.each([
    ['USDC', VENUE_A_CHAIN.usdc],
    ['usdc.e', VENUE_A_CHAIN.bridgedUsdc],
    [collateral, collateral],
  ] as const)(
    "takes %s out of its owner's wallet by permit, and it arrives as collateral",
    async (token, address) => {
      const before = [
        await view(collateral, 'balanceOf', [hex(SAFE)]),
        await view(address, 'balanceOf', [hex(OWNER)]),
      ] as const;
      await fixture.mint(hex(OWNER), 5_000_000n, address);
      const transfer = () =>
        runtime.money.safeTransfers.transfer(USER, { token, amount: usdcMicros(4_000_000) });
      const both = await Promise.allSettled([transfer(), transfer()]);
      // Which of two at once comes first is the network's to say; that one comes and the other is
      // refused is ours.
      const taken = both.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
      expect(taken).toMatchObject([{ amount: 4_000_000, to: SAFE }]);
      expect(await Promise.all(taken.map(({ transferId }) => ended(transferId)))).toEqual(['done']);
      expect(
        both.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : [])),
      ).toMatchObject([{ code: 'transfer_in_progress' }]);
      expect([
        (await view(collateral, 'balanceOf', [hex(SAFE)])) - before[0],
        (await view(address, 'balanceOf', [hex(OWNER)])) - before[1],
      ]).toEqual([4_000_000n, 1_000_000n]);
      // Money of the books with the end of the transfer, which can leave again as any other.
      expect(cash()).toEqual({ settled: 34_000_000, provisional: 0 });
      await ended(
        (await runtime.money.withdrawals.withdraw(USER, { usdc: usdcMicros(4_000_000) }))
          .withdrawalId,
      );
      expect(cash().settled).toBe(30_000_000);
      expect(await fixture.node.client.getBalance({ address: hex(OWNER) })).toBe(0n);
    },
  );

  it('books what the owner moves out of the Safe with an exported key, and wraps and books plain dollars that come to it', async () => {
    const nonce = await runtime.safes.nonce(SAFE);
    const manual = runtime.safes.signExecute(USER, {
      calls: [transferCall(contracts.collateral, OWNER, 7_000_000n)],
      nonce,
      note: 'manually',
    });
    await runtime.safes.submit(runtime.safes.bodyOf(manual));
    await fixture.mint(hex(SAFE), 9_000_000n, VENUE_A_CHAIN.usdc);
    await eventually(async () =>
      expect(await view(collateral, 'balanceOf', [hex(SAFE)])).toBe(23_000_000n),
    );
    await eventually(async () => {
      expect((await runtime.reconciler.round()).mismatched).toEqual([]);
      expect(cash()).toEqual({ settled: 32_000_000, provisional: 0 });
    });
    expect([
      await view(collateral, 'balanceOf', [hex(SAFE)]),
      await view(VENUE_A_CHAIN.usdc, 'balanceOf', [hex(SAFE)]),
    ]).toEqual([32_000_000n, 0n]);
    await ended(
      (await runtime.money.withdrawals.withdraw(USER, { usdc: usdcMicros(2_000_000) }))
        .withdrawalId,
    );
  });

  it('takes no token it does not know, no dust, and no more than there is', async () => {
    const transfer = (token: string, usdc: number) =>
      runtime.money.safeTransfers.transfer(USER, { token, amount: usdcMicros(usdc) });
    await expect(transfer('DAI', 1_000_000)).rejects.toMatchObject({
      code: 'invalid_request',
      fields: [{ path: '/token' }],
    });
    await expect(transfer(conditionalTokens, 1_000_000)).rejects.toMatchObject({
      code: 'invalid_request',
    });
    await expect(transfer('USDC', 9_999)).rejects.toMatchObject({ code: 'amount_too_small' });
    await expect(transfer('USDC', 900_000_000)).rejects.toMatchObject({
      code: 'insufficient_funds',
    });
    const lines = runtime.store
      .readJournal(0, 1_000)
      .flatMap(({ event }) =>
        event.type === 'audit.recorded' && event.action === 'transfer_refused'
          ? [event.subject]
          : [],
      );
    expect(lines.slice(-4)).toEqual([
      'invalid_request',
      'invalid_request',
      'amount_too_small',
      'insufficient_funds',
    ]);
  });

  it('signs no permit of a contract that takes none', async () => {
    const permits = createPermits({ chain: runtime.chain, vault });
    expect(
      await permits.sign(USER, {
        token: asId<Address>(conditionalTokens),
        spender: SAFE,
        amount: 1n,
        deadlineSeconds: 1,
      }),
    ).toBeNull();
    expect(
      await permits.sign(USER, { token: OWNER, spender: SAFE, amount: 1n, deadlineSeconds: 1 }),
    ).toBeNull();
  });

  it('gives a withdrawal back that the chain cannot pay: the books had more than the Safe', async () => {
    await runtime.commit((tx) =>
      postToLedger(
        tx,
        USER,
        depositEntry({
          userId: USER,
          cashAccount: 'usdc:safe',
          transferId: 'd2',
          usdc: usdcMicros(70_000_000),
          atMs: T0,
        }),
      ),
    );
    const { withdrawalId } = await runtime.money.withdrawals.withdraw(USER, {
      usdc: usdcMicros(90_000_000),
    });
    await eventually(() =>
      expect(runtime.money.withdrawals.get(USER, withdrawalId)?.state).toBe('returned'),
    );
    expect([await view(collateral, 'balanceOf', [hex(SAFE)]), cash()]).toEqual([
      30_000_000n,
      { settled: 100_000_000, provisional: 0 },
    ]);
  });

  it.each([
    [1, false],
    [2, true],
  ] as const)(
    'redeems what it won in market %i (neg-risk: %s), once, and is paid by what the chain paid',
    async (number, negRisk) => {
      const before = await view(collateral, 'balanceOf', [hex(SAFE)]);
      const market = await bought(number, negRisk);
      await runtime.portfolio.recordResolution({
        marketId: market.marketId,
        payoutTicks: [10_000, 0],
        resolvedAtMs: T0,
      });
      expect(await runtime.money.redemptions.claim(USER, market.marketId)).toMatchObject([
        { state: 'waiting', usdc: 20_000_000 },
      ]);
      await market.end([1n, 0n]);
      const [claims] = await Promise.all([
        runtime.money.redemptions.claim(USER, market.marketId),
        runtime.portfolio.payOut(market.marketId),
      ]);
      expect(claims).toMatchObject([{ usdc: 20_000_000 }]);
      await eventually(() =>
        expect(
          runtime.store
            .range(POSITIONS)
            .filter(({ value }) => value.marketId === market.marketId)
            .map(({ value }) => value.state),
        ).toEqual(['redeemed']),
      );
      expect((await view(collateral, 'balanceOf', [hex(SAFE)])) - before).toBe(20_000_000n);
      expect(await runtime.portfolio.payOut(market.marketId)).toBe(true);
    },
  );
});

import { gunzipSync } from 'node:zlib';
import { encodeFunctionData, hexToBytes, zeroHash, type Hex } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { asId, type Address } from '../../../../../src/domain/ids.ts';
import { priceTicks, shareMicros } from '../../../../../src/domain/units.ts';
import { loadKeccak } from '../../../../../src/adapters/wire/keccak.ts';
import { VENUE_A_CHAIN } from '../../../../../src/sandbox/venues/venue-a/chain/chain-addresses.ts';
import {
  CONDITIONAL_TOKENS_ABI,
  TOKEN_ABI,
} from '../../../../../src/sandbox/chains/evm/contract-abis.ts';
import { parseState, prunedState } from '../../../../../src/sandbox/chains/evm/node-state.ts';
import { createChainCleaner } from '../../../../../src/sandbox/venues/venue-a/settlement/clear-chain.ts';
import {
  keepConditions,
  type ConditionKeeper,
} from '../../../../../src/sandbox/venues/venue-a/settlement/condition-keeper.ts';
import type {
  ExchangeMarket,
  ExchangeEvent,
  RetiredMarket,
} from '../../../../../src/sandbox/engine/exchange-types.ts';
import { chainIds, type Keccak } from '../../../../../src/sandbox/chains/evm/outcome-ids.ts';
import {
  startChainFixture,
  type ChainFixture,
} from '../../../../support/fixtures/relayer-fixture.ts';

let fixture: ChainFixture;
let keccak: Keccak;
let market: ExchangeMarket;
let questionId: string;
let payout: readonly [number, number] | null;
let keeper: ConditionKeeper;
let tell: (event: ExchangeEvent) => void;
let markets = 0;

beforeAll(async () => {
  [fixture, keccak] = await Promise.all([startChainFixture(), loadKeccak()]);
});
afterAll(() => fixture.close());
beforeEach(() => {
  markets += 1;
  const slug = `market-${markets}`;
  const ids = chainIds(
    keccak,
    {
      seed: 7,
      oracle: fixture.chain.sender('oracle').address,
      collateral: VENUE_A_CHAIN.collateral,
    },
    slug,
  );
  questionId = ids.questionId;
  market = {
    marketId: ids.marketId,
    tokens: ids.tokens,
    labels: ['Yes', 'No'],
    slug,
    question: slug,
    tickSize: priceTicks(100),
    minSize: shareMicros(5_000_000),
    negRisk: false,
    fee: null,
    takerDelayMs: 0,
    opensForOrdersAtMs: 0,
    endsAtMs: 1,
  };
  payout = null;
  keeper = keepConditions(
    fixture.chain,
    {
      markets: () => [market],
      market: () => market,
      payout: () => payout,
      subscribe(listener) {
        tell = listener;
        return () => undefined;
      },
    },
    {
      questionIdOf: () => questionId,
      cleaner: createChainCleaner(fixture.node.client, [fixture.chain.sender('fees').address]),
    },
  );
});

const head = async () => Number(await fixture.node.client.getBlockNumber());
const update = async () => keeper.update(await head());
const read = (functionName: 'payoutDenominator' | 'getOutcomeSlotCount') =>
  fixture.node.client.readContract({
    address: VENUE_A_CHAIN.conditionalTokens,
    abi: CONDITIONAL_TOKENS_ABI,
    functionName,
    args: [market.marketId as string as `0x${string}`],
  }); // outcome-ids.ts made it: a condition id
const standing = async () => ({
  slots: await read('getOutcomeSlotCount'),
  paidOf: await read('payoutDenominator'),
  isTradable: keeper.isTradable(market.marketId),
});
/** Takes the newest blocks back; what was in them is gone. */
const takeBack = (blocks: number) =>
  // a method of this node alone
  fixture.node.client.request({ method: 'anvil_reorg' as never, params: [blocks, []] as never });

function resolve(): void {
  payout = [10_000, 0];
  tell({ kind: 'market_resolved', marketId: market.marketId, payoutTicks: payout });
}

describe('conditions of the venue on its chain', () => {
  it('are prepared and listed with the market, and paid out with its end', async () => {
    await update();
    expect(await standing()).toEqual({ slots: 2n, paidOf: 0n, isTradable: true });
    resolve();
    await update();
    expect((await standing()).paidOf).toBe(10_000n);
  });

  it.each([1, 2])('are reported again when the chain takes %i blocks back', async (blocks) => {
    await update();
    await takeBack(2);
    expect((await standing()).slots).toBe(0n);
    await update();
    await fixture.node.client.mine({ blocks: 3 });
    await update();
    resolve();
    await update();
    if (blocks === 2) await fixture.node.client.mine({ blocks: 1 });
    await takeBack(blocks);
    expect((await standing()).paidOf).toBe(0n);
    await fixture.node.client.mine({ blocks: 3 });
    await update();
    expect(await standing()).toEqual({ slots: 2n, paidOf: 10_000n, isTradable: true });
  });

  it('are left alone once they are final', async () => {
    resolve();
    await update();
    await fixture.node.client.mine({ blocks: 3 });
    await update();
    const calls = await fixture.node.client.getTransactionCount({
      address: fixture.chain.sender('oracle').address,
    });
    await takeBack(7);
    await update();
    expect(
      await fixture.node.client.getTransactionCount({
        address: fixture.chain.sender('oracle').address,
      }),
    ).toBeLessThan(calls);
  });

  describe('once the venue has retired their market', () => {
    const splitter = () => fixture.chain.sender('fees');
    const giveSets = async () => {
      const { collateral, conditionalTokens: to } = VENUE_A_CHAIN;
      await fixture.mint(splitter().address, 5_000_000n);
      await splitter().send({
        to: collateral,
        data: encodeFunctionData({
          abi: TOKEN_ABI,
          functionName: 'approve',
          args: [to, 5_000_000n],
        }),
      });
      await splitter().send({
        to,
        data: encodeFunctionData({
          abi: CONDITIONAL_TOKENS_ABI,
          functionName: 'splitPosition',
          args: [collateral, zeroHash, market.marketId as string as Hex, [1n, 2n], 5_000_000n],
        }),
      });
    };
    /** Storage that is not zero, of the contracts that know markets. */
    const slots = async () => {
      const { accounts } = prunedState(
        parseState(
          'state',
          gunzipSync(hexToBytes(await fixture.node.client.dumpState())).toString(),
        ),
      );
      return [VENUE_A_CHAIN.conditionalTokens, VENUE_A_CHAIN.exchange].map(
        (address) =>
          Object.keys(
            (accounts[address.toLowerCase()] as { readonly storage: Record<string, string> })
              .storage,
          ).length,
      );
    };
    const retire = (holders: RetiredMarket['holders']) =>
      tell({ kind: 'market_retired', market, payoutTicks: payout ?? [0, 0], holders, orders: [] });
    const holder = (outcome: 0 | 1) => [
      { account: asId<Address>(splitter().address), tokenId: market.tokens[outcome] },
    ];

    it('leave nothing on the chain, nor do shares that pay nothing', async () => {
      const before = await slots();
      await update();
      await giveSets();
      resolve();
      await update();
      expect(await slots()).not.toEqual(before);
      retire(holder(1));
      await update();
      expect(await standing()).toEqual({ slots: 0n, paidOf: 0n, isTradable: false });
      expect(await slots()).toEqual(before);
    });

    it('stay where a user has shares that pay', async () => {
      await update();
      await giveSets();
      resolve();
      await update();
      const before = await slots();
      retire(holder(0));
      await update();
      expect(await slots()).toEqual(before);
    });
  });
});

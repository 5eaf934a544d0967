import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { priceTicks, shareMicros } from '../../../../../src/domain/units.ts';
import { loadKeccak } from '../../../../../src/adapters/wire/keccak.ts';
import { VENUE_A_CHAIN } from '../../../../../src/sandbox/venues/venue-a/chain/chain-addresses.ts';
import { CONDITIONAL_TOKENS_ABI } from '../../../../../src/sandbox/chains/evm/contract-abis.ts';
import type { ConditionKeeper } from '../../../../../src/sandbox/venues/venue-a/settlement/condition-keeper.ts';
import { keepConditions } from '../../../../../src/sandbox/venues/venue-a/settlement/condition-keeper.ts';
import type {
  ExchangeMarket,
  ExchangeEvent,
} from '../../../../../src/sandbox/engine/exchange-types.ts';
import { chainIds } from '../../../../../src/sandbox/venues/venue-a/markets/market-ids.ts';
import type { Keccak } from '../../../../../src/sandbox/venues/venue-a/markets/market-ids.ts';
import type { ChainFixture } from '../../../../support/fixtures/relayer-fixture.ts';
import { startChainFixture } from '../../../../support/fixtures/relayer-fixture.ts';

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
    () => questionId,
  );
});

const head = async () => Number(await fixture.node.client.getBlockNumber());
const look = async () => keeper.look(await head());
const read = (functionName: 'payoutDenominator' | 'getOutcomeSlotCount') =>
  fixture.node.client.readContract({
    address: VENUE_A_CHAIN.conditionalTokens,
    abi: CONDITIONAL_TOKENS_ABI,
    functionName,
    args: [market.marketId as string as `0x${string}`],
  }); // market-ids.ts made it: a condition id
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
    await look();
    expect(await standing()).toEqual({ slots: 2n, paidOf: 0n, isTradable: true });
    resolve();
    await look();
    expect((await standing()).paidOf).toBe(10_000n);
  });

  it.each([1, 2])('are told again when the chain takes %i blocks back', async (blocks) => {
    await look();
    await takeBack(2);
    expect((await standing()).slots).toBe(0n);
    await look();
    await fixture.node.client.mine({ blocks: 3 });
    await look();
    resolve();
    await look();
    if (blocks === 2) await fixture.node.client.mine({ blocks: 1 });
    await takeBack(blocks);
    expect((await standing()).paidOf).toBe(0n);
    await fixture.node.client.mine({ blocks: 3 });
    await look();
    expect(await standing()).toEqual({ slots: 2n, paidOf: 10_000n, isTradable: true });
  });

  it('are left alone once they are final', async () => {
    resolve();
    await look();
    await fixture.node.client.mine({ blocks: 3 });
    await look();
    const calls = await fixture.node.client.getTransactionCount({
      address: fixture.chain.sender('oracle').address,
    });
    await takeBack(7);
    await look();
    expect(
      await fixture.node.client.getTransactionCount({
        address: fixture.chain.sender('oracle').address,
      }),
    ).toBeLessThan(calls);
  });
});

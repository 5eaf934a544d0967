import {
  encodeAbiParameters,
  encodeFunctionData,
  decodeFunctionResult,
  keccak256,
  numberToHex,
  parseAbi,
  parseAbiParameters,
  type Hex,
} from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSeededRandom } from '../../../../src/adapters/random/seeded-random.ts';
import {
  sharesBought,
  sharesSold,
  type FixedProductPool,
} from '../../../../src/domain/fixed-product-pool.ts';
import { MULTICALL3 } from '../../../../src/sandbox/chains/evm/chain-addresses.ts';
import type { DeployedChain } from '../../../../src/sandbox/chains/evm/deploy-chain.ts';
import { startEvmNode, type EvmNode } from '../../../../src/sandbox/chains/evm/evm-node.ts';
import { POOL_ABI } from '../../../../src/sandbox/venues/venue-c/chain/pool-abi.ts';
import { openPoolAccount } from '../../../../src/sandbox/venues/venue-c/chain/pool-account.ts';
import { VENUE_C_CHAIN } from '../../../../src/sandbox/venues/venue-c/chain-addresses.ts';
import { createCatalogue } from '../../../../src/sandbox/venues/venue-c/model/catalogue.ts';
import type { VenueMarket } from '../../../../src/sandbox/venues/venue-c/model/market.ts';
import { deploy } from '../../../support/fixtures/deploy-chains.ts';
import { runs, SAMPLE_SEED } from '../../../support/sampled.ts';

const MULTICALL = parseAbi([
  'struct Call { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call[] calls) payable returns (Result[] results)',
]);
/** Slots of the contracts, as solc 0.5.10 lays them out: balances of shares, and a pool's fee. */
const BALANCES_SLOT = 1n;
const FEE_SLOT = 7n;
/** Questions under way at a time. */
const AT_ONCE = 40;

describe('the maths of pools, against the published contract', () => {
  let node: EvmNode;
  let market: VenueMarket;
  let pool: Hex;
  beforeAll(async () => {
    node = await startEvmNode({ chainId: 8453, stateFile: null });
    const chain: DeployedChain = await deploy('base', node);
    const catalogue = createCatalogue({ seed: 7, foundedAtMs: Date.now(), hasPools: true });
    const found = catalogue.listedAt(Date.now()).find(({ tradeType }) => tradeType === 'amm');
    if (found === undefined) throw new Error('no pool is listed');
    market = found;
    const account = await openPoolAccount(chain);
    await account.make(market, 0.4);
    pool = account.addressOf(market);
  });
  afterAll(() => node.close());

  it('gives the answer of its contract to the last unit, on random pools of any size and fee', async () => {
    const random = createSeededRandom(`${SAMPLE_SEED}:pools`);
    /** A whole number of any size up to 10^`digits`. */
    const drawn = (digits: number): bigint =>
      BigInt(`0x${Buffer.from(random.bytes(16)).toString('hex')}`) %
      10n ** BigInt(1 + random.integer(digits));
    const drawnPool = () => ({
      reserves: [drawn(16), drawn(16)] as const,
      feeE18: drawn(17),
      dollars: drawn(16),
    });
    const differing: object[] = [];
    let answered = 0;
    const all = Array.from({ length: runs(200, 10_000) }, drawnPool);
    for (let first = 0; first < all.length; first += AT_ONCE) {
      const some = all.slice(first, first + AT_ONCE);
      const answers = await Promise.all(some.map(answersOf));
      for (const [index, asked] of answers.entries()) {
        const one = some[index];
        if (one === undefined) continue;
        const own = [
          sharesBought(one, 0, one.dollars),
          sharesBought(one, 1, one.dollars),
          sharesSold(one, 0, one.dollars),
          sharesSold(one, 1, one.dollars),
        ];
        answered += asked.filter((answer) => answer !== null).length;
        if (own.some((answer, place) => answer !== asked[place]))
          differing.push({ ...one, own, asked });
      }
    }
    expect(differing).toEqual([]);
    expect(answered).toBeGreaterThan(runs(400, 20_000));
  });

  /** What the contract says of a pool in such a state; null where it reverts. */
  async function answersOf({
    reserves,
    feeE18,
    dollars,
  }: FixedProductPool & { readonly dollars: bigint }): Promise<readonly (bigint | null)[]> {
    const calls = (['calcBuyAmount', 'calcSellAmount'] as const).flatMap((functionName) =>
      [0n, 1n].map((outcome) => ({
        target: pool,
        allowFailure: true,
        callData: encodeFunctionData({ abi: POOL_ABI, functionName, args: [dollars, outcome] }),
      })),
    );
    const word = (value: bigint): Hex => numberToHex(value, { size: 32 });
    const { data = '0x' } = await node.client.call({
      to: MULTICALL3,
      data: encodeFunctionData({ abi: MULTICALL, functionName: 'aggregate3', args: [calls] }),
      stateOverride: [
        { address: pool, stateDiff: [{ slot: word(FEE_SLOT), value: word(feeE18) }] },
        {
          address: VENUE_C_CHAIN.conditionalTokens,
          stateDiff: market.tokens.map((tokenId, outcome) => ({
            slot: balanceSlot(BigInt(tokenId)),
            value: word(reserves[outcome] ?? 0n),
          })),
        },
      ],
    });
    return decodeFunctionResult({ abi: MULTICALL, functionName: 'aggregate3', data }).map(
      ({ success, returnData }) => (success ? BigInt(returnData) : null),
    );
  }

  function balanceSlot(tokenId: bigint): Hex {
    const inner = keccak256(
      encodeAbiParameters(parseAbiParameters('uint256, uint256'), [tokenId, BALANCES_SLOT]),
    );
    return keccak256(encodeAbiParameters(parseAbiParameters('address, bytes32'), [pool, inner]));
  }
});

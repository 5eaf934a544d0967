import * as fc from 'fast-check';
import { zeroHash, type Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadKeccak } from '../../../../src/adapters/wire/keccak.ts';
import { VENUE_A_CHAIN } from '../../../../src/sandbox/venues/venue-a/chain/chain-addresses.ts';
import { CONDITIONAL_TOKENS_ABI } from '../../../../src/sandbox/chains/evm/contract-abis.ts';
import { startChainFixture, type ChainFixture } from '../../../support/fixtures/relayer-fixture.ts';
import { chainIds } from '../../../../src/sandbox/chains/evm/outcome-ids.ts';
import { conditionTerms } from '../../../../src/sandbox/venues/venue-a/markets/market-ids.ts';

const keccak = await loadKeccak();
const TERMS = conditionTerms(7);
const contract = { address: VENUE_A_CHAIN.conditionalTokens, abi: CONDITIONAL_TOKENS_ABI } as const;

describe('the names of a market', () => {
  let fixture: ChainFixture;
  beforeAll(async () => {
    fixture = await startChainFixture();
  });
  afterAll(() => fixture.close());

  it('are those the conditional tokens contract gives, whatever the slug', async () => {
    const { client } = fixture.node;
    const onChain = async (questionId: Hex) => {
      const conditionId = await client.readContract({
        ...contract,
        functionName: 'getConditionId',
        args: [TERMS.oracle as Hex, questionId, 2n],
      });
      const tokens = await Promise.all(
        [1n, 2n].map(async (indexSet) => {
          const collection = await client.readContract({
            ...contract,
            functionName: 'getCollectionId',
            args: [zeroHash, conditionId, indexSet],
          });
          return String(
            await client.readContract({
              ...contract,
              functionName: 'getPositionId',
              args: [TERMS.collateral as Hex, collection],
            }),
          );
        }),
      );
      return { marketId: conditionId, tokens };
    };
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 40 }), async (slug) => {
        const { questionId, ...names } = chainIds(keccak, TERMS, slug);
        expect(names).toEqual(await onChain(questionId as Hex));
      }),
      { numRuns: 60 },
    );
  });

  it('are the same for the same world, and others in another', () => {
    expect(chainIds(keccak, conditionTerms(7), 'a-market')).toEqual(
      chainIds(keccak, TERMS, 'a-market'),
    );
    expect(chainIds(keccak, conditionTerms(8), 'a-market')).not.toEqual(
      chainIds(keccak, TERMS, 'a-market'),
    );
  });
});

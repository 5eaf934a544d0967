import { BaseError, ContractFunctionRevertedError, encodeFunctionData, type Hex } from 'viem';
import { CONDITIONAL_TOKENS_ABI } from '../../../chains/evm/contract-abis.ts';
import type { LocalChain } from '../../../chains/evm/local-chain.ts';
import { contractsOf, VENUE_C_CHAIN } from '../chain-addresses.ts';
import type { VenueMarket } from '../model/market.ts';
import { BOOK_EXCHANGE_ABI, GROUP_ADAPTER_ABI } from './exchange-abi.ts';

const framework = {
  address: VENUE_C_CHAIN.conditionalTokens,
  abi: CONDITIONAL_TOKENS_ABI,
} as const;

/**
 * Makes a market's tokens exist; what is there stays. Errors: `chain_unavailable`,
 * `chain_reverted`.
 */
export async function prepareCondition(chain: LocalChain, market: VenueMarket): Promise<void> {
  if (await isPrepared(chain, market)) return;
  const oracle = chain.sender('oracle');
  await oracle.send({
    to: VENUE_C_CHAIN.conditionalTokens,
    data: encodeFunctionData({
      abi: CONDITIONAL_TOKENS_ABI,
      functionName: 'prepareCondition',
      args: [contractsOf(market).adapter ?? oracle.address, hex(market.questionId), 2n],
    }),
  });
}

/**
 * Makes a market's tokens exist and tradable by orders; what is there stays. Errors:
 * `chain_unavailable`, `chain_reverted`.
 */
export async function prepareMarket(chain: LocalChain, market: VenueMarket): Promise<void> {
  const oracle = chain.sender('oracle');
  const { exchange } = contractsOf(market);
  await prepareCondition(chain, market);
  const isListed = await chain.node.client
    .readContract({
      address: exchange,
      abi: BOOK_EXCHANGE_ABI,
      functionName: 'outcomeOf',
      args: [BigInt(market.tokens[0])],
    })
    .then(() => true, isUnlisted);
  if (!isListed)
    await oracle.send({
      to: exchange,
      data: encodeFunctionData({
        abi: BOOK_EXCHANGE_ABI,
        functionName: 'listPair',
        args: [hex(market.conditionId)],
      }),
    });
}

/**
 * Reports how a market ended, once, where it has tokens on the chain: payouts of YES and NO.
 * Errors: `chain_unavailable`, `chain_reverted`.
 */
export async function reportMarket(
  chain: LocalChain,
  market: VenueMarket,
  payouts: readonly [number, number],
): Promise<void> {
  if (!(await isPrepared(chain, market))) return;
  const reported = await chain.node.client.readContract({
    ...framework,
    functionName: 'payoutDenominator',
    args: [hex(market.conditionId)],
  });
  if (reported > 0n) return;
  const [questionId, parts] = [hex(market.questionId), payouts.map((micros) => BigInt(micros))];
  await chain.sender('oracle').send(
    market.group === null
      ? {
          to: VENUE_C_CHAIN.conditionalTokens,
          data: encodeFunctionData({
            abi: CONDITIONAL_TOKENS_ABI,
            functionName: 'reportPayouts',
            args: [questionId, parts],
          }),
        }
      : {
          to: VENUE_C_CHAIN.groupAdapter,
          data: encodeFunctionData({
            abi: GROUP_ADAPTER_ABI,
            functionName: 'reportOutcome',
            args: [hex(market.group.groupId), questionId, parts],
          }),
        },
  );
}

/** The exchange says of a token it does not know that it does not know it. */
function isUnlisted(error: unknown): false {
  if (
    error instanceof BaseError &&
    error.walk((step) => step instanceof ContractFunctionRevertedError) !== null
  )
    return false;
  throw error;
}

async function isPrepared({ node }: LocalChain, { conditionId }: VenueMarket): Promise<boolean> {
  const slots = await node.client.readContract({
    ...framework,
    functionName: 'getOutcomeSlotCount',
    args: [hex(conditionId)],
  });
  return slots > 0n;
}

function hex(text: string): Hex {
  return text as Hex; // outcome-ids.ts made it: a hash
}

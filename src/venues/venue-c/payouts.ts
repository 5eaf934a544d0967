import { parseAbi, type Abi } from 'viem';
import { readContract } from '../../adapters/evm/token-facts.ts';
import type { Resolution } from '../../domain/market.ts';
import { TICKS_PER_USD } from '../../domain/units.ts';
import type { EvmChain } from '../../ports/evm.ts';

const abi: Abi = parseAbi([
  'function payoutDenominator(bytes32 conditionId) view returns (uint256)',
  'function payoutNumerators(bytes32 conditionId, uint256 outcome) view returns (uint256)',
]);

/** Asks the chain what a condition pays each outcome; null while that is not decided. */
export type PayoutReads = (conditionId: string) => Promise<Resolution['payoutTicks'] | null>;

/**
 * Creates the reads of payouts at the conditional tokens' contract: of a voided market each outcome
 * is paid its part, and the venue names no winner then. Errors: `chain_unavailable`.
 */
export function createPayoutReads(
  chain: Pick<EvmChain, 'call'>,
  conditionalTokens: string,
): PayoutReads {
  const read = async (functionName: string, args: readonly unknown[]): Promise<bigint> =>
    (await readContract<bigint>(chain, { to: conditionalTokens, abi, functionName, args })) ?? 0n;
  return async (conditionId) => {
    const [whole, first] = await Promise.all([
      read('payoutDenominator', [conditionId]),
      read('payoutNumerators', [conditionId, 0n]),
    ]);
    if (whole === 0n) return null;
    const ticks = Number((first * BigInt(TICKS_PER_USD)) / whole);
    return [ticks, TICKS_PER_USD - ticks];
  };
}

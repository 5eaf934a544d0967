import { chainAccount } from '../../../chains/evm/chain-keys.ts';
import type { ConditionTerms } from '../../../chains/evm/outcome-ids.ts';
import { VENUE_A_CHAIN } from '../chain/chain-addresses.ts';

/**
 * What the names of a seed's markets follow from: its oracle account, and the venue's collateral.
 */
export function conditionTerms(seed: number): ConditionTerms {
  return {
    seed,
    oracle: chainAccount(seed, 'oracle').address,
    collateral: VENUE_A_CHAIN.collateral,
  };
}

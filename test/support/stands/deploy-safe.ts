import type { Hex } from 'viem';
import {
  isSafeStanding,
  placeSafeProxy,
  safeOf,
  safeSetup,
} from '../../../src/sandbox/venues/venue-a/wallets/place-safe.ts';
import type { DeployedChain } from '../../../src/sandbox/chains/evm/deploy-chain.ts';

/** A Safe that stands. */
export interface StandingSafe {
  readonly safe: Hex;
  /** Of its set-up; null when it stood already. */
  readonly transactionHash: Hex | null;
}

/**
 * Makes the Safe the venue's rule gives to `owner` stand, in place of the venue's factory: `placeSafeProxy`, then `safeSetup` from the
 * sandbox's deployer. May run again, also after it was cut short; twice at once it makes one Safe.
 * Errors: `chain_unavailable`, `chain_reverted`.
 */
export async function deploySafe(chain: DeployedChain, owner: Hex): Promise<StandingSafe> {
  const safe = safeOf(owner);
  if (await isSafeStanding(chain, safe)) return { safe, transactionHash: null };
  await placeSafeProxy(chain, owner);
  const { receipt } = await chain.sender('deployer').submit(safeSetup(chain, owner));
  const { transactionHash, status } = await receipt;
  // Reverted: another call for the same owner was first.
  return { safe, transactionHash: status === 'success' ? transactionHash : null };
}

import { keccak256, toHex, type PrivateKeyAccount } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

/**
 * Accounts of the sandbox on its chains. None of them is anybody's: a seed makes them, so they must
 * never hold real money.
 */
export type ChainRole = 'deployer' | 'relayer' | 'operator' | 'bridge' | 'oracle' | 'fees';

/** The account of a role in the world of `seed`: the same one in every run. */
export function chainAccount(seed: number, role: ChainRole | `maker:${string}`): PrivateKeyAccount {
  return privateKeyToAccount(keccak256(toHex(`predictd sandbox chain account ${seed} ${role}`)));
}

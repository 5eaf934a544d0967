import { encodeFunctionData, padHex, zeroAddress } from 'viem';
import type { Hex } from 'viem';
import type { Address } from '../../domain/ids.ts';
import { asId } from '../../domain/ids.ts';
import { deriveWallets } from '../servers/wallet-derivation.ts';
import { SAFE_ABI } from './contract-abis.ts';
import type { DeployedChain } from './deploy-venue-a.ts';
import { safeArtifact } from './package-code.ts';
import { hasCode } from './place-code.ts';

/** A Safe that stands. */
export interface StandingSafe {
  readonly safe: Hex;
  /** Of its set-up; null when it stood already. */
  readonly transactionHash: Hex | null;
}

/**
 * Makes the Safe the venue's rule gives to `owner` stand, in place of the venue's factory. The creation code behind the rule's hash is not
 * public, so no transaction can put a contract at the derived address: the node puts a Safe proxy there, and a real transaction of the
 * relayer sets it up. Only a local node can do that. May run again, also after it was cut short; twice at once it makes one Safe.
 * Errors: `chain_unavailable`, `chain_reverted`.
 */
export async function deploySafe(chain: DeployedChain, owner: Hex): Promise<StandingSafe> {
  const safe = deriveWallets(asId<Address>(owner)).safe as unknown as Hex; // an Address is checksummed 0x hex
  if (await isSafeStanding(chain, safe)) return { safe, transactionHash: null };
  if (!(await hasCode(chain.node, safe))) {
    // The singleton first: a proxy without one would swallow every call.
    await chain.node.client.setStorageAt({ address: safe, index: 0, value: padHex(chain.safes.safeL2, { size: 32 }) });
    await chain.node.client.setCode({ address: safe, bytecode: safeArtifact(PROXY).deployedBytecode });
  }
  const setup = encodeFunctionData({ abi: SAFE_ABI, functionName: 'setup', args: [[owner], 1n, zeroAddress, '0x', chain.safes.fallbackHandler, zeroAddress, 0n, zeroAddress] });
  const { receipt } = await chain.sender('relayer').submit({ to: safe, data: setup });
  const { transactionHash, status } = await receipt;
  // Reverted: another call for the same owner was first.
  return { safe, transactionHash: status === 'success' ? transactionHash : null };
}

/** True when the Safe has its owner: code alone may be a proxy whose set-up was cut short. */
export async function isSafeStanding(chain: DeployedChain, safe: Hex): Promise<boolean> {
  if (!(await hasCode(chain.node, safe))) return false;
  return (await chain.node.client.readContract({ address: safe, abi: SAFE_ABI, functionName: 'getThreshold' })) > 0n;
}

const PROXY = 'proxies/SafeProxy.sol/SafeProxy';

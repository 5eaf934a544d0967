import { encodeFunctionData, padHex, zeroAddress, type Hex } from 'viem';
import { asId, type Address } from '../../../../domain/ids.ts';
import { deriveWallets } from './wallet-derivation.ts';
import { SAFE_ABI } from '../../../chains/evm/contract-abis.ts';
import { SAFE_PROXY, safeArtifact } from '../../../chains/evm/package-code.ts';
import { hasCode } from '../../../chains/evm/place-code.ts';
import type { DeployedChain } from '../../../chains/evm/deploy-chain.ts';

/** The Safe the venue's rule gives to `owner`, standing or not. */
export function safeOf(owner: Hex): Hex {
  // an Address is checksummed 0x hex
  return deriveWallets(asId<Address>(owner)).safe as unknown as Hex;
}

/** True when the Safe has its owner: code alone may be a proxy whose set-up was cut short. */
export async function isSafeStanding(chain: DeployedChain, safe: Hex): Promise<boolean> {
  if (!(await hasCode(chain.node, safe))) return false;
  return (
    (await chain.node.client.readContract({
      address: safe,
      abi: SAFE_ABI,
      functionName: 'getThreshold',
    })) > 0n
  );
}

/**
 * Puts a Safe's proxy, not yet set up, at the address the venue's rule gives to `owner`. The
 * creation code behind the rule's hash is not public, so no transaction can put a contract there:
 * the node does, and only a local one can. Does nothing where there is code.
 */
export async function placeSafeProxy(chain: DeployedChain, owner: Hex): Promise<void> {
  const address = safeOf(owner);
  if (await hasCode(chain.node, address)) return;
  // The singleton first: a proxy without one would swallow every call.
  await chain.node.client.setStorageAt({
    address,
    index: 0,
    value: padHex(chain.safes.safeL2, { size: 32 }),
  });
  await chain.node.client.setCode({
    address,
    bytecode: safeArtifact(SAFE_PROXY).deployedBytecode,
  });
}

/** The call that gives a placed Safe its one owner; reverts on a Safe that has one. */
export function safeSetup(
  chain: DeployedChain,
  owner: Hex,
): { readonly to: Hex; readonly data: Hex } {
  const args = [
    [owner],
    1n,
    zeroAddress,
    '0x',
    chain.safes.fallbackHandler,
    zeroAddress,
    0n,
    zeroAddress,
  ] as const;
  return {
    to: safeOf(owner),
    data: encodeFunctionData({ abi: SAFE_ABI, functionName: 'setup', args }),
  };
}

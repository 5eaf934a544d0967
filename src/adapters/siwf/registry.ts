import { decodeFunctionResult, encodeAbiParameters, encodeFunctionData, parseAbi } from 'viem';
import { AppError } from '../../domain/errors.ts';
import { asId, type Address } from '../../domain/ids.ts';
import type { EvmChain, Hex } from '../../ports/evm.ts';
import type { SocialRegistry } from '../../ports/social.ts';

/** Whose custody address an address is; one at most (identity.md section 4). */
export const ID_REGISTRY = asId<Address>('0x00000000Fc6c5F01Fc30151999387Bb99A9f489b');
/** Keys that identities have registered. */
export const KEY_REGISTRY = asId<Address>('0x00000000fC1237824fb747aBDE0FF18990E59b7e');

/** What is asked of the registries, and of a contract that signs (EIP-1271). */
export const REGISTRY_ABI = parseAbi([
  'function idOf(address owner) view returns (uint256 fid)',
  'function keyDataOf(uint256 fid, bytes key) view returns (uint8 state, uint32 keyType)',
  'function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)',
]);

/** A key that signs in for its identity, in its registered state: type 2, state 1 (added). */
const AUTH_KEY_TYPE = 2;
const ADDED = 1;
const VALID_SIGNATURE = '0x1626ba7e';

/**
 * Reads the protocol's registries on its chain. A node's word is what the chain says at its newest
 * block.
 */
export function createSocialRegistry(chain: Pick<EvmChain, 'call' | 'hasCode'>): SocialRegistry {
  const ask = async (to: Address, data: Hex): Promise<Hex> => {
    const answer = await chain.call(to, data);
    if (answer === '0x') throw new AppError('chain_unavailable', `there is no registry at ${to}`);
    return answer;
  };
  return {
    speaksFor: (fid, address) =>
      answered(async () => {
        const owned = await ask(
          ID_REGISTRY,
          encodeFunctionData({ abi: REGISTRY_ABI, functionName: 'idOf', args: [hex(address)] }),
        );
        if (decodeFunctionResult({ abi: REGISTRY_ABI, functionName: 'idOf', data: owned }) === fid)
          return true;
        const key = encodeAbiParameters([{ type: 'address' }], [hex(address)]);
        const kept = await ask(
          KEY_REGISTRY,
          encodeFunctionData({ abi: REGISTRY_ABI, functionName: 'keyDataOf', args: [fid, key] }),
        );
        const [state, keyType] = decodeFunctionResult({
          abi: REGISTRY_ABI,
          functionName: 'keyDataOf',
          data: kept,
        });
        return state === ADDED && keyType === AUTH_KEY_TYPE;
      }),
    hasSigned: (address, digest, signature) =>
      answered(async () => {
        if (!(await chain.hasCode(address))) return false;
        try {
          const answer = await chain.call(
            address,
            encodeFunctionData({
              abi: REGISTRY_ABI,
              functionName: 'isValidSignature',
              args: [digest, signature],
            }),
          );
          return answer.length === 66 && answer.startsWith(VALID_SIGNATURE);
        } catch (error) {
          if (error instanceof AppError && error.code === 'chain_reverted') return false;
          throw error;
        }
      }),
  };
}

/**
 * The chain's faults in the words of sign-in: whoever comes with a message cannot do anything about
 * a node.
 */
async function answered(work: () => Promise<boolean>): Promise<boolean> {
  try {
    return await work();
  } catch (cause) {
    throw new AppError(
      'sign_in_unavailable',
      'the registries of the social protocol do not answer; begin again',
      { cause },
    );
  }
}

function hex(address: Address): Hex {
  return address as unknown as Hex; // an Address is checksummed 0x hex by contract
}

import {
  decodeFunctionResult,
  domainSeparator,
  encodeFunctionData,
  hashTypedData,
  parseAbi,
} from 'viem';
import { AppError, assert } from '../../domain/errors.ts';
import type { Address } from '../../domain/ids.ts';
import type { EvmChain, Hex } from '../../ports/evm.ts';
import type { KeyVault } from '../../ports/key-vault.ts';
import type { Permits } from '../../ports/permits.ts';
import { bytesOfHex, hexOf } from '../wire/hex.ts';

const ABI = parseAbi([
  'function name() view returns (string)',
  'function nonces(address owner) view returns (uint256)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
]);
const PERMIT = {
  Permit: [
    { name: 'owner', type: 'address' },
    { name: 'spender', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const;
/**
 * Versions tokens sign under: OpenZeppelin's is "1", the dollar issuer's "2". The token's own
 * separator tells which.
 */
const VERSIONS = ['2', '1'] as const;

/**
 * Makes permits over one chain; what a token signs under is read from the token itself, never
 * assumed.
 */
export function createPermits({
  chain,
  vault,
}: {
  readonly chain: Pick<EvmChain, 'chainId' | 'call'>;
  readonly vault: Pick<KeyVault, 'addressOf' | 'signDigest'>;
}): Permits {
  const ask = async (token: Address, data: Hex): Promise<Hex> => {
    const answer = await chain.call(token, data);
    if (answer === '0x') throw new AppError('chain_reverted', `${token} answers nothing`);
    return answer;
  };
  return {
    async sign(userId, { token, spender, amount, deadlineSeconds }) {
      const owner = vault.addressOf(userId);
      try {
        const [name, nonce, separator] = await Promise.all([
          ask(token, encodeFunctionData({ abi: ABI, functionName: 'name' })).then((data) =>
            decodeFunctionResult({ abi: ABI, functionName: 'name', data }),
          ),
          ask(
            token,
            encodeFunctionData({ abi: ABI, functionName: 'nonces', args: [hex(owner)] }),
          ).then(BigInt),
          ask(token, encodeFunctionData({ abi: ABI, functionName: 'DOMAIN_SEPARATOR' })),
        ]);
        const domains = VERSIONS.map((version) => ({
          name,
          version,
          chainId: chain.chainId,
          verifyingContract: hex(token),
        }));
        const domain = domains.find((each) => domainSeparator({ domain: each }) === separator);
        if (domain === undefined) return null;
        const message = {
          owner: hex(owner),
          spender: hex(spender),
          value: amount,
          nonce,
          deadline: BigInt(deadlineSeconds),
        };
        const digest = bytesOfHex(
          hashTypedData({ domain, types: PERMIT, primaryType: 'Permit', message }),
          32,
        );
        assert(digest !== null, 'a digest has 32 bytes');
        return {
          token,
          spender,
          amount,
          deadlineSeconds,
          owner,
          signature: hexOf(vault.signDigest(userId, digest)),
        };
      } catch (cause) {
        // A token without these functions refuses the question.
        if (cause instanceof AppError && cause.code === 'chain_reverted') return null;
        throw cause;
      }
    },
  };
}

function hex(address: Address): Hex {
  return address as unknown as Hex; // an Address is checksummed 0x hex by contract
}

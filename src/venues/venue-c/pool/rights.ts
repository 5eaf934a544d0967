import { encodeFunctionData, erc20Abi, parseAbi } from 'viem';
import { readContract } from '../../../adapters/evm/token-facts.ts';
import type { Address } from '../../../domain/ids.ts';
import type { TradeSide } from '../../../domain/order.ts';
import type { EvmClients } from '../../../ports/chain-clients.ts';
import type { EvmCall } from '../../../ports/evm.ts';
import type { PoolMoney } from './contract.ts';

const abi = parseAbi([
  'function isApprovedForAll(address owner, address operator) view returns (bool)',
  'function setApprovalForAll(address operator, bool approved)',
]);

/** A trade that needs a right. */
interface RightQuestion {
  readonly wallet: Address;
  readonly pool: Address;
  readonly side: TradeSide;
  /** Paid for a purchase. */
  readonly dollars: bigint;
}

/**
 * Returns the call that gives a pool the right a trade needs; null where it has it. For a purchase
 * it is over just the dollars paid, for a sale over the wallet's shares, for these know no other.
 * Errors: `chain_unavailable`.
 */
export async function missingRight(
  { evm, accounts }: Pick<EvmClients, 'evm' | 'accounts'>,
  { usdc, conditionalTokens }: PoolMoney,
  { wallet, pool, side, dollars }: RightQuestion,
): Promise<EvmCall | null> {
  if (side === 'buy') {
    if ((await accounts.allowance(usdc, wallet, pool)) >= dollars) return null;
    const args = [pool as `0x${string}`, dollars] as const; // an Address is checksummed 0x hex
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args });
    return { to: usdc, data, valueWei: 0n };
  }
  const isApproved = await readContract<boolean>(evm, {
    to: conditionalTokens,
    abi,
    functionName: 'isApprovedForAll',
    args: [wallet, pool],
  });
  if (isApproved === true) return null;
  const args = [pool as `0x${string}`, true] as const; // as above
  const data = encodeFunctionData({ abi, functionName: 'setApprovalForAll', args });
  return { to: conditionalTokens, data, valueWei: 0n };
}

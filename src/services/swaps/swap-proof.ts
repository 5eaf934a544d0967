import { SWAP } from '../../../config/limits/tokens.ts';
import { asId, type Address } from '../../domain/ids.ts';
import type { Web3ChainId } from '../../domain/web3-chains.ts';
import type { EvmAccounts } from '../../ports/evm-account.ts';
import type { EvmChain, Hex } from '../../ports/evm.ts';
import { transfersOf } from '../wallets/contract-calls.ts';
import { isSameAddress } from '../wallets/contracts.ts';

/** The nodes of one chain. */
export interface SwapNodes {
  readonly evm: EvmChain;
  readonly accounts: EvmAccounts;
}

/**
 * What a final transaction brought one wallet of one token, or with null of the coin; null while it
 * is not final. Errors: `chain_unavailable`.
 */
export async function arrivedIn(
  { evm, accounts }: SwapNodes,
  transactionHash: string,
  { owner, token }: { readonly owner: Address; readonly token: string | null },
): Promise<bigint | null> {
  const hash = transactionHash as Hex; // checked by whoever gives it
  const receipt = await evm.receipt(hash);
  if (receipt === null || receipt.confirmations < SWAP.confirmations) return null;
  if (!receipt.succeeded) return 0n;
  if (token === null) return (await accounts.coinChange(owner, hash)) ?? null;
  return transfersOf(receipt, asId<Address>(token)).reduce(
    (sum, { from, to, amount }) =>
      sum + (isSameAddress(to, owner) ? amount : 0n) - (isSameAddress(from, owner) ? amount : 0n),
    0n,
  );
}

/** Nodes by chain. */
export type SwapNodesOf = (chain: Web3ChainId) => SwapNodes | null;

/** Reports whether a text is a transaction's hash. */
export function isHash(text: string): text is Hex {
  return /^0x[0-9a-fA-F]{64}$/.test(text);
}

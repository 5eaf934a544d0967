import { SWAP } from '../../../config/limits/tokens.ts';
import { AppError } from '../../domain/errors.ts';
import { asId, type Address } from '../../domain/ids.ts';
import type { Web3ChainId } from '../../domain/web3-chains.ts';
import type { EvmAccounts } from '../../ports/evm-account.ts';
import type { EvmChain, Hex } from '../../ports/evm.ts';
import type { Solana, SolanaChanges, SolanaOffered } from '../../ports/solana.ts';
import { coinSwapped, transfersOf } from '../wallets/contract-calls.ts';
import { isSameAddress } from '../wallets/contracts.ts';

/** The nodes of one chain. */
export type SwapNodes = EvmSwapNodes | SolanaSwapNodes;

/** The nodes of an EVM chain. */
export interface EvmSwapNodes {
  readonly kind: 'evm';
  readonly evm: EvmChain;
  readonly accounts: EvmAccounts;
}

/** The nodes of Solana. */
export interface SolanaSwapNodes {
  readonly kind: 'solana';
  readonly solana: Pick<Solana, 'lamports' | 'tokenAccounts' | 'tokenDecimals'> & SolanaChanges;
  readonly offered: SolanaOffered;
}

/**
 * What a final transaction brought one wallet of one token, or with null of the coin; null while it
 * is not final. Errors: `chain_unavailable`, for the coin also where the node has forgotten the
 * balances around the transaction's block.
 */
export async function arrivedIn(
  nodes: SwapNodes,
  transactionHash: string,
  { owner: wallet, token }: { readonly owner: string; readonly token: string | null },
): Promise<bigint | null> {
  if (nodes.kind === 'solana') return nodes.solana.change(transactionHash, wallet, token);
  const { evm, accounts } = nodes;
  const owner = asId<Address>(wallet);
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

/**
 * What the router's contract says a final transaction brought one wallet of the coin; null where
 * its events do not say, undefined while the transaction is not final. It takes the place of the
 * balances where the node no longer knows them: a pruned node after some minutes, a local one once
 * it was started anew. Errors: `chain_unavailable`.
 */
export async function coinInReceipt(
  { evm }: EvmSwapNodes,
  hash: Hex,
  { owner, contracts }: { readonly owner: Address; readonly contracts: readonly string[] },
): Promise<bigint | null | undefined> {
  const receipt = await evm.receipt(hash);
  if (receipt === null || receipt.confirmations < SWAP.confirmations) return undefined;
  return receipt.succeeded ? coinSwapped(receipt, { contracts, receiver: owner }) : 0n;
}

/**
 * Reports whether a node that answers for now does not for the balances around a transaction's
 * block. Errors: `chain_unavailable` where it does not answer at all.
 */
export async function hasForgotten(
  { accounts }: EvmSwapNodes,
  owner: Address,
  hash: Hex,
): Promise<boolean> {
  await accounts.nonce(owner, 1);
  try {
    await accounts.coinChange(owner, hash);
    return false;
  } catch (error) {
    if (error instanceof AppError) return true;
    throw error;
  }
}

/** Nodes by chain. */
export type SwapNodesOf = (chain: Web3ChainId) => SwapNodes | null;

/** Reports whether a text is the name of a transaction on a chain. */
export function isTransactionName(chain: Web3ChainId, text: string): boolean {
  return (chain === 'SOLANA' ? /^[1-9A-HJ-NP-Za-km-z]{64,88}$/ : /^0x[0-9a-fA-F]{64}$/).test(text);
}

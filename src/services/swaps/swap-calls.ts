import { asId, type Address } from '../../domain/ids.ts';
import type { OfferedEvmTransaction } from '../../domain/swap-checks.ts';
import type { EvmCall } from '../../ports/evm.ts';
import { approveCall } from '../wallets/contract-calls.ts';
import type { EvmSwapNodes } from './swap-proof.ts';
import type { SwapQuote } from './swap-quotes.ts';

/**
 * Returns what gives the exact right, never more, before a swap; some tokens take a new right only
 * after the old one was taken back (web3.md section 2.4). A right that is there already may be that
 * of a swap before it in the queue, which will use it up: each swap brings its own. Errors:
 * `chain_unavailable`.
 */
export async function approvalsFor(
  { accounts }: EvmSwapNodes,
  { asked, sell, offer }: Pick<SwapQuote, 'asked' | 'sell' | 'offer'>,
): Promise<readonly EvmCall[]> {
  if (sell.address === null) return [];
  const [token, owner, spender] = [sell.address, asked.sender, offer.spender].map((text) =>
    asId<Address>(text),
  ) as [Address, Address, Address]; // three in, three out
  const given = await accounts.allowance(token, owner, spender);
  const exact = approveCall(token, spender, asked.amount);
  return given === 0n ? [exact] : [approveCall(token, spender, 0n), exact];
}

/** The router's call, as it is carried. */
export function callOf({ to, data, valueWei }: OfferedEvmTransaction): EvmCall {
  return { to: asId<Address>(to), data, valueWei };
}

import { scaledDecimal } from '../../../domain/decimal-text.ts';
import { formatTokenAmount } from '../../../domain/token-amount.ts';
import { web3Chain } from '../../../domain/web3-chains.ts';
import type { Holding } from './holdings.ts';

/** Lamports that a sale on Solana may take at most, as the daemon bounds it: fee and rents. */
const SOLANA_MAXIMUM = 10_000_000n;

/**
 * Returns the most of a coin that can be sold beside the gas of its sale, as decimal text; null
 * where that leaves nothing. `gasMaximum` is the most the sale may cost now, in the coin: twice
 * that stays, since the network's fee may rise before the sale is sent. On Solana the most that a
 * sale may take stays, rents among it: an account that is left with less than its own rent is
 * refused.
 */
export function mostOfCoin(
  { chain, balance }: Pick<Holding, 'chain' | 'balance'>,
  gasMaximum: string,
): string | null {
  const { decimals } = web3Chain(chain).native;
  const held = scaledDecimal(balance, decimals) ?? 0n;
  const stays =
    chain === 'SOLANA' ? SOLANA_MAXIMUM : 2n * (scaledDecimal(gasMaximum, decimals) ?? held);
  return held > stays ? formatTokenAmount(held - stays, decimals) : null;
}

import { AppError } from '../../domain/errors.ts';
import type { Address } from '../../domain/ids.ts';
import type { EvmChain } from '../../ports/evm.ts';

/** Selector of `decimals()`. */
const DECIMALS_CALL = '0x313ce567';
/** Some tokens have 24; beyond this a number means nothing. */
const DECIMALS_MAXIMUM = 36;

/**
 * Returns the decimals that a token of an EVM chain states; null for no token. Errors:
 * `chain_unavailable`.
 */
export async function evmDecimals(
  evm: Pick<EvmChain, 'call'>,
  token: Address,
): Promise<number | null> {
  try {
    const answer = await evm.call(token, DECIMALS_CALL);
    const decimals = answer === '0x' ? Infinity : Number(BigInt(answer));
    return decimals > DECIMALS_MAXIMUM ? null : decimals;
  } catch (error) {
    if (error instanceof AppError && error.code === 'chain_reverted') return null;
    throw error;
  }
}

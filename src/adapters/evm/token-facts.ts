import { decodeFunctionResult, encodeFunctionData, erc20Abi, type Abi } from 'viem';
import { AppError } from '../../domain/errors.ts';
import { asId, type Address } from '../../domain/ids.ts';
import type { EvmChain } from '../../ports/evm.ts';
import type { TokenFacts } from '../../ports/pair-exchange.ts';

type Chain = Pick<EvmChain, 'call'>;

/**
 * Returns what a contract's function answers, typed by the ABI's line of that name; null where
 * there is no code, it reverts, or the answer is of another form. Errors: those of the chain.
 */
export async function readContract<T>(
  chain: Chain,
  {
    to,
    abi,
    functionName,
    args,
  }: {
    readonly to: string;
    readonly abi: Abi;
    readonly functionName: string;
    readonly args: readonly unknown[];
  },
): Promise<T | null> {
  try {
    const data = await chain.call(
      asId<Address>(to),
      encodeFunctionData({ abi, functionName, args: [...args] }),
    );
    // by the line of the list named here
    return data === '0x' ? null : (decodeFunctionResult({ abi, functionName, data }) as T);
  } catch (error) {
    if (error instanceof AppError && error.code !== 'chain_reverted') throw error;
    return null;
  }
}

/**
 * Returns what a token says of itself, its texts empty where it says none; null where there is no
 * token. Errors: those of the chain.
 */
export async function readTokenFacts(chain: Chain, address: Address): Promise<TokenFacts | null> {
  const read = <T>(functionName: string): Promise<T | null> =>
    readContract<T>(chain, { to: address, abi: erc20Abi, functionName, args: [] });
  const [decimals, totalSupply, name, symbol] = await Promise.all([
    read<number>('decimals'),
    read<bigint>('totalSupply'),
    read<string>('name'),
    read<string>('symbol'),
  ]);
  return decimals === null || totalSupply === null || decimals > DECIMALS_MAXIMUM
    ? null
    : { decimals, totalSupply, name: name ?? '', symbol: symbol ?? '' };
}

/** Beyond this a number of decimals means nothing. */
const DECIMALS_MAXIMUM = 36;

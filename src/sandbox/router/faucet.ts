import { isAddress, zeroAddress } from 'viem';
import { z } from 'zod';
import { SWAP_CHAIN } from '../../../config/limits/sandbox-chains.ts';
import { ok, readJson, type Call, type Reply } from '../wire/http-server.ts';
import type { NamedCalls } from '../wire/named-calls.ts';
import type { QuoteParts } from './quote-parts.ts';
import { hex, unitsOf } from './swap-chain.ts';

const amount = z.number().positive().max(SWAP_CHAIN.giftMaximum).optional();
const requestSchema = z.strictObject({
  chain: z.enum(['ETHEREUM', 'BASE', 'POLYGON', 'BSC', 'ARBITRUM']),
  address: z.string().refine((text) => isAddress(text), 'an address'),
  /** Whole coins of the chain, and whole dollars. */
  coins: amount,
  dollars: amount,
  /** A call of this name gives once, however often it is made. */
  name: z.string().max(200).optional(),
});

/** Gives coins and test dollars of one of the router's chains: `POST /sandbox/faucet`. */
export async function give(
  { body }: Call,
  { chains, gifts }: Pick<QuoteParts, 'chains'> & { readonly gifts: NamedCalls<Promise<Reply>> },
): Promise<Reply> {
  const read = requestSchema.safeParse(readJson(body));
  if (!read.success)
    return { kind: 'json', status: 400, body: { error: z.prettifyError(read.error) } };
  const { chain, address, coins = 0, dollars = 0, name } = read.data;
  return gifts(name, async () => {
    const opened = await chains.open(chain);
    await opened.give(zeroAddress, address, unitsOf(coins, { decimals: 18 }));
    await opened.give(hex(opened.dollar), address, unitsOf(dollars, opened.dollar));
    return ok({ chain, address, coins, dollars });
  });
}

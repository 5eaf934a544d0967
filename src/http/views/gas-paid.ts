import { z } from 'zod';
import type { GasPaid } from '../../domain/fill.ts';
import { formatTokenAmount } from '../../domain/token-amount.ts';
import { web3Chain } from '../../domain/web3-chains.ts';
import { decimalOut } from '../routes/fields.ts';

/** What the network took for a transaction, in answers. */
export const gasPaidOut = z
  .object({
    symbol: z.string().meta({ description: "Of the chain's own coin, which your wallet paid." }),
    amount: decimalOut.meta({ description: 'In whole coins, exact, as its chain states it.' }),
  })
  .nullable()
  .meta({
    id: 'GasPaid',
    description:
      'Of what is a transaction of your own wallet: what the network took for it, once a block has it. A right to your money that was given before it, once, is another transaction. Null of what costs you no gas, and where its chain did not state it.',
  });

/** Writes gas as callers see it. */
export function viewGasPaid(gas: GasPaid | undefined): z.input<typeof gasPaidOut> {
  if (gas === undefined) return null;
  const { symbol, decimals } = web3Chain(gas.chain).native;
  return { symbol, amount: formatTokenAmount(BigInt(gas.units), decimals) };
}

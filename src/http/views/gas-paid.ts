import { z } from 'zod';
import type { GasPaid } from '../../domain/fill.ts';
import { formatTokenAmount, worthMicros } from '../../domain/token-amount.ts';
import type { CoinPrice } from '../../services/orders/estimate.ts';
import { web3Chain } from '../../domain/web3-chains.ts';
import { decimalOut } from '../routes/fields.ts';

/** What the network took for a transaction, in answers. */
export const gasPaidOut = z
  .object({
    symbol: z.string().meta({ description: "Of the chain's own coin, which your wallet paid." }),
    amount: decimalOut.meta({ description: 'In whole coins, exact, as its chain states it.' }),
    amountUsd: decimalOut.nullable().meta({
      description: 'At our own price of now; null without one, and in messages of sockets.',
    }),
  })
  .nullable()
  .meta({
    id: 'GasPaid',
    description:
      'Of what is a transaction of your own wallet: what the network took for it, once a block has it. Of a trade with a pool: of the right to your money or shares that it needed, too; the right that an order book needs, once, is another transaction. Of an order: of its transactions that failed, for that of a trade is in its fill; on Solana, once all is final, of all its transactions, for there no fill states any: fees, and rents less those that came back. The rent of your token account is a deposit that stays in it: nothing here closes the account, so it counts as taken. Of a swap: of its approval too. Null of what costs you no gas, and where its chain did not state it.',
  });

/** Writes gas as callers see it, with its worth where the price of its coin is known. */
export function viewGasPaid(
  gas: GasPaid | undefined,
  coinPrice: CoinPrice,
): z.input<typeof gasPaidOut> {
  if (gas === undefined) return null;
  const { symbol, decimals } = web3Chain(gas.chain).native;
  const [units, priceE18] = [BigInt(gas.units), coinPrice(gas.chain)];
  return {
    symbol,
    amount: formatTokenAmount(units, decimals),
    amountUsd:
      priceE18 === null
        ? null
        : formatTokenAmount(worthMicros(units, decimals, priceE18), USD_DECIMALS),
  };
}

/** Has no price of any coin: for messages that are made once for whoever reads them later. */
export const NO_COIN_PRICE: CoinPrice = () => null;

const USD_DECIMALS = 6;

import { z } from 'zod';
import { formatTokenAmount } from '../../domain/token-amount.ts';
import type { DepositAddresses } from '../../ports/bridge.ts';
import type { DepositOnItsWay } from '../../services/funding/deposit-addresses.ts';
import { userRoute } from '../route.ts';
import { decimalOut, timeOut } from './fields.ts';

const chainOut = z.enum(['ETHEREUM', 'POLYGON', 'ARBITRUM', 'BASE', 'OPTIMISM', 'BSC', 'SOLANA', 'BITCOIN', 'TRON']);

const assetOut = z.object({ chain: chainOut, chainId: z.string(), symbol: z.string(), name: z.string(), tokenAddress: z.string(), decimals: z.int(), minimumUsd: decimalOut }).meta({ id: 'DepositAsset' });

const addressesOut = z.object({
  safe: z.string().meta({ description: 'Where the money arrives, on Polygon.' }),
  data: z.array(z.object({ chain: chainOut, address: z.string() })),
  nextCursor: z.null(),
}).meta({ id: 'DepositAddresses' });

const depositOut = z.object({
  chain: chainOut.nullable().meta({ description: 'Null for a token the bridge does not take.' }),
  chainId: z.string(),
  symbol: z.string().nullable(),
  tokenAddress: z.string(),
  amountRaw: z.string(),
  amount: decimalOut.nullable(),
  status: z.enum(['detected', 'processing', 'origin_confirmed', 'submitted', 'completed', 'failed']).meta({ description: "The bridge's word. Money counts once the chain shows it in the Safe." }),
  transactionHash: z.string().nullable().meta({ description: 'Of the credit on Polygon.' }),
  createdAt: timeOut.nullable(),
}).meta({ id: 'Deposit' });

/** Money into the Safe from nine chains. */
export const venueABridgeRoutes = [
  userRoute({
    family: 'venue_a', method: 'POST', path: '/api/venue_a/bridge/deposit-addresses/', budget: 'writes',
    summary: 'Get the addresses that money is sent to, one a chain',
    body: z.strictObject({}).optional(),
    output: addressesOut,
    errors: ['bridge_unavailable', 'store_unavailable'],
    run: async ({ services, userId }) => {
      const { safe, addresses } = await services.deposits.addresses(userId);
      return { safe, data: chainOut.options.map((chain) => ({ chain, address: addressOn(chain, addresses) })), nextCursor: null };
    },
  }),
  userRoute({
    family: 'venue_a', method: 'GET', path: '/api/venue_a/bridge/supported-assets/', budget: 'reads',
    summary: 'List what the bridge takes, with the least of each',
    output: z.object({ data: z.array(assetOut), nextCursor: z.null() }),
    errors: ['bridge_unavailable'],
    run: async ({ services }) => ({ data: [...(await services.deposits.assets())], nextCursor: null }),
  }),
  userRoute({
    family: 'venue_a', method: 'GET', path: '/api/venue_a/bridge/status/:address/', budget: 'reads',
    summary: 'See how far deposits to one of your addresses are',
    params: z.object({ address: z.string().regex(/^[0-9a-zA-Z]{25,100}$/, 'a deposit address') }),
    output: z.object({ data: z.array(depositOut), nextCursor: z.null() }),
    errors: ['not_found', 'bridge_unavailable'],
    run: async ({ services, userId }, { params }) => ({ data: (await services.deposits.status(userId, params.address)).map(viewDeposit), nextCursor: null }),
  }),
];

function addressOn(chain: z.output<typeof chainOut>, { evm, solana, bitcoin, tron }: DepositAddresses): string {
  return chain === 'SOLANA' ? solana : chain === 'BITCOIN' ? bitcoin : chain === 'TRON' ? tron : evm;
}

function viewDeposit({ transfer: { chainId, tokenAddress, amount, status, transactionHash, createdAtMs }, asset }: DepositOnItsWay): z.input<typeof depositOut> {
  return {
    chain: asset?.chain ?? null, chainId, symbol: asset?.symbol ?? null, tokenAddress, amountRaw: amount,
    amount: asset === null ? null : formatTokenAmount(BigInt(amount), asset.decimals),
    status, transactionHash, createdAt: createdAtMs,
  };
}

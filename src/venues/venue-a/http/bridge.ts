import { z } from 'zod';
import type { DepositAddresses } from '../../../ports/bridge.ts';
import { userRoute } from '../../../http/route.ts';
import {
  chainOut,
  depositLineOut,
  depositOut,
  viewDeposit,
  viewDepositLine,
} from '../../../http/views/deposit.ts';
import { checksummed } from '../../../http/routes/evm-address.ts';
import { decimalOut, pageFields, pageOf, pageOut } from '../../../http/routes/fields.ts';
import { VENUE_A_ID } from '../id.ts';

const assetOut = z
  .object({
    chain: chainOut,
    chainId: z.string(),
    symbol: z.string(),
    name: z.string(),
    tokenAddress: z.string(),
    decimals: z.int(),
    minimumUsd: decimalOut,
  })
  .meta({ id: 'DepositAsset' });

const addressesOut = z
  .object({
    safe: z.string().meta({ description: 'Where the money arrives, on Polygon.' }),
    data: z.array(z.object({ chain: chainOut, address: z.string() })),
    nextCursor: z.null(),
  })
  .meta({ id: 'DepositAddresses' });

/** Money into the Safe from nine chains. */
export const bridgeRoutes = [
  userRoute({
    family: VENUE_A_ID,
    method: 'POST',
    path: '/api/venue_a/bridge/deposit-addresses/',
    budget: 'writes',
    operationId: 'createDepositAddresses',
    summary: 'Get the addresses that money is sent to, one a chain',
    description:
      'One address for each chain; what is sent there arrives in your Safe on Polygon. Asking again gives the ' +
      'same addresses.',
    output: addressesOut,
    errors: ['bridge_unavailable', 'store_unavailable'],
    run: async ({ services, userId }) => {
      const { safe, addresses } = await services.deposits.addresses(userId);
      return {
        safe,
        data: chainOut.options.map((chain) => ({ chain, address: addressOn(chain, addresses) })),
        nextCursor: null,
      };
    },
  }),
  userRoute({
    family: VENUE_A_ID,
    method: 'GET',
    path: '/api/venue_a/bridge/supported-assets/',
    budget: 'reads',
    operationId: 'listDepositAssets',
    summary: 'List what the bridge takes, with the least of each',
    description: 'Tokens by chain. Less than `minimumUsd` of one is not moved on by the bridge.',
    output: z.object({ data: z.array(assetOut), nextCursor: z.null() }),
    errors: ['bridge_unavailable'],
    run: async ({ services }) => ({
      data: [...(await services.deposits.assets())],
      nextCursor: null,
    }),
  }),
  userRoute({
    family: VENUE_A_ID,
    method: 'GET',
    path: '/api/venue_a/bridge/status/:address/',
    budget: 'reads',
    operationId: 'listDepositsToAddress',
    summary: 'See how far deposits to one of your addresses are',
    description: 'Deposits to one of your own addresses, with how far each has come.',
    params: z.object({
      address: checksummed(z.string().regex(/^[0-9a-zA-Z]{25,100}$/, 'a deposit address')).meta({
        description: 'One of your own deposit addresses.',
        examples: ['0x75F00B003FBBBA193FABEB06284c3187a4C1232E'],
      }),
    }),
    output: z.object({
      data: z.array(depositOut),
      isFresh: z.boolean().meta({
        description:
          'False when the bridge does not answer now: deposits are then as it last reported them.',
      }),
      nextCursor: z.null(),
    }),
    errors: ['not_found', 'bridge_unavailable', 'store_unavailable'],
    async run({ services, userId }, { params }) {
      const { deposits, isFresh } = await services.deposits.status(userId, params.address);
      return {
        data: deposits.map(({ deposit, asset }) => viewDeposit(deposit, asset)),
        isFresh,
        nextCursor: null,
      };
    },
  }),
  userRoute({
    family: VENUE_A_ID,
    method: 'GET',
    path: '/api/venue_a/bridge/deposits/',
    budget: 'reads',
    operationId: 'listDeposits',
    summary: 'List your deposits, newest first',
    description:
      'Payments to your deposit addresses, transfers of yours to the Safe, and whatever else came to it.',
    query: z.strictObject(pageFields),
    output: pageOut(depositLineOut),
    run({ services, userId }, { query }) {
      const { data, nextCursor } = services.deposits.list(userId, pageOf(query));
      return { data: data.map(viewDepositLine), nextCursor };
    },
  }),
];

function addressOn(
  chain: z.output<typeof chainOut>,
  { evm, solana, bitcoin, tron }: DepositAddresses,
): string {
  return chain === 'SOLANA'
    ? solana
    : chain === 'BITCOIN'
      ? bitcoin
      : chain === 'TRON'
        ? tron
        : evm;
}

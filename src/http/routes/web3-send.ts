import { z } from 'zod';
import { explainTransaction } from '../../domain/transaction-reason.ts';
import { gasPaidOut, viewGasPaid } from '../views/gas-paid.ts';
import { reasonFields } from '../views/reason.ts';
import { AppError } from '../../domain/errors.ts';
import { WEB3_CHAINS } from '../../domain/web3-chains.ts';
import type { CoinPrice } from '../../services/orders/estimate.ts';
import type { TokenTransferView } from '../../services/funding/token-transfers.ts';
import { PREFER_WAIT, waitMsOf } from '../prefer.ts';
import { userRoute } from '../route.ts';
import { checksummed } from './evm-address.ts';
import {
  actionIdField,
  decimalField,
  decimalOut,
  pageFields,
  pageOf,
  pageOut,
  timeOut,
} from './fields.ts';
import { ONE_TIME_CODE_HEADERS, oneTimeCodeOf } from './one-time-code.ts';

const CHAINS = WEB3_CHAINS.map(({ chain }) => chain);

const body = z
  .strictObject({
    chain: z.enum(CHAINS).meta({ description: 'Which of your wallets it leaves.' }),
    token: checksummed(z.string().min(1).max(64)).meta({
      description:
        'The chain’s own coin or a token of our list by its ticker, any other of your EVM wallet by its address. On Solana SOL and USDC.',
      examples: ['USDC'],
    }),
    amount: decimalField.meta({ description: 'In whole tokens.', examples: ['25'] }),
    to: checksummed(z.string().min(1).max(64)).meta({
      description:
        'The wallet it goes to: of an EVM chain 0x and forty hex digits, mixed case by its checksum alone. What has left cannot be called back.',
      examples: ['GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB'],
    }),
  })
  .meta({ id: 'TransferRequest' });

const sentOut = z
  .object({
    transferId: z.string(),
    state: z.enum(['queued', 'sent', 'settled', 'failed']).meta({
      description:
        'Waiting here, on its way to the chain, final there, or failed: nothing but fees has moved. Only the last two are ends; where a reorganisation takes its block back, one becomes the other if it ends so when it is carried out again.',
    }),
    chain: z.enum(CHAINS),
    token: z.string().meta({
      description: 'Its ticker; the address of one whose name speaks against it.',
    }),
    tokenAddress: z.string().nullable().meta({ description: 'Null for the chain’s own coin.' }),
    amount: decimalOut.meta({ description: 'In whole tokens, as decimal text, exact.' }),
    to: z.string(),
    ...reasonFields,
    transactionHash: z.string().nullable(),
    gas: gasPaidOut,
    createdAtMs: timeOut,
    updatedAtMs: timeOut,
  })
  .meta({ id: 'TokenTransfer' });

function viewSent(view: TokenTransferView, coinPrice: CoinPrice): z.input<typeof sentOut> {
  return { ...view, ...explainTransaction(view.reason), gas: viewGasPaid(view.gas, coinPrice) };
}

/** Tokens of one's own wallets to others. */
export const web3SendRoutes = [
  userRoute({
    family: 'web3',
    method: 'POST',
    path: '/api/web3/transfer/code',
    // what is sent is counted by phone and user; a refused transfer costs no code
    budget: 'writes',
    scope: 'session',
    operationId: 'requestTransferCode',
    summary: 'Send the code for one transfer to your phone',
    description:
      'Takes the transfer as it will be made and sends six digits to the phone of your account: they are good for this amount to this address, and for nothing else.',
    body,
    output: z.object({ challengeId: z.string(), expiresAtMs: timeOut, resendAtMs: timeOut }),
    errors: [
      'amount_too_small',
      'insufficient_funds',
      'cap_exceeded',
      'chain_reverted',
      'not_found',
      'trading_stopped',
      'phone_required',
      'too_many_attempts',
      'country_not_supported',
      'sign_in_unavailable',
      'chain_unavailable',
    ],
    run: (context, input) =>
      context.services.tokenTransfers.requestCode(context.userId, input.body),
  }),
  userRoute({
    family: 'web3',
    method: 'POST',
    path: '/api/web3/transfer/',
    budget: 'writes',
    status: 201,
    movesMoney: true,
    scope: 'session',
    operationId: 'createTransfer',
    summary:
      'Send a token of your own wallet, against a code in the headers X-Challenge-Id and X-One-Time-Code',
    description:
      'Sends a coin or token of your own wallet on any of the six chains to any other. Ask for a code for this very transfer first; no API key reaches this call. It is tried out on the chain before it is signed. A USDC amount that pays for a venue is held at once and leaves the balance when the chain is final.',
    body,
    headers: { ...ONE_TIME_CODE_HEADERS, ...PREFER_WAIT },
    output: sentOut,
    errors: [
      'amount_too_small',
      'insufficient_funds',
      'cap_exceeded',
      'chain_reverted',
      'not_found',
      'trading_stopped',
      'code_required',
      'code_invalid',
      'code_expired',
      'too_many_attempts',
      'sign_in_unavailable',
      'chain_unavailable',
      'limit_reached',
      'store_unavailable',
    ],
    run: async (context, input) =>
      viewSent(
        await context.services.tokenTransfers.transfer(context.userId, input.body, {
          ...oneTimeCodeOf(context),
          waitMs: waitMsOf(context, 0),
          ...(context.idempotencyKey === null ? {} : { key: context.idempotencyKey }),
        }),
        context.services.coinPrice,
      ),
  }),
  userRoute({
    family: 'web3',
    method: 'GET',
    path: '/api/web3/transfer/',
    budget: 'reads',
    operationId: 'listTransfers',
    summary: 'List your transfers to others, newest first',
    description: 'All transfers out of your own wallets, those under way and those that ended.',
    query: z.strictObject(pageFields),
    output: pageOut(sentOut),
    run({ services, userId }, { query }) {
      const { data, nextCursor } = services.tokenTransfers.list(userId, pageOf(query));
      return { data: data.map((sent) => viewSent(sent, services.coinPrice)), nextCursor };
    },
  }),
  userRoute({
    family: 'web3',
    method: 'GET',
    path: '/api/web3/transfer/:id/',
    budget: 'reads',
    operationId: 'getTransfer',
    summary: 'Get a transfer and its state',
    description: 'How far a transfer out of one of your wallets has come.',
    params: z.object({ id: actionIdField('transfer') }),
    output: sentOut,
    errors: ['not_found'],
    run({ services, userId }, { params }) {
      const found = services.tokenTransfers.get(userId, params.id);
      if (found === null) throw new AppError('not_found', 'you have no such transfer');
      return viewSent(found, services.coinPrice);
    },
  }),
];

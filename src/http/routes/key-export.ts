import { z } from 'zod';
import { userRoute } from '../route.ts';
import { clientOf } from './sign-in-tokens.ts';
import { timeOut } from './fields.ts';
import { ONE_TIME_CODE_HEADERS, oneTimeCodeOf } from './one-time-code.ts';

const exportedOut = z
  .object({
    wallet: z.enum(['evm', 'solana']),
    address: z.string(),
    privateKey: z.string().meta({
      description:
        'As wallets of the chain read it: 0x and 64 hex digits, or base58 of 64 bytes. Whoever has it has the funds.',
    }),
  })
  .meta({ id: 'ExportedKey' });

/**
 * Private keys for their owners. No API key reaches these; the code comes in headers, since
 * addresses end up in logs.
 */
export const keyExportRoutes = [
  userRoute({
    family: 'web3',
    method: 'POST',
    path: '/api/web3/export-private-key/code',
    budget: 'sign_in',
    scope: 'session',
    operationId: 'requestKeyExportCode',
    summary: 'Send the code for exporting a private key to your phone',
    description:
      'Sends six digits to the phone of your account. They go with the export itself, in headers.',
    output: z.object({ challengeId: z.string(), expiresAtMs: timeOut, resendAtMs: timeOut }),
    errors: ['phone_required', 'too_many_attempts', 'country_not_supported', 'sign_in_unavailable'],
    run: (context) => context.services.keyExport.requestCode(context.userId, clientOf(context)),
  }),
  userRoute({
    family: 'web3',
    method: 'GET',
    path: '/api/web3/export-private-key',
    budget: 'sign_in_check',
    scope: 'session',
    operationId: 'exportPrivateKey',
    summary:
      'Export a private key, against a code in the headers X-Challenge-Id and X-One-Time-Code',
    description:
      'Gives the private key of one of your wallets out. Whoever holds it holds the funds; no API key reaches ' +
      'this call. The code goes in headers, since addresses end up in logs.',
    query: z.strictObject({
      wallet: z
        .enum(['evm', 'solana'], { error: 'evm or solana' })
        .default('evm')
        .meta({ description: 'Which of your wallets.' }),
    }),
    headers: ONE_TIME_CODE_HEADERS,
    output: exportedOut,
    errors: [
      'code_required',
      'code_invalid',
      'code_expired',
      'too_many_attempts',
      'sign_in_unavailable',
    ],
    run: (context, { query }) =>
      context.services.keyExport.exportKey(
        context.userId,
        { wallet: query.wallet, ...oneTimeCodeOf(context) },
        clientOf(context),
      ),
  }),
];

import { getBase58Encoder } from '@solana/kit';
import { z } from 'zod';
import { SOLANA_SANDBOX } from '../../../../config/limits/sandbox-chains.ts';
import type { Commitment } from './chain-time.ts';
import type { SolanaChain } from './chain.ts';
import type { LandedTransaction } from './landed-transaction.ts';
import { accountView } from './rpc-accounts.ts';
import { invalidParams, RpcFailure, trialFailed } from './rpc-failure.ts';
import type { RpcMethod, RpcWorld } from './rpc-method.ts';
import {
  addressParam,
  commitmentParam,
  contextConfig,
  contextFields,
  contextOf,
  readParams,
  signatureParam,
} from './rpc-params.ts';
import { transactionView } from './transaction-view.ts';
import { readWireTransaction, type WireTransaction } from './wire-transaction.ts';

const encodedTransaction = z.string().max(4_096);
const sendConfig = z
  .object({
    encoding: z.enum(['base58', 'base64']).optional(),
    skipPreflight: z.boolean().optional(),
    preflightCommitment: commitmentParam.optional(),
    maxRetries: z.int().nonnegative().optional(),
    minContextSlot: contextFields.minContextSlot,
  })
  .nullish();
const simulateConfig = z
  .object({
    ...contextFields,
    encoding: z.enum(['base58', 'base64']).optional(),
    sigVerify: z.boolean().optional(),
    replaceRecentBlockhash: z.boolean().optional(),
    innerInstructions: z.boolean().optional(),
    accounts: z
      .object({
        addresses: z.array(addressParam).max(SOLANA_SANDBOX.accountsPerCallMaximum),
        encoding: z.enum(['base64', 'jsonParsed']).optional(),
      })
      .nullish(),
  })
  .nullish();
const transactionConfig = z
  .union([
    z.enum(['json', 'jsonParsed', 'base64', 'base58']),
    z.object({
      ...contextFields,
      encoding: z.enum(['json', 'jsonParsed', 'base64', 'base58']).optional(),
      maxSupportedTransactionVersion: z.int().nonnegative().optional(),
    }),
  ])
  .nullish();
const signaturesConfig = z
  .object({
    ...contextFields,
    limit: z.int().min(1).max(SOLANA_SANDBOX.signaturesPerCallMaximum).optional(),
    before: signatureParam.nullish(),
    until: signatureParam.nullish(),
  })
  .nullish();

/** Transactions on their way in, and those that have landed. */
export const transactionMethods: Readonly<Record<string, RpcMethod>> = {
  sendTransaction(world, params) {
    const [encoded, config] = readParams(
      z.tuple([encodedTransaction, sendConfig.optional()]),
      params,
    );
    contextOf(world.chain, config);
    return send(
      world,
      decode(encoded, config?.encoding ?? 'base58'),
      config?.skipPreflight ?? false,
    );
  },
  simulateTransaction({ chain }, params) {
    const [encoded, config] = readParams(
      z.tuple([encodedTransaction, simulateConfig.optional()]),
      params,
    );
    if (config?.sigVerify === true && config.replaceRecentBlockhash === true)
      throw invalidParams('sigVerify may not be used with replaceRecentBlockhash');
    const wire = decode(encoded, config?.encoding ?? 'base58');
    const { error, logs, computeUnits, returnData, innerInstructions, postAccounts } =
      chain.simulate(wire, {
        signatures: config?.sigVerify ?? false,
        blockhash: config?.replaceRecentBlockhash !== true,
      });
    const replacementBlockhash =
      config?.replaceRecentBlockhash === true
        ? chain.time.latestBlockhash(config.commitment ?? 'finalized')
        : null;
    const wanted = config?.accounts ?? null;
    const accounts =
      error !== null || wanted === null
        ? null
        : wanted.addresses.map((key) =>
            accountView(
              chain,
              postAccounts.find((account) => account.address === key) ?? chain.account(key),
              { encoding: wanted.encoding ?? 'base64' },
            ),
          );
    const value = {
      err: error,
      logs,
      accounts,
      unitsConsumed: computeUnits,
      returnData,
      innerInstructions: config?.innerInstructions === true ? innerInstructions : null,
      replacementBlockhash,
    };
    return { context: contextOf(chain, config), value };
  },
  getSignatureStatuses({ chain }, params) {
    const [signatures, config] = readParams(
      z.tuple([
        z.array(signatureParam).max(SOLANA_SANDBOX.statusesPerCallMaximum),
        z.object({ searchTransactionHistory: z.boolean().optional() }).nullish().optional(),
      ]),
      params,
    );
    const context = contextOf(chain, null);
    return {
      context,
      value: signatures.map((signature) =>
        statusView(chain, chain.transaction(signature), config?.searchTransactionHistory ?? false),
      ),
    };
  },
  getTransaction({ chain }, params) {
    const [signature, given] = readParams(
      z.tuple([signatureParam, transactionConfig.optional()]),
      params,
    );
    const config = typeof given === 'string' ? { encoding: given } : (given ?? {});
    const transaction = chain.transaction(signature);
    if (
      transaction === null ||
      !isAsSure(
        chain.commitmentOf(transaction),
        ('commitment' in config ? config.commitment : undefined) ?? 'finalized',
      )
    )
      return null;
    return transactionView(
      transaction,
      config.encoding ?? 'json',
      'maxSupportedTransactionVersion' in config
        ? (config.maxSupportedTransactionVersion ?? null)
        : null,
    );
  },
  getSignaturesForAddress({ chain }, params) {
    const [key, config] = readParams(z.tuple([addressParam, signaturesConfig.optional()]), params);
    contextOf(chain, config);
    return signaturesFor(chain, key, config ?? {});
  },
  requestAirdrop({ faucet }, params) {
    const [to, amount] = readParams(
      z.tuple([
        addressParam,
        z.int().min(1).max(SOLANA_SANDBOX.giftLamportsMaximum),
        contextConfig.optional(),
      ]),
      params,
    );
    const executed = faucet.giveLamports(to, BigInt(amount));
    if (executed.kind === 'dropped') throw new RpcFailure(-32603, 'Internal error');
    return executed.transaction.signature;
  },
};

/** True when something `is` at least as sure as `wanted`. */
export function isAsSure(is: Commitment, wanted: Commitment): boolean {
  const ladder: readonly Commitment[] = ['processed', 'confirmed', 'finalized'];
  return ladder.indexOf(is) >= ladder.indexOf(wanted);
}

function send(
  { chain, losesTransaction }: RpcWorld,
  wire: WireTransaction,
  skipsTrial: boolean,
): string {
  const signature = wire.signatures[0] ?? '';
  if (!skipsTrial) {
    const { error, logs, computeUnits } = chain.simulate(wire, {
      signatures: true,
      blockhash: true,
    });
    if (error !== null) throw trialFailed({ err: error, logs, unitsConsumed: computeUnits });
  }
  // A node answers with the signature once it has passed the bytes on; what becomes of them the
  // caller must ask.
  if (!losesTransaction()) chain.execute(wire);
  return signature;
}

function decode(encoded: string, encoding: 'base58' | 'base64'): WireTransaction {
  try {
    return readWireTransaction(
      encoding === 'base64'
        ? fromBase64(encoded)
        : new Uint8Array(getBase58Encoder().encode(encoded)),
    );
  } catch (cause) {
    throw invalidParams(cause instanceof Error ? cause.message : String(cause));
  }
}

function fromBase64(encoded: string): Uint8Array {
  if (!z.base64().safeParse(encoded).success) throw new TypeError('invalid base64 encoding');
  return new Uint8Array(Buffer.from(encoded, 'base64'));
}

function statusView(
  chain: SolanaChain,
  transaction: LandedTransaction | null,
  searchesHistory: boolean,
): unknown {
  if (transaction === null) return null;
  const behind = chain.time.slot() - transaction.slot;
  // Without the history a node only knows the blocks whose hashes still count.
  if (!searchesHistory && behind > SOLANA_SANDBOX.blockhashLife) return null;
  const confirmationStatus = chain.commitmentOf(transaction);
  const { slot, error } = transaction;
  return {
    slot,
    confirmations: confirmationStatus === 'finalized' ? null : behind,
    err: error,
    status: error === null ? { Ok: null } : { Err: error },
    confirmationStatus,
  };
}

function signaturesFor(
  chain: SolanaChain,
  key: string,
  {
    limit = SOLANA_SANDBOX.signaturesPerCallMaximum,
    before,
    until,
    commitment = 'finalized',
  }: NonNullable<z.output<typeof signaturesConfig>>,
): readonly unknown[] {
  const found: unknown[] = [];
  let isPast = before === null || before === undefined;
  for (const transaction of chain.transactionsOf(key)) {
    const { signature, slot, blockTime, error } = transaction;
    if (signature === until || found.length === limit) break;
    const confirmationStatus = chain.commitmentOf(transaction);
    if (isPast && isAsSure(confirmationStatus, commitment))
      found.push({ signature, slot, blockTime, err: error, memo: null, confirmationStatus });
    isPast ||= signature === before;
  }
  return found;
}

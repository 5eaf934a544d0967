import { PublicKey, VersionedMessage, VersionedTransaction } from '@solana/web3.js';
import { SOLANA_RAIL } from '../../../config/limits/solana.ts';
import { assert } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';
import { attemptToSend, type Attempt, type TransactionRecord } from '../../domain/transaction.ts';
import type { KeyVault } from '../../ports/key-vault.ts';
import type { Solana } from '../../ports/solana.ts';
import type {
  ChainReceipt,
  Preparation,
  Rail,
  SendOutcome,
  TransactionStatus,
} from '../../ports/transactions.ts';
import { base58Of } from '../wire/base58.ts';

/**
 * Creates the rail of users' own Solana accounts: they pay their fees, a blockhash bounds each
 * attempt, and past its last valid height in final blocks an attempt that no block has can never
 * land. Another is signed then, until there were too many.
 */
export function createSolanaRail({
  solana,
  vault,
  loadKeys,
  assertMaySign,
}: {
  readonly solana: Pick<Solana, 'latestBlockhash' | 'blockHeight' | 'send' | 'status' | 'feePaid'>;
  readonly vault: Pick<KeyVault, 'signSolana' | 'signSealed'>;
  /** Puts the user's keys into memory. Errors: `not_found`, `master_key_wrong`. */
  readonly loadKeys: (userId: UserId) => Promise<unknown>;
  /** Asked where the bytes are signed: throws what keeps them from leaving now (L6). */
  readonly assertMaySign: (record: TransactionRecord) => void;
}): Rail<ChainReceipt> {
  return {
    chain: 'SOLANA',
    kind: 'solana',
    pace: SOLANA_RAIL,
    async prepare(record) {
      await loadKeys(record.userId);
      return prepare({ solana, vault, assertMaySign }, record);
    },
    send: (attempt) => send(solana, attempt),
    status: (record) => statusOf(solana, record),
    // Two messages with their own blockhashes may both land.
    replacementFor: () => null,
  };
}

async function prepare(
  {
    solana,
    vault,
    assertMaySign,
  }: {
    readonly solana: Pick<Solana, 'latestBlockhash' | 'blockHeight'>;
    readonly vault: Pick<KeyVault, 'signSolana' | 'signSealed'>;
    readonly assertMaySign: (record: TransactionRecord) => void;
  },
  record: TransactionRecord,
): Promise<Preparation> {
  const { userId, body, dead, reason } = record;
  if (body.kind !== 'message')
    return { kind: 'refused', reason: 'a Solana account carries messages' };
  if (dead.length >= SOLANA_RAIL.attemptsMaximum)
    return { kind: 'refused', reason: reason ?? 'no block took it' };
  const message = VersionedMessage.deserialize(Buffer.from(body.base64, 'base64'));
  const height = await solana.blockHeight();
  if (body.lastValidHeight !== null && height > body.lastValidHeight)
    return { kind: 'refused', reason: 'its blockhash has passed' };
  const fresh = body.lastValidHeight === null ? await solana.latestBlockhash() : null;
  if (fresh !== null) message.recentBlockhash = fresh.blockhash;
  const lastValidHeight = body.lastValidHeight ?? fresh?.lastValidBlockHeight ?? height;
  return {
    kind: 'ready',
    sign() {
      assertMaySign(record);
      const bytes = message.serialize();
      const signature = vault.signSolana(userId, bytes);
      const transaction = new VersionedTransaction(message);
      transaction.signatures[0] = signature; // the payer is the first to sign
      const { coSigner } = body;
      if (coSigner !== undefined)
        transaction.addSignature(
          new PublicKey(coSigner.address),
          vault.signSealed(userId, coSigner, bytes),
        );
      return {
        id: base58Of(signature),
        bytes: Buffer.from(transaction.serialize()).toString('base64'),
        bound: { kind: 'height', lastValidHeight },
        isCancel: false,
        sinceHeight: height,
      };
    },
  };
}

async function send(solana: Pick<Solana, 'send'>, { id, bytes }: Attempt): Promise<SendOutcome> {
  const outcome = await solana.send(Buffer.from(bytes, 'base64'));
  switch (outcome.kind) {
    case 'accepted':
      return { kind: 'accepted', handle: id };
    case 'unknown':
      return { kind: 'unknown', reason: outcome.cause };
    case 'refused':
      return { kind: outcome.isExpired ? 'stale' : 'refused', reason: outcome.reason };
  }
}

/** The height is read before the signature is looked for: what lands in between is found. */
async function statusOf(
  solana: Pick<Solana, 'blockHeight' | 'status' | 'feePaid'>,
  record: TransactionRecord,
): Promise<TransactionStatus<ChainReceipt>> {
  const attempt = attemptToSend(record);
  assert(attempt?.bound.kind === 'height', 'an attempt on Solana is bounded by a height');
  const { lastValidHeight } = attempt.bound;
  const height = await solana.blockHeight('finalized');
  const status = await solana.status(attempt.id);
  if (status.kind === 'landed') {
    if (status.commitment !== 'finalized') return { kind: 'mined', transactionHash: attempt.id };
    const fee = await solana.feePaid(attempt.id);
    const paid = fee === null ? {} : { fee };
    return status.failure === null
      ? { kind: 'confirmed', receipt: { transactionHash: attempt.id, ...paid } }
      : { kind: 'failed', reason: status.failure, ...paid };
  }
  if (height <= lastValidHeight) return { kind: 'pending', copy: { kind: 'held' } };
  return {
    kind: 'never',
    proof: { kind: 'height_passed', lastValidHeight, height },
    reason: record.reason ?? 'no block took it before its blockhash had passed',
  };
}

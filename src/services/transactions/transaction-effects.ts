import type { TransactionEffects, TransactionStep } from '../../../machines/transaction.ts';
import { AppError, assert } from '../../domain/errors.ts';
import type { TransactionId } from '../../domain/ids.ts';
import {
  attemptToSend,
  isGivenUp,
  isTransactionOver,
  type NeverProof,
  type TransactionRecord,
} from '../../domain/transaction.ts';
import { chainLabel, web3Chain } from '../../domain/web3-chains.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { StoreReader, StoreWriter } from '../../ports/store.ts';
import type {
  ChainReceipt,
  Rail,
  SendOutcome,
  TransactionStatus,
} from '../../ports/transactions.ts';
import type { AskEnded } from './ended-again.ts';
import type { NeverProofs } from './never-proofs.ts';
import { railOf } from './rail-of.ts';
import type { TransactionRef } from './tables.ts';
import {
  foldCopy,
  foldExecuted,
  foldMined,
  foldNever,
  foldNotExecuted,
  foldSent,
  foldSigned,
  foldUnmined,
  foldWaiting,
} from './transaction-fold.ts';
import { readTransaction } from './stored-transactions.ts';
import { putTransaction, usedNonce } from './transaction-records.ts';

/** What an executed transaction came to. */
export interface Verdict {
  readonly state: 'done' | 'failed';
  /** Why it failed, or what of it is not as asked for; null where there is nothing to say. */
  readonly reason: string | null;
}

/**
 * What transactions mean to those who ask for them: `close` runs in the commit that writes their
 * end.
 */
export interface TransactionBooking<R extends ChainReceipt> {
  /**
   * Reports whether it knows what the transaction means; one it does not know is never signed or
   * sent, and stops its queue. Absent where all are known.
   */
  owns?(record: Pick<TransactionRecord, 'purpose'>): boolean;
  /**
   * Says why a transaction of which nothing has left is given up before it is signed; null while it
   * is wanted. Absent where whatever was asked for stays wanted.
   */
  refusal?(reader: StoreReader, record: TransactionRecord): string | null;
  /**
   * Says what an executed transaction came to; one that does not show what it was for has failed.
   */
  verdict(record: TransactionRecord, receipt: R | null): Verdict;
  /** Books the end; the receipt is null where nothing was executed or none exists. */
  close(tx: StoreWriter, record: TransactionRecord, receipt: R | null): void;
  /**
   * Books that one which was `done`, and is given as failed, was not carried out after all, since
   * its block was taken back; false, having booked nothing, where its purpose does not say how.
   * Absent where none does.
   */
  undo?(tx: StoreWriter, record: TransactionRecord): boolean;
  /** The same of one that had failed, and is given as `done`: it was carried out after all. */
  redo?(tx: StoreWriter, record: TransactionRecord, receipt: R | null): boolean;
}

export interface TransactionEffectDeps<R extends ChainReceipt>
  extends Pick<Runtime, 'store' | 'commit' | 'log' | 'metrics'> {
  readonly rails: readonly Rail<R>[];
  readonly books: TransactionBooking<R>;
  /** Wall time, which is also the chains'. */
  readonly clock: Clock;
}

/** How a transaction ended: executed, or never in a way that counts. */
type Ending<R> =
  | { readonly kind: 'executed'; readonly receipt: R | null }
  | {
      readonly kind: 'not_executed';
      readonly reason: string;
      /** Where the chain has none of them: why. */
      readonly proof?: NeverProof;
      readonly fee?: bigint;
    };

interface Effects<R extends ChainReceipt> extends TransactionEffectDeps<R> {
  readonly askEnded: AskEnded;
  readonly proofs: NeverProofs;
}

/**
 * Makes the effects of transactions; `refOf` names the owner of a transaction that has an actor.
 */
export function createTransactionEffects<R extends ChainReceipt>(
  deps: Effects<R>,
  refOf: (transactionId: TransactionId) => TransactionRef,
): TransactionEffects {
  const reported =
    (step: string, effect: (ref: TransactionRef) => Promise<TransactionStep>) =>
    async (transactionId: TransactionId) => {
      const ref = refOf(transactionId);
      try {
        return await effect(ref);
      } catch (cause) {
        // The machine waits and asks again, whatever failed; people want to know what did.
        deps.log.warn({ ...ref, step, cause }, 'transaction.step_failed');
        if (cause instanceof AppError)
          await apply(deps, ref, (known, nowMs) => foldWaiting(known, cause.message, nowMs));
        throw cause;
      }
    };
  return {
    sign: reported('sign', (ref) => sign(deps, ref)),
    send: reported('send', (ref) => send(deps, ref)),
    ask: reported('ask', (ref) => ask(deps, ref)),
  };
}

/** Folds something learned into a record, durably; a record that has ended is left as it is. */
async function apply<R extends ChainReceipt>(
  { commit, clock }: TransactionEffectDeps<R>,
  ref: TransactionRef,
  fold: (record: TransactionRecord, nowMs: number) => TransactionRecord,
): Promise<TransactionRecord> {
  return commit((tx) => {
    const before = readTransaction(tx, ref);
    if (isTransactionOver(before.state)) return before;
    const after = fold(before, clock.nowMs());
    if (after !== before) putTransaction(tx, { before, after });
    return after;
  });
}

function stepOf(
  { state }: TransactionRecord,
  next: TransactionStep['next'] = 'wait',
): TransactionStep {
  return { next: state === 'done' || state === 'failed' ? state : next };
}

/**
 * What the bytes need is read from the chain; the signature is made in the commit that stores it
 * (L1).
 */
async function sign<R extends ChainReceipt>(
  deps: Effects<R>,
  ref: TransactionRef,
): Promise<TransactionStep> {
  const before = readTransaction(deps.store, ref);
  const rail = railOf(deps.rails, before);
  const out = attemptToSend(before);
  const replacement = rail.replacementFor(before, deps.clock.nowMs());
  if (out !== null && replacement === null) return stepOf(before, 'send');
  const unwanted = out === null ? (deps.books.refusal?.(deps.store, before) ?? null) : null;
  if (unwanted !== null) return end(deps, ref, { kind: 'not_executed', reason: unwanted });
  const usedBefore = usedNonce(deps.store, before);
  const prepared = await rail.prepare(before, { replacement, usedNonce: usedBefore });
  // What is out may land, whatever becomes of its replacement.
  if (prepared.kind !== 'ready' && out !== null) return stepOf(before);
  if (prepared.kind === 'behind') return waitBehind(deps, before, prepared.nonce);
  if (prepared.kind === 'done_before') return end(deps, ref, { kind: 'executed', receipt: null });
  if (prepared.kind === 'refused')
    return end(deps, ref, { kind: 'not_executed', reason: prepared.reason });
  const record = await apply(deps, ref, (known, nowMs) =>
    attemptToSend(known)?.id === out?.id
      ? foldSigned(known, { ...prepared.sign(), signedAtMs: nowMs }, { replacement, nowMs })
      : known,
  );
  if (replacement !== null) {
    const { purpose, reason } = record;
    deps.log.warn({ ...ref, replacement, kind: purpose.kind, reason }, 'transaction.replaced');
  }
  return stepOf(record, 'send');
}

/**
 * Nodes behind one address need not be at the same block, and a block that was taken back brings
 * back its nonces: what used them is sent again where no block has it, and has to land first.
 */
async function waitBehind<R extends ChainReceipt>(
  deps: Effects<R>,
  before: TransactionRecord,
  nonce: number,
): Promise<TransactionStep> {
  const { userId, account } = before;
  await deps.askEnded({ userId, chain: account.chain, from: { account, nonce } });
  const reason = `the chain shows nonce ${nonce} as the next one, and it is used`;
  return stepOf(await apply(deps, before, (known, nowMs) => foldWaiting(known, reason, nowMs)));
}

/** Sends the stored bytes. An error says nothing about what left (L2). */
async function send<R extends ChainReceipt>(
  deps: TransactionEffectDeps<R>,
  ref: TransactionRef,
): Promise<TransactionStep> {
  const record = readTransaction(deps.store, ref);
  const attempt = attemptToSend(record);
  assert(attempt !== null, `transaction ${ref.transactionId} is signed before it is sent`);
  const atMs = deps.clock.nowMs();
  const outcome = await railOf(deps.rails, record)
    .send(attempt)
    .catch(
      (cause: unknown): SendOutcome => ({
        kind: 'unknown',
        reason: cause instanceof Error ? cause.message : String(cause),
      }),
    );
  deps.metrics.count('transaction_sends_total', {
    rail: record.account.rail,
    outcome: outcome.kind,
  });
  return stepOf(
    await apply(deps, ref, (known, nowMs) => foldSent(known, { outcome, attempt, atMs }, nowMs)),
  );
}

/** Asks the chain what became of the attempts; it alone decides (L2). */
async function ask<R extends ChainReceipt>(
  deps: Effects<R>,
  ref: TransactionRef,
): Promise<TransactionStep> {
  const before = readTransaction(deps.store, ref);
  if (before.attempts.length === 0) return stepOf(before, 'sign');
  const status = await railOf(deps.rails, before).status(before);
  if (status.kind !== 'never') deps.proofs.forget(before.transactionId);
  switch (status.kind) {
    case 'unknown':
      return stepOf(before);
    case 'pruned': {
      const { userId, transactionId, account } = before;
      deps.log.error(
        { userId, transactionId, chain: account.chain, reason: status.reason },
        'transaction.pruned',
      );
      return stepOf(before);
    }
    case 'mined':
      return stepOf(
        await apply(deps, ref, (known, nowMs) => foldMined(known, status.transactionHash, nowMs)),
      );
    case 'confirmed':
      return end(deps, ref, { kind: 'executed', receipt: status.receipt });
    case 'failed':
      return end(deps, ref, {
        kind: 'not_executed',
        reason: status.reason,
        ...(status.fee === undefined ? {} : { fee: status.fee }),
      });
    case 'never':
      // a Safe's rail has waited by itself
      if (
        before.account.rail === 'evm' &&
        !deps.proofs.isProven(before.transactionId, status.proof)
      )
        return stepOf(before);
      return isGivenUp(before)
        ? end(deps, ref, {
            kind: 'not_executed',
            reason: before.reason ?? status.reason,
            proof: status.proof,
          })
        : takeBack(deps, before, status);
    case 'pending':
      return whilePending(deps, before, status);
  }
}

/** The bytes are dead, the request is not: with the proof stored, it may be signed anew (L1). */
async function takeBack<R extends ChainReceipt>(
  deps: TransactionEffectDeps<R>,
  before: TransactionRecord,
  never: Parameters<typeof foldNever>[1],
): Promise<TransactionStep> {
  const { userId, transactionId } = before;
  deps.log.warn({ userId, transactionId, reason: never.reason }, 'transaction.superseded');
  return stepOf(
    await apply(deps, before, (known, nowMs) =>
      // The proof is of the attempts that were asked about, and of no others.
      attemptToSend(known)?.id === attemptToSend(before)?.id
        ? foldNever(known, never, nowMs)
        : known,
    ),
    'sign',
  );
}

/** No block has it: it waits, is sent again, or is replaced by the rail's rule. */
async function whilePending<R extends ChainReceipt>(
  deps: Effects<R>,
  before: TransactionRecord,
  { copy, nextNonce }: Extract<TransactionStatus<R>, { readonly kind: 'pending' }>,
): Promise<TransactionStep> {
  const { clock } = deps;
  const { userId, account } = before;
  if (nextNonce !== undefined)
    await deps.askEnded({ userId, chain: account.chain, from: { account, nonce: nextNonce } });
  if (before.state === 'mined')
    deps.metrics.count('chain_forks_total', { chain: chainLabel(before.account.chain) });
  const record = await apply(deps, before, (known, nowMs) => {
    const unmined = foldUnmined(known, nowMs);
    return before.handle === null ? unmined : foldCopy(unmined, before.handle, { copy, nowMs });
  });
  const rail = railOf(deps.rails, record);
  if (rail.replacementFor(record, clock.nowMs()) !== null) return stepOf(record, 'sign');
  const isQuiet = clock.nowMs() - (record.lastSentAtMs ?? 0) >= rail.pace.rebroadcastMs;
  return stepOf(record, record.handle === null || isQuiet ? 'send' : 'wait');
}

/** Ends the transaction by the chain's word, with all it means for the books, in one commit. */
async function end<R extends ChainReceipt>(
  deps: TransactionEffectDeps<R>,
  ref: TransactionRef,
  ending: Ending<R>,
): Promise<TransactionStep> {
  const { books, clock } = deps;
  const record = await deps.commit((tx) => {
    const before = readTransaction(tx, ref);
    if (isTransactionOver(before.state)) return before;
    const after =
      ending.kind === 'executed'
        ? foldExecuted(
            before,
            {
              ...books.verdict(before, ending.receipt),
              transactionHash: ending.receipt?.transactionHash ?? null,
              fee: ending.receipt?.fee,
            },
            clock.nowMs(),
          )
        : foldNotExecuted(before, ending, clock.nowMs());
    putTransaction(tx, { before, after });
    books.close(tx, after, ending.kind === 'executed' ? ending.receipt : null);
    return after;
  });
  const { purpose, state, reason, transactionHash } = record;
  deps.log.info(
    { ...ref, kind: purpose.kind, state, reason, transactionHash },
    'transaction.ended',
  );
  deps.metrics.count('transactions_total', { kind: purpose.kind, state });
  countGas(deps, record);
  return stepOf(record);
}

function countGas<R extends ChainReceipt>(
  { metrics }: TransactionEffectDeps<R>,
  { account: { chain }, purpose: { kind }, fee }: TransactionRecord,
): void {
  if (fee === undefined) return;
  const { decimals } = web3Chain(chain).native;
  metrics.count(
    'gas_spent_total',
    { chain: chainLabel(chain), kind },
    Number(fee) / 10 ** decimals,
  );
}

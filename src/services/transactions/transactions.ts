import { createActor, type Actor } from 'xstate';
import { toActorClock } from '../../../machines/actor-clock.ts';
import { withTransactionEffects, type transactionMachine } from '../../../machines/transaction.ts';
import { TRANSACTION } from '../../../config/limits/funds.ts';
import { assert } from '../../domain/errors.ts';
import { asId, type TransactionId, type UserId } from '../../domain/ids.ts';
import { isTransactionOver, type TransactionRecord } from '../../domain/transaction.ts';
import type { Web3ChainId } from '../../domain/web3-chains.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { StoreWriter } from '../../ports/store.ts';
import type { ChainReceipt } from '../../ports/transactions.ts';
import { findTransaction, readTransaction } from './stored-transactions.ts';
import { OPEN_TRANSACTIONS, TRANSACTION_KEYS, type TransactionRef } from './tables.ts';
import { createNeverProofs } from './never-proofs.ts';
import { createAskEnded, type EndedAgain } from './ended-again.ts';
import { railOf } from './rail-of.ts';
import { createTransactionEffects, type TransactionEffectDeps } from './transaction-effects.ts';
import {
  newTransaction,
  newTransactionId,
  openTransactions,
  putTransaction,
  transactionByKey,
  type TransactionDraft,
} from './transaction-records.ts';

/**
 * What goes to chains: one durable queue for each account, one transaction in flight at a time.
 * What follows the making of an account starts once that is in a block, for its nonce is known, and
 * does not wait until the block is final.
 */
export interface Transactions {
  /**
   * Puts a transaction at the end of its account's queue, in the caller's own change, or returns
   * the one made before under the same key; `alongside` runs when it is new. Call `wake` once the
   * change is durable. Errors: `limit_reached`.
   */
  intend(
    tx: StoreWriter,
    draft: TransactionDraft,
    alongside?: (record: TransactionRecord) => void,
  ): TransactionRecord;
  /**
   * Puts transactions behind one another at the end of their account's queue, in a change of their
   * own: all of them, or none where `isWanted`, asked in that change, says no. One whose key was
   * used is the one that was made then. Resolves once they are durable; they begin then. Errors:
   * `limit_reached`, `store_unavailable`.
   */
  enqueue(
    drafts: readonly TransactionDraft[],
    isWanted?: () => boolean,
  ): Promise<readonly TransactionRecord[]>;
  /** Returns the transaction that a user's key was used for; null for none, and without a key. */
  find(userId: UserId, key: string | undefined): TransactionRecord | null;
  /**
   * Resolves with the record once the transaction has ended, or as it is after `withinMs` of wall
   * clock.
   */
  settled(record: TransactionRecord, withinMs: number): Promise<TransactionRecord>;
  /** Works on a user's queues unless that is under way. */
  wake(userId: UserId): void;
  /** Queues that stand still, since what their first transaction means is not known. */
  stopped(): readonly StoppedQueue[];
  /**
   * Asks the chain once more about what has ended of a user's, sends again what no block has any
   * more, and books as undone what was not carried out after all. Errors: `chain_unavailable`,
   * `store_unavailable`.
   */
  askAgain(userId: UserId, chain: Web3ChainId): Promise<EndedAgain>;
  /**
   * The same about what has ended of a user's EVM accounts in the last TRANSACTION.watchedMs, on
   * whichever chain: the books have nothing to compare with most of them. Errors: those.
   */
  watchEnded(userId: UserId): Promise<EndedAgain>;
  /** Returns one transaction of this user; null for an unknown one and for another user's. */
  get(userId: UserId, transactionId: TransactionId): TransactionRecord | null;
  /**
   * The start: works on every queue, asking the chain about all that may have left (L9). Returns
   * how many were found open.
   */
  recover(): number;
  stop(): void;
}

/** What one needs who has transactions carried and waits for what becomes of them. */
export type TransactionQueue = Pick<Transactions, 'enqueue' | 'settled' | 'find' | 'askAgain'>;

/** A queue that is stopped behind a transaction of an unknown kind. */
export interface StoppedQueue extends TransactionRef {
  readonly chain: TransactionRecord['account']['chain'];
  /** The kind, as stored. */
  readonly kind: string;
}

interface Running {
  readonly ref: TransactionRef;
  readonly actor: Actor<typeof transactionMachine>;
}

/** Creates the queues. Nothing runs before `recover` or `wake`. */
export function createTransactions<R extends ChainReceipt>(
  deps: TransactionEffectDeps<R> & Pick<Runtime, 'random'>,
): Transactions {
  const { store, clock, log, metrics } = deps;
  const running = new Map<TransactionId, Running>();
  const stopped = new Map<TransactionId, StoppedQueue>();
  const waiters = new Map<TransactionId, Set<{ readonly notify: () => void }>>();
  const actorClock = toActorClock(clock);
  const proofs = createNeverProofs(clock);
  const askEnded = createAskEnded(deps, proofs);
  const machine = withTransactionEffects(
    createTransactionEffects({ ...deps, askEnded, proofs }, (transactionId) => {
      const found = running.get(transactionId);
      assert(found !== undefined, `transaction ${transactionId} has an actor`);
      return found.ref;
    }),
  );
  let isOver = false;

  function wake(userId: UserId): void {
    if (isOver) return;
    for (const record of mayRun(openTransactions(store, userId)))
      if (!running.has(record.transactionId)) run(record);
  }

  /**
   * Signing, sending or booking what is not understood could move money for no user: its queue is
   * stopped until a version of the program that knows the kind is started.
   */
  function stand({ userId, transactionId, account: { chain }, purpose }: TransactionRecord): void {
    if (stopped.has(transactionId)) return;
    stopped.set(transactionId, { userId, transactionId, chain, kind: purpose.kind });
    log.error({ userId, transactionId, chain, kind: purpose.kind }, 'transaction.kind_unknown');
    const here = [...stopped.values()].filter((queue) => queue.chain === chain);
    metrics.gauge('transaction_queues_stopped', here.length, { chain });
  }

  function run(record: TransactionRecord): void {
    if (deps.books.owns?.(record) === false) return stand(record);
    const { userId, transactionId, body, attempts } = record;
    const ref = { userId, transactionId };
    const { pace } = railOf(deps.rails, record);
    const actor = createActor(machine, {
      input: { transactionId, isSigned: attempts.length > 0, pace },
      clock: actorClock,
    });
    running.set(transactionId, { ref, actor });
    actor.subscribe({
      next() {
        if (body.kind === 'create_account') wake(userId);
      },
      complete() {
        running.delete(transactionId);
        Array.from(waiters.get(transactionId) ?? [], ({ notify }) => notify).forEach((notify) =>
          notify(),
        );
        wake(userId);
      },
      error: (cause) => log.error({ ...ref, cause }, 'transaction.actor_failed'),
    });
    actor.start();
  }

  function intend(
    tx: StoreWriter,
    draft: TransactionDraft,
    alongside?: (record: TransactionRecord) => void,
  ): TransactionRecord {
    const { userId, key } = draft;
    const made = transactionByKey(tx, userId, key);
    if (made !== null) return made;
    const record = newTransaction(tx, draft, {
      transactionId: newTransactionId(deps),
      nowMs: clock.nowMs(),
    });
    const { transactionId } = record;
    if (key !== undefined) tx.put(TRANSACTION_KEYS, [userId, key], { userId, transactionId }, 0);
    putTransaction(tx, { before: null, after: record });
    alongside?.(record);
    return record;
  }

  return {
    intend,
    async enqueue(drafts, isWanted = () => true) {
      const made = await deps.commit((tx) =>
        isWanted() ? drafts.map((draft) => intend(tx, draft)) : [],
      );
      for (const userId of new Set(made.map((record) => record.userId))) wake(userId);
      return made;
    },
    find: (userId, key) => transactionByKey(store, userId, key),
    wake,
    stopped: () => [...stopped.values()],
    settled: ({ userId, transactionId }, withinMs) =>
      new Promise((resolve) => {
        const read = () => readTransaction(store, { userId, transactionId });
        if (isTransactionOver(read().state)) return resolve(read());
        const waiter = { notify: () => finish() };
        const timer = clock.after(withinMs, () => finish());
        const finish = () => {
          timer.cancel();
          waiters.get(transactionId)?.delete(waiter);
          if (waiters.get(transactionId)?.size === 0) waiters.delete(transactionId);
          resolve(read());
        };
        waiters.set(transactionId, (waiters.get(transactionId) ?? new Set()).add(waiter));
      }),
    askAgain: (userId, chain) => askEnded({ userId, chain }),
    watchEnded: (userId) => askEnded({ userId, withinMs: TRANSACTION.watchedMs }),
    get: (userId, transactionId) => findTransaction(store, { userId, transactionId }),
    recover() {
      const open = store.range(OPEN_TRANSACTIONS);
      for (const userId of new Set(open.map(({ key }) => String(key[0]))))
        wake(asId<UserId>(userId));
      return open.length;
    },
    stop() {
      isOver = true;
      for (const { actor } of running.values()) actor.stop();
      running.clear();
      for (const { notify } of [...waiters.values()].flatMap((waiting) => [...waiting])) notify();
    },
  };
}

/**
 * Of each queue its first, and its second where the first makes the account and some block has it.
 */
function mayRun(open: readonly TransactionRecord[]): readonly TransactionRecord[] {
  return open.filter((record, index) => {
    const ahead = open[index - 1];
    if (ahead === undefined || !isSameQueue(ahead, record)) return true;
    const isAheadFirst = index < 2 || !isSameQueue(open[index - 2] ?? record, record);
    return isAheadFirst && ahead.body.kind === 'create_account' && ahead.state === 'mined';
  });
}

function isSameQueue(
  { account: a }: TransactionRecord,
  { account: b }: TransactionRecord,
): boolean {
  return a.chain === b.chain && a.rail === b.rail && a.address === b.address;
}

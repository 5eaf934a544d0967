import {
  BaseError,
  ExecutionRevertedError,
  keccak256,
  TransactionReceiptNotFoundError,
  type Hex,
  type PrivateKeyAccount,
  type TransactionReceipt,
} from 'viem';
import { LOCAL_CHAIN, ACCOUNT_QUEUE } from '../../../../config/limits/sandbox-chains.ts';
import { AppError } from '../../../domain/errors.ts';
import type { Clock, Timer } from '../../../ports/clock.ts';
import { priorityFeeOn, type EvmClient } from './evm-client.ts';
import type { RecordStore } from '../../storage/record-store.ts';

/** A transaction of the account, from being asked for to its end. Plain JSON. */
export interface QueuedTransaction {
  readonly id: string;
  readonly to: Hex;
  readonly data: Hex;
  /** Not tried out beforehand: its failure on chain is wanted. */
  readonly isForced: boolean;
  /** `refused` was never signed: the chain would not have taken it. */
  readonly state: 'waiting' | 'sent' | 'succeeded' | 'reverted' | 'refused';
  /** Fixed before it leaves; the same bytes go out each time. */
  readonly signed: { readonly nonce: number; readonly raw: Hex; readonly hash: Hex } | null;
  readonly blockNumber: number | null;
  readonly reason: string | null;
  readonly updatedAtMs: number;
}

/** What a transaction does. */
export interface QueuedCall {
  readonly to: Hex;
  readonly data: Hex;
  readonly isForced?: boolean;
}

/**
 * One account and its one queue on a local chain, which outlives the process: transactions reach
 * the node in the order of their nonces. Each is tried out, signed once, kept, sent, and sent again
 * with the same bytes until a block has it; a chain that went back (a reorganisation, an older
 * state file) gets the same transactions again.
 */
export class AccountQueue {
  readonly address: Hex;
  readonly #client: EvmClient;
  readonly #account: PrivateKeyAccount;
  readonly #records: RecordStore<QueuedTransaction>;
  readonly #clock: Clock;
  readonly #prepare: (transaction: QueuedTransaction) => Promise<'ready' | 'wait'>;
  readonly #changed: (transaction: QueuedTransaction) => void;
  readonly #open = new Map<string, QueuedTransaction>();
  #head = 0;
  /** The chain's count of our transactions at the last poll; null before the first one. */
  #counted: number | null = null;
  #nextNonce = 0;
  #running: Promise<void> | null = null;
  #timer: Timer | null = null;
  #waitMs: number = ACCOUNT_QUEUE.pollFirstMs;
  #isClosed = false;
  #hasChanged = false;
  /** Why nothing is sent any more: what the chain counts and what is kept contradict each other. */
  #failure: Error | null = null;

  constructor({
    client,
    account,
    records,
    clock,
    prepare = async () => 'ready',
    changed = () => undefined,
  }: {
    readonly client: EvmClient;
    readonly account: PrivateKeyAccount;
    readonly records: RecordStore<QueuedTransaction>;
    readonly clock: Clock;
    /**
     * Runs each time before a transaction is tried out or sent again; `wait` leaves it for the next
     * poll.
     */
    readonly prepare?: (transaction: QueuedTransaction) => Promise<'ready' | 'wait'>;
    /** Called after every change of a transaction. */
    readonly changed?: (transaction: QueuedTransaction) => void;
  }) {
    this.address = account.address;
    this.#client = client;
    this.#account = account;
    this.#records = records;
    this.#clock = clock;
    this.#prepare = prepare;
    this.#changed = changed;
    for (const known of records.all()) {
      this.#open.set(known.id, known);
      if (known.signed !== null)
        this.#nextNonce = Math.max(this.#nextNonce, known.signed.nonce + 1);
    }
    this.#schedule();
  }

  /**
   * Takes a transaction in, durably. Errors: `limit_reached` when too many wait, `store_corrupt`
   * for ever once the chain has lost what is no longer kept.
   */
  enqueue(id: string, { to, data, isForced = false }: QueuedCall): QueuedTransaction {
    if (this.#failure !== null) throw this.#failure;
    if (this.#open.size >= ACCOUNT_QUEUE.waitingMaximum)
      throw new AppError(
        'limit_reached',
        `${ACCOUNT_QUEUE.waitingMaximum} transactions are open already`,
        { retryable: true },
      );
    const taken = this.#put({
      id,
      to,
      data,
      isForced,
      state: 'waiting',
      signed: null,
      blockNumber: null,
      reason: null,
      updatedAtMs: 0,
    });
    this.#waitMs = ACCOUNT_QUEUE.pollFirstMs;
    if (this.#running === null) this.#schedule();
    return taken;
  }

  get(id: string): QueuedTransaction | null {
    return this.#records.get(id);
  }

  /** True once so many blocks are on top of it that it counts as final. */
  isFinal({ blockNumber }: QueuedTransaction): boolean {
    return blockNumber !== null && this.#head - blockNumber + 1 >= ACCOUNT_QUEUE.finalAfterBlocks;
  }

  /**
   * Goes once through everything that is open; runs by itself as well. Never fails: what the node
   * did not answer is tried again, unless `enqueue` says why not.
   */
  async work(): Promise<void> {
    await this.#running;
    await this.#run();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await this.#running;
    this.#records.close();
  }

  #put(changed: QueuedTransaction): QueuedTransaction {
    const stamped = { ...changed, updatedAtMs: this.#clock.nowMs() };
    this.#hasChanged = true;
    this.#records.put(stamped.id, stamped);
    this.#open.set(stamped.id, stamped);
    this.#changed(stamped);
    return stamped;
  }

  #schedule(): void {
    this.#timer?.cancel();
    this.#timer =
      this.#isClosed || this.#failure !== null || this.#open.size === 0
        ? null
        : this.#clock.after(this.#waitMs, () => void this.#run());
  }

  #run(): Promise<void> {
    this.#running ??= this.#poll().finally(() => {
      this.#running = null;
      this.#schedule();
    });
    return this.#running;
  }

  async #poll(): Promise<void> {
    if (this.#failure !== null) return;
    this.#hasChanged = false;
    try {
      await this.#pass();
    } catch (cause) {
      // A node that does not answer has decided nothing, and the next pass tries again. What
      // contradicts itself, or is a fault of the sandbox's own, never mends.
      if (!isOfNode(cause)) this.#fail(cause instanceof Error ? cause : new Error(String(cause)));
    }
    this.#waitMs = this.#hasChanged
      ? ACCOUNT_QUEUE.pollFirstMs
      : Math.min(this.#waitMs * 2, ACCOUNT_QUEUE.pollMaximumMs);
  }

  /**
   * Whoever asks for a transaction from now on hears it, and so does the person at the terminal,
   * once.
   */
  #fail(cause: Error): void {
    this.#failure = cause;
    process.stderr.write(`sandbox: ${cause.message}\n`);
  }

  async #pass(): Promise<void> {
    this.#head = Number(await this.#client.getBlockNumber());
    const chainNonce = await this.#client.getTransactionCount({
      address: this.address,
      blockTag: 'latest',
    });
    // The chain has gone back, or may have while this process was not there: what it may have lost
    // is open again.
    if (this.#counted === null || chainNonce < this.#counted) {
      this.#open.clear();
      for (const known of this.#records.all())
        if (this.#mayBeLost(known, chainNonce)) this.#open.set(known.id, known);
    }
    this.#counted = chainNonce;
    await this.#resend(chainNonce);
    for (const known of this.#open.values())
      if (known.signed !== null && !this.isFinal(known))
        await this.#settle(known, known.signed.hash);
    await this.#sendWaiting(chainNonce);
    for (const known of this.#open.values())
      if (known.state === 'refused' || this.isFinal(known)) this.#open.delete(known.id);
    this.#forgetOldest();
  }

  /**
   * One that the chain counts and that lies deep below its head is there for good; its receipt may
   * be gone with its block.
   */
  #mayBeLost({ signed, blockNumber, state }: QueuedTransaction, chainNonce: number): boolean {
    if (signed === null) return state !== 'refused';
    return (
      signed.nonce >= chainNonce ||
      blockNumber === null ||
      blockNumber > this.#head - ACCOUNT_QUEUE.lookedAtAgainBlocks
    );
  }

  /** What is signed and not counted by the chain goes out again, whatever was known of it. */
  async #resend(chainNonce: number): Promise<void> {
    const missing = [...this.#open.values()].flatMap((known) =>
      known.signed !== null && known.signed.nonce >= chainNonce
        ? [{ known, signed: known.signed }]
        : [],
    );
    missing.sort((a, b) => a.signed.nonce - b.signed.nonce);
    const [first] = missing;
    if (first !== undefined && first.signed.nonce > chainNonce)
      throw new AppError(
        'store_corrupt',
        `the chain has lost transactions of ${this.address} that are no longer kept; remove the sandbox's folder to begin anew, or restore it.`,
      );
    for (const { known, signed } of missing) {
      if ((await this.#prepare(known)) === 'wait') return;
      if (known.state !== 'sent') this.#put({ ...known, state: 'sent', blockNumber: null });
      await this.#hand(signed.raw);
    }
  }

  async #settle(known: QueuedTransaction, hash: Hex): Promise<void> {
    const receipt = await this.#receiptOf(hash);
    const blockNumber = receipt === null ? null : Number(receipt.blockNumber);
    const state =
      receipt === null ? 'sent' : receipt.status === 'success' ? 'succeeded' : 'reverted';
    if (state !== known.state || blockNumber !== known.blockNumber)
      this.#put({ ...known, state, blockNumber });
  }

  async #receiptOf(hash: Hex): Promise<TransactionReceipt | null> {
    try {
      return await this.#client.getTransactionReceipt({ hash });
    } catch (error) {
      if (error instanceof TransactionReceiptNotFoundError) return null;
      throw error;
    }
  }

  async #sendWaiting(chainNonce: number): Promise<void> {
    this.#nextNonce = Math.max(this.#nextNonce, chainNonce);
    for (const known of [...this.#open.values()].filter(({ state }) => state === 'waiting')) {
      if (this.#nextNonce - chainNonce >= ACCOUNT_QUEUE.outstandingMaximum) return;
      if ((await this.#prepare(known)) === 'wait') continue;
      const refusal = known.isForced ? null : await this.#tryOut(known);
      if (refusal === null) await this.#sendFirst(known);
      else this.#put({ ...known, state: 'refused', reason: refusal });
    }
  }

  async #sendFirst(known: QueuedTransaction): Promise<void> {
    const { id: chainId } = this.#client.chain;
    const nonce = this.#nextNonce;
    const raw = await this.#account.signTransaction({
      type: 'eip1559',
      chainId,
      nonce,
      to: known.to,
      data: known.data,
      gas: BigInt(LOCAL_CHAIN.gasPerTransaction),
      maxFeePerGas: BigInt(LOCAL_CHAIN.feePerGasWei),
      maxPriorityFeePerGas: priorityFeeOn(chainId),
    });
    this.#put({ ...known, state: 'sent', signed: { nonce, raw, hash: keccak256(raw) } });
    this.#nextNonce += 1;
    await this.#hand(raw);
  }

  /** The reason the chain would refuse the transaction now; null when it would take it. */
  async #tryOut({ to, data }: QueuedTransaction): Promise<string | null> {
    try {
      await this.#client.call({
        account: this.address,
        to,
        data,
        gas: BigInt(LOCAL_CHAIN.gasPerTransaction),
      });
      return null;
    } catch (error) {
      const reverted =
        error instanceof BaseError
          ? error.walk((step) => step instanceof ExecutionRevertedError)
          : null;
      if (reverted instanceof ExecutionRevertedError) return reverted.shortMessage;
      throw error;
    }
  }

  /**
   * The node may know the bytes already, or refuse them for what a later poll will show: both are
   * seen at the next poll.
   */
  async #hand(raw: Hex): Promise<void> {
    await this.#client.sendRawTransaction({ serializedTransaction: raw }).catch(() => undefined);
  }

  #forgetOldest(): void {
    const surplus = this.#records.size() - ACCOUNT_QUEUE.keptMaximum;
    if (surplus <= 0) return;
    for (const { id } of this.#records.all().slice(0, surplus))
      if (!this.#open.has(id)) this.#records.remove(id);
  }
}

function isOfNode(cause: unknown): boolean {
  return (
    cause instanceof BaseError || (cause instanceof AppError && cause.code !== 'store_corrupt')
  );
}

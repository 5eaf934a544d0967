import { AppError } from '../../../src/domain/errors.ts';
import {
  attemptToSend,
  type Attempt,
  type TransactionRecord,
} from '../../../src/domain/transaction.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { EvmReceipt, Hex } from '../../../src/ports/evm.ts';
import type {
  Preparation,
  Rail,
  RailPace,
  SendOutcome,
  TransactionStatus,
} from '../../../src/ports/transactions.ts';
import { hashOf } from './fake-chain-logs.ts';

/** What a final transaction on Solana shows. */
export interface SolanaReceipt {
  readonly transactionHash: string;
  readonly slot: number;
}

/** One chain's blocks, and what was sent to it: nothing lands that does not go through `pool`. */
interface Pooled {
  readonly id: string;
  readonly account: string;
  readonly nonce: number;
  readonly fee: number;
}

const BLOCK_MS = 2_000;
const FINAL_BLOCKS = 3;
const PACE: RailPace = {
  askFirstMs: 500,
  asksQuick: 20,
  askMaximumMs: 5_000,
  rebroadcastMs: 10_000,
};

/**
 * What both rails in memory share: a chain that makes a block every two seconds, and what left for
 * it.
 */
abstract class FakeRail {
  readonly pace = PACE;
  height = 100;
  /** Every sending, by its bytes. */
  readonly sent: string[] = [];
  /** Signatures made, whether or not they left. */
  signatures = 0;
  /** The chain and those in front of it do not answer. */
  isDown = false;
  /** Loses the answers to sendings, after it took the bytes. */
  losesAnswers = false;
  /** Lets nothing reach the chain. */
  drops = false;
  readonly landed = new Map<string, { readonly height: number; readonly succeeded: boolean }>();

  constructor(clock: Clock) {
    const mine = (): void => {
      this.height += 1;
      this.mine();
      clock.after(BLOCK_MS, mine);
    };
    clock.after(BLOCK_MS, mine);
  }

  protected abstract mine(): void;
  protected abstract take(bytes: string): SendOutcome;

  async send({ bytes }: Attempt): Promise<SendOutcome> {
    this.assertUp();
    this.sent.push(bytes);
    const outcome: SendOutcome = this.drops
      ? { kind: 'unknown', reason: 'nothing left' }
      : this.take(bytes);
    return this.losesAnswers ? { kind: 'unknown', reason: 'the answer was lost' } : outcome;
  }

  protected assertUp(): void {
    if (this.isDown)
      throw new AppError('chain_unavailable', 'the chain does not answer', { retryable: true });
  }

  protected isFinal(height: number): boolean {
    return this.height - height + 1 >= FINAL_BLOCKS;
  }
}

/**
 * Accounts of an EVM chain that pay for themselves: a nonce each, a higher fee under the same nonce
 * by rule.
 */
export class FakeEvmRail extends FakeRail implements Rail<EvmReceipt> {
  readonly chain = 'BASE';
  readonly kind = 'evm';
  /** Blocks take what pays this at least. */
  leastFee = 100;
  readonly nonces = new Map<string, { readonly next: number; readonly usedAt: number }>();
  /** Another attempt cannot be paid for. */
  refusesReplacements = false;
  /** Calls of these accounts fail inside. */
  readonly reverting = new Set<string>();
  /** Calls under these nonces fail inside. */
  readonly revertingNonces = new Set<number>();
  /** Of older blocks the node shows nothing any more. */
  oldestBlock = 0;
  #pool: Pooled[] = [];

  async prepare(
    { account, attempts }: TransactionRecord,
    { replacement, usedNonce }: Parameters<Rail<EvmReceipt>['prepare']>[1],
  ): Promise<Preparation> {
    this.assertUp();
    if (replacement !== null && this.refusesReplacements)
      return { kind: 'refused', reason: 'the account cannot pay for it' };
    const last = attempts.at(-1);
    const next = this.#nextOf(account.address);
    const isAnew = replacement === null || last?.bound.kind !== 'nonce';
    if (isAnew && usedNonce !== null && next <= usedNonce) return { kind: 'behind', nonce: next };
    const nonce = isAnew ? next : last.bound.nonce;
    const fee = last === undefined ? 100 : Math.ceil(feeOf(last) * 1.125);
    const sinceHeight = this.height;
    return {
      kind: 'ready',
      sign: () => {
        this.signatures += 1;
        const bytes = JSON.stringify({ account: account.address, nonce, fee });
        const bound = { kind: 'nonce', nonce } as const;
        return { id: hashOf(bytes), bytes, bound, isCancel: false, sinceHeight };
      },
    };
  }

  async status({ account, attempts }: TransactionRecord): Promise<TransactionStatus<EvmReceipt>> {
    this.assertUp();
    for (const { id } of attempts) {
      const found = this.landed.get(id);
      if (found === undefined || found.height < this.oldestBlock) continue;
      if (!this.isFinal(found.height)) return { kind: 'mined', transactionHash: id };
      if (!found.succeeded) return { kind: 'failed', reason: 'execution reverted' };
      return { kind: 'confirmed', receipt: this.#receiptOf(id, found.height) };
    }
    const newest = attempts.at(-1);
    const used = this.nonces.get(account.address);
    if (newest?.bound.kind === 'nonce' && used !== undefined && used.next > newest.bound.nonce) {
      const { nonce } = newest.bound;
      if (newest.sinceHeight < this.oldestBlock)
        return { kind: 'pruned', reason: `block ${newest.sinceHeight} is pruned` };
      return this.isFinal(used.usedAt)
        ? { kind: 'never', proof: { kind: 'nonce_used', nonce }, reason: `nonce ${nonce} is used` }
        : { kind: 'unknown' };
    }
    const isHeld = this.#pool.some(({ id }) => id === newest?.id);
    const [next, own] = [this.#nextOf(account.address), newest?.bound];
    const isBehind = own?.kind === 'nonce' && next < own.nonce;
    return {
      kind: 'pending',
      copy: { kind: isHeld ? 'held' : 'absent' },
      ...(isBehind ? { nextNonce: next } : {}),
    };
  }

  replacementFor({ attempts }: TransactionRecord, nowMs: number): 'speed_up' | null {
    const newest = attempts.at(-1);
    if (newest === undefined || attempts.length >= 3) return null;
    return nowMs - newest.signedAtMs >= 30_000 ? 'speed_up' : null;
  }

  /** Another holder of the key of an account uses its next nonce. */
  useNonce(account: string): void {
    const nonce = this.#nextOf(account);
    this.take(JSON.stringify({ account, nonce, fee: 1_000_000 }));
  }

  /** Takes back the blocks of an account's transactions from a nonce on; its pool forgets them. */
  takeBack(account: string, from: number, ids: readonly string[]): void {
    for (const id of ids) this.landed.delete(id);
    this.#pool = this.#pool.filter((pooled) => pooled.account !== account);
    this.nonces.set(account, { next: from, usedAt: this.height });
  }

  protected mine(): void {
    for (const { id, account, nonce, fee } of this.#pool.toSorted((a, b) => a.nonce - b.nonce)) {
      if (fee < this.leastFee || nonce !== this.#nextOf(account)) continue;
      const succeeded = !this.reverting.has(account) && !this.revertingNonces.has(nonce);
      this.landed.set(id, { height: this.height, succeeded });
      this.nonces.set(account, { next: nonce + 1, usedAt: this.height });
    }
    this.#pool = this.#pool.filter(({ account, nonce }) => nonce >= this.#nextOf(account));
  }

  protected take(bytes: string): SendOutcome {
    const id = hashOf(bytes);
    const { account, nonce, fee }: Omit<Pooled, 'id'> = JSON.parse(bytes);
    if (nonce < this.#nextOf(account)) return { kind: 'stale', reason: 'nonce too low' };
    if (!this.#pool.some((pooled) => pooled.id === id))
      this.#pool.push({ id, account, nonce, fee });
    return { kind: 'accepted', handle: id };
  }

  #nextOf(account: string): number {
    return this.nonces.get(account)?.next ?? 0;
  }

  #receiptOf(id: string, blockNumber: number): EvmReceipt {
    const confirmations = this.height - blockNumber + 1;
    const transactionHash = id as Hex; // hashOf gives hex
    return { transactionHash, succeeded: true, blockNumber, confirmations, logs: [] };
  }
}

/** Blocks in which a message lands: past them, never. */
export const VALID_BLOCKS = 150;

/**
 * Accounts of Solana: a signature known before it leaves, good until its last valid height and no
 * longer.
 */
export class FakeSolanaRail extends FakeRail implements Rail<SolanaReceipt> {
  readonly chain = 'SOLANA';
  readonly kind = 'solana';
  readonly #pool = new Map<string, number>();

  async prepare({ body, transactionId }: TransactionRecord): Promise<Preparation> {
    this.assertUp();
    if (body.kind !== 'message') return { kind: 'refused', reason: 'Solana takes messages' };
    if (body.lastValidHeight !== null && this.height > body.lastValidHeight)
      return { kind: 'refused', reason: 'its blockhash has passed' };
    const lastValidHeight = body.lastValidHeight ?? this.height + VALID_BLOCKS;
    const sinceHeight = this.height;
    return {
      kind: 'ready',
      sign: () => {
        this.signatures += 1;
        const bytes = JSON.stringify({ transactionId, base64: body.base64, lastValidHeight });
        const bound = { kind: 'height', lastValidHeight } as const;
        return { id: hashOf(bytes), bytes, bound, isCancel: false, sinceHeight };
      },
    };
  }

  async status(record: TransactionRecord): Promise<TransactionStatus<SolanaReceipt>> {
    this.assertUp();
    const attempt = attemptToSend(record);
    if (attempt?.bound.kind !== 'height') throw new Error('every attempt has a last valid height');
    const { id, bound } = attempt;
    const found = this.landed.get(id);
    if (found !== undefined)
      return this.isFinal(found.height)
        ? { kind: 'confirmed', receipt: { transactionHash: id, slot: found.height } }
        : { kind: 'mined', transactionHash: id };
    const { height } = this;
    const { lastValidHeight } = bound;
    if (height - FINAL_BLOCKS >= lastValidHeight)
      return {
        kind: 'never',
        proof: { kind: 'height_passed', lastValidHeight, height },
        reason: `block ${lastValidHeight} has passed`,
      };
    return { kind: 'pending', copy: { kind: this.#pool.has(id) ? 'held' : 'absent' } };
  }

  replacementFor(): null {
    return null;
  }

  protected mine(): void {
    for (const [id, lastValidHeight] of this.#pool)
      if (this.height <= lastValidHeight)
        this.landed.set(id, { height: this.height, succeeded: true });
    this.#pool.clear();
  }

  protected take(bytes: string): SendOutcome {
    const { lastValidHeight }: { readonly lastValidHeight: number } = JSON.parse(bytes);
    const id = hashOf(bytes);
    if (this.height > lastValidHeight) return { kind: 'refused', reason: 'blockhash not found' };
    if (!this.landed.has(id)) this.#pool.set(id, lastValidHeight);
    return { kind: 'accepted', handle: id };
  }
}

function feeOf({ bytes }: Attempt): number {
  const { fee }: { readonly fee: number } = JSON.parse(bytes);
  return fee;
}

import { createHash } from 'node:crypto';
import { getBase58Decoder } from '@solana/kit';
import { SOLANA_SANDBOX } from '../../../../config/limits/sandbox-chains.ts';
import type { Clock } from '../../../ports/clock.ts';

/** When the chain began, and its name. */
export interface Founding {
  readonly foundedAtMs: number;
  /** Base58 of 32 bytes: the hash of the first block. */
  readonly genesisHash: string;
}

/** How sure the chain is of something. */
export type Commitment = 'processed' | 'confirmed' | 'finalized';

/** A blockhash and the last height at which a transaction may carry it. */
interface LatestBlockhash {
  readonly blockhash: string;
  readonly lastValidBlockHeight: number;
}

/**
 * The chain's calendar: a slot each 400 ms since the founding, whether anybody looks or not, so
 * that blockhashes also expire while the sandbox is off. The hash of a block follows from the
 * chain's name and the block's height.
 */
export interface ChainTime {
  readonly genesisHash: string;
  slot(): number;
  /**
   * Less than the slot: some slots stay empty, and a client that mistakes one for the other shall
   * notice.
   */
  blockHeight(): number;
  /** Milliseconds until the next slot begins. */
  untilNextSlotMs(): number;
  /** Epoch seconds on the chain. */
  unixSeconds(): number;
  /** The newest blockhash that is as sure as asked. */
  latestBlockhash(commitment: Commitment): LatestBlockhash;
  /** False for a hash that has expired or never was. */
  isAlive(blockhash: string): boolean;
}

/** Height at the founding: a finalized block is 32 heights back and must exist. */
const FIRST_HEIGHT = 1_000;
const EMPTY_SLOTS = 250;
const BEHIND: Readonly<Record<Commitment, number>> = {
  processed: 0,
  confirmed: 1,
  finalized: SOLANA_SANDBOX.finalAfterSlots,
};

/** Name of the chain of a seed. */
export function genesisHashOf(seed: number): string {
  return base58(hash(`predictd solana ${seed}`));
}

/**
 * Makes a calendar. `notBeforeSlot` is the last slot an earlier run has shown: a wall clock that
 * was set back must not turn it back.
 */
export function createChainTime(
  { foundedAtMs, genesisHash }: Founding,
  clock: Clock,
  notBeforeSlot: number,
): ChainTime {
  const heights = new Map<string, number>();
  let newest = 0;

  const blockHeight = (): number =>
    Math.max(
      FIRST_HEIGHT + Math.floor((clock.nowMs() - foundedAtMs) / SOLANA_SANDBOX.slotMs),
      notBeforeSlot - EMPTY_SLOTS,
      newest,
    );
  const blockhashAt = (height: number): string => base58(hash(`${genesisHash} ${height}`));
  const catchUp = (): number => {
    const height = blockHeight();
    for (
      let next = Math.max(newest + 1, height - SOLANA_SANDBOX.blockhashLife);
      next <= height;
      next += 1
    )
      heights.set(blockhashAt(next), next);
    newest = height;
    for (const [blockhash, at] of heights) {
      if (height - at <= SOLANA_SANDBOX.blockhashLife) break;
      heights.delete(blockhash);
    }
    return height;
  };
  return {
    genesisHash,
    blockHeight,
    slot: () => blockHeight() + EMPTY_SLOTS,
    untilNextSlotMs: () =>
      SOLANA_SANDBOX.slotMs - (Math.max(0, clock.nowMs() - foundedAtMs) % SOLANA_SANDBOX.slotMs),
    unixSeconds: () => Math.floor(clock.nowMs() / 1_000),
    latestBlockhash(commitment) {
      const height = catchUp() - BEHIND[commitment];
      return {
        blockhash: blockhashAt(height),
        lastValidBlockHeight: height + SOLANA_SANDBOX.blockhashLife,
      };
    },
    isAlive(blockhash) {
      catchUp();
      return heights.has(blockhash);
    },
  };
}

function hash(text: string): Uint8Array {
  return createHash('sha256').update(text).digest();
}

function base58(bytes: Uint8Array): string {
  return getBase58Decoder().decode(bytes);
}

import { hash } from 'node:crypto';
import type { Frame, FrameDraft, LogHead } from '../../ports/commit-log.ts';
import { FIRST_LINK, LINK_BYTES } from '../memory/journal-chain.ts';
import { textBytesMaximum } from '../memory/text-bytes.ts';

/**
 * What is written begins at multiples of this, in memory and in the file, and ends there, bytes:
 * what disks and file systems ask of a write past the page cache.
 */
export const BLOCK_BYTES = 4_096;

/*
 * A frame: the length of what is hashed (4 bytes), its SHA-256; hashed: the frame's number (8
 * bytes, big-endian), the hash of the frame before, the commit as JSON; then zeros up to the next
 * block.
 */
const LENGTH_BYTES = 4;
const HASHED_AT = LENGTH_BYTES + LINK_BYTES;
const SEQ_BYTES = 8;
const PREVIOUS_AT = HASHED_AT + SEQ_BYTES;
const TEXT_AT = PREVIOUS_AT + LINK_BYTES;
/** What a file without frames begins with. */
const EMPTY_BLOCK = Buffer.alloc(BLOCK_BYTES);

/** The head of a log without a frame. */
export const NO_FRAME: LogHead = { seq: 0, hash: FIRST_LINK };

/** A frame as it lies in a file: whole, its place in the log not looked at yet. */
export interface StoredFrame extends LogHead {
  readonly previous: string;
  /** All of it, up to the end of its last block. */
  readonly bytes: Buffer;
  readonly text: Buffer;
}

/**
 * Where the written part of a file ends: `cut` where one frame was half written, `damaged` where
 * more follows.
 */
export interface FileEnd {
  readonly kind: 'whole' | 'cut' | 'damaged';
  readonly byte: number;
}

/** Makes a frame, in `memory` where that is large enough. Gives its bytes and its hash. */
export function frameOf(
  { seq, previous, firstFact, link, facts, records }: FrameDraft,
  memory: Buffer,
): { readonly frame: Buffer; readonly hash: string } {
  // JSON around facts that are text already: the very text that is chained.
  const text = `{"firstFact":${firstFact},"link":"${link}","facts":[${facts.join(',')}],"records":${JSON.stringify(records)}}`;
  const most = upToBlock(TEXT_AT + textBytesMaximum(text));
  const frame = most <= memory.length ? memory : Buffer.allocUnsafe(most);
  const end = TEXT_AT + frame.write(text, TEXT_AT, 'utf8');
  frame.writeUInt32LE(end - HASHED_AT, 0);
  frame.writeBigUInt64BE(BigInt(seq), HASHED_AT);
  frame.write(previous, PREVIOUS_AT, 'hex');
  const digest = hash('sha256', frame.subarray(HASHED_AT, end));
  frame.write(digest, LENGTH_BYTES, 'hex');
  return { frame: frame.subarray(0, upToBlock(end)).fill(0, end), hash: digest };
}

/** Whole frames of a file from its begin on, up to the first place without one. */
export function* framesIn(bytes: Buffer): Generator<StoredFrame, FileEnd> {
  for (let position = 0; ; ) {
    const frame = frameAt(bytes, position);
    if (frame === null) return { kind: endKind(bytes, position), byte: position };
    yield frame;
    position += frame.bytes.length;
  }
}

/** Takes a frame apart. */
export function parsed({ seq, hash, previous, bytes, text }: StoredFrame): Frame {
  // Its hash says that it is what `frameOf` made.
  const said = JSON.parse(text.toString('utf8')) as Pick<
    Frame,
    'firstFact' | 'link' | 'facts' | 'records'
  >;
  return { seq, hash, previous, bytes: bytes.length, ...said };
}

/** The whole frame that begins at a place; null without one. */
function frameAt(bytes: Buffer, position: number): StoredFrame | null {
  if (position + TEXT_AT >= bytes.length) return null;
  const length = bytes.readUInt32LE(position);
  const end = position + HASHED_AT + length;
  if (length <= TEXT_AT - HASHED_AT || end > bytes.length) return null;
  const digest = bytes.toString('hex', position + LENGTH_BYTES, position + HASHED_AT);
  if (hash('sha256', bytes.subarray(position + HASHED_AT, end)) !== digest) return null;
  const block = upToBlock(end);
  if (!isEmpty(bytes.subarray(end, block))) return null;
  return {
    seq: Number(bytes.readBigUInt64BE(position + HASHED_AT)),
    hash: digest,
    previous: bytes.toString('hex', position + PREVIOUS_AT, position + TEXT_AT),
    bytes: bytes.subarray(position, block),
    text: bytes.subarray(position + TEXT_AT, end),
  };
}

/**
 * The written part ends where only zeros follow, or one frame that was cut short, whichever of its
 * blocks are missing, and then zeros.
 */
function endKind(bytes: Buffer, position: number): FileEnd['kind'] {
  if (isEmpty(bytes.subarray(position))) return 'whole';
  // A frame is only begun when the one before it is on disk.
  if (isFollowed(bytes, position)) return 'damaged';
  const length = bytes.length - position < LENGTH_BYTES ? 0 : bytes.readUInt32LE(position);
  // Without its first block its length is unknown.
  if (length === 0) return 'cut';
  return isEmpty(bytes.subarray(position + HASHED_AT + length)) ? 'cut' : 'damaged';
}

/** True when a whole frame begins at a block behind this place. */
function isFollowed(bytes: Buffer, position: number): boolean {
  for (let at = upToBlock(position + 1); at < bytes.length; at += BLOCK_BYTES)
    if (frameAt(bytes, at) !== null) return true;
  return false;
}

function isEmpty(bytes: Buffer): boolean {
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
    const part = bytes.subarray(at, at + BLOCK_BYTES);
    if (!part.equals(EMPTY_BLOCK.subarray(0, part.length))) return false;
  }
  return true;
}

/** Gives the end of the block that so many bytes end in. */
export function upToBlock(bytes: number): number {
  return Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES;
}

import { hash } from 'node:crypto';
import { textBytesMaximum } from './text-bytes.ts';

/** Bytes of a link: those of a SHA-256. */
export const LINK_BYTES = 32;
/** What the first entry of a journal is chained to: as many zero bytes, in hex. */
export const FIRST_LINK = '00'.repeat(LINK_BYTES);

const SEQ_BYTES = 8;
const PLACE_BYTES = LINK_BYTES + SEQ_BYTES;
/**
 * Facts are put together in here, one at a time, but for the largest: each order makes half a
 * dozen.
 */
const scratch = Buffer.alloc(32_768);

/**
 * The link of a journal entry, in hex: SHA-256 over the link before it, its number (8 bytes,
 * big-endian) and its text (JSON, UTF-8). Whoever changes, removes, swaps or inserts an entry has
 * to change every link behind it, and with them the head.
 */
export function linkOf(previous: string, seq: number, text: string): string {
  const most = PLACE_BYTES + textBytesMaximum(text);
  const bytes = most <= scratch.length ? scratch : Buffer.allocUnsafe(most);
  bytes.write(previous, 0, 'hex');
  bytes.writeUInt32BE(Math.floor(seq / 2 ** 32), LINK_BYTES);
  bytes.writeUInt32BE(seq % 2 ** 32, LINK_BYTES + 4);
  const end = PLACE_BYTES + bytes.write(text, PLACE_BYTES, 'utf8');
  return hash('sha256', bytes.subarray(0, end));
}

/** The text of a fact as it is chained. */
export function textOfFact(event: object): string {
  return JSON.stringify(event);
}

/** Links of facts that follow `previous`, the first under number `firstSeq`. */
export function linksOf(
  previous: string,
  firstSeq: number,
  texts: readonly string[],
): readonly string[] {
  let last = previous;
  return texts.map((text, index) => (last = linkOf(last, firstSeq + index, text)));
}

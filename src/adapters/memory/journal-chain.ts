import { createHash } from 'node:crypto';

/** What the first entry of a journal is chained to: 32 zero bytes, in hex. */
export const FIRST_LINK = '0'.repeat(64);

const SEQ_BYTES = 8;

/**
 * The link of a journal entry, in hex: SHA-256 over the link before it, its number (8 bytes, big-endian) and its text (JSON, UTF-8).
 * Whoever changes, removes, swaps or inserts an entry has to change every link behind it, and with them the head.
 */
export function linkOf(previous: string, seq: number, text: string): string {
  const place = Buffer.alloc(SEQ_BYTES);
  place.writeBigUInt64BE(BigInt(seq));
  return createHash('sha256').update(previous, 'hex').update(place).update(text, 'utf8').digest('hex');
}

/** The text of a fact as it is chained. */
export function textOfFact(event: object): string {
  return JSON.stringify(event);
}

/** Links of facts that follow `previous`, the first under number `firstSeq`. */
export function linksOf(previous: string, firstSeq: number, texts: readonly string[]): readonly string[] {
  let last = previous;
  return texts.map((text, index) => (last = linkOf(last, firstSeq + index, text)));
}

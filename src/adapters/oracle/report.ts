import type { AssetPriceE8 } from '../../domain/units.ts';
import { assetPriceFromScaled } from '../wire/asset-price.ts';
import type { WireReport } from './schema.ts';

const WORD_BYTES = 32;
const PRICE_DECIMALS = 18;
/**
 * Outer tuple: three words of context, then the offset of the blob (feeds.md section 2.1, "Report
 * decode").
 */
const BLOB_OFFSET_WORD = 3;
/** Words of a v3 blob. */
const V3 = { feedId: 0, observationsTimestamp: 2, price: 6, words: 9 } as const;

/** What the daemon reads in a v3 report. */
export interface DecodedReport {
  /** 0x and 64 lower-case hex digits. */
  readonly feedId: string;
  readonly observedAtMs: number;
  readonly price: AssetPriceE8;
}

/**
 * True for the id of a stream of schema version 3, the only one decoded here: its first two bytes
 * say so.
 */
export function isV3Feed(feedId: string): boolean {
  return /^0x0003[0-9a-f]{60}$/i.test(feedId);
}

/**
 * Decodes a v3 report. Null when it is not one, when its envelope contradicts its signed content,
 * or when its price is not a positive one that fits. The node operators' signatures are not
 * checked: the channel is authenticated.
 */
export function decodeReport(report: WireReport): DecodedReport | null {
  const bytes = Buffer.from(report.fullReport.slice(2), 'hex');
  const blob = dynamicBytes(bytes, BLOB_OFFSET_WORD);
  if (blob === null || blob.length < V3.words * WORD_BYTES) return null;
  const feedId = `0x${word(blob, V3.feedId).toString('hex')}`;
  const observedAt = unsigned(word(blob, V3.observationsTimestamp));
  // int192 is sign-extended to the word: a negative price becomes huge here and does not fit.
  const price = assetPriceFromScaled(unsigned(word(blob, V3.price)), PRICE_DECIMALS);
  if (
    !isV3Feed(feedId) ||
    feedId !== report.feedID.toLowerCase() ||
    observedAt !== BigInt(report.observationsTimestamp) ||
    price === null
  )
    return null;
  return { feedId, observedAtMs: report.observationsTimestamp * 1_000, price };
}

function word(bytes: Buffer, index: number): Buffer {
  return bytes.subarray(index * WORD_BYTES, (index + 1) * WORD_BYTES);
}

function unsigned(bytes: Buffer): bigint {
  return BigInt(`0x${bytes.toString('hex')}`);
}

/** The `bytes` member whose offset is in word `headWord`; null when it lies outside. */
function dynamicBytes(bytes: Buffer, headWord: number): Buffer | null {
  if (bytes.length < (headWord + 1) * WORD_BYTES) return null;
  const offset = unsigned(word(bytes, headWord));
  if (offset + BigInt(WORD_BYTES) > BigInt(bytes.length)) return null;
  const start = Number(offset) + WORD_BYTES;
  const length = unsigned(bytes.subarray(start - WORD_BYTES, start));
  return BigInt(start) + length > BigInt(bytes.length)
    ? null
    : bytes.subarray(start, start + Number(length));
}

import { encodeAbiParameters } from 'viem';
import type { Asset } from '../../../domain/ids.ts';

/** Feeds the world serves: the mainnet ids of the v3 streams (feeds.md section 2.1). */
export const DATA_STREAM_FEEDS: Readonly<Record<Asset, `0x${string}`>> = {
  BTC: '0x00039d9e45394f473ab1f050a1b963e6b05351e52d71e507509ada0c95ed75b8',
  ETH: '0x000362205e10b3a147d02792eccee483dca6c7b44ecce7012cb8c6e0b68b3ae9',
  SOL: '0x0003b778d3f6b2ac4991302b89cb313f99a42467d6c9c5f96f57c29c0d2bc24f',
};

/** A report as it travels; times in seconds. */
export interface StreamReport {
  readonly feedID: string;
  readonly validFromTimestamp: number;
  readonly observationsTimestamp: number;
  readonly fullReport: string;
}

const ZERO_WORD: `0x${string}` = `0x${'00'.repeat(32)}`;
const CONTEXT_WORD: `0x${string}` = `0x${'0006'.repeat(16)}`;
const OUTER = [
  { type: 'bytes32[3]' },
  { type: 'bytes' },
  { type: 'bytes32[]' },
  { type: 'bytes32[]' },
  { type: 'bytes32' },
] as const;
const V3_BLOB = [
  { type: 'bytes32' },
  { type: 'uint32' },
  { type: 'uint32' },
  { type: 'uint192' },
  { type: 'uint192' },
  { type: 'uint32' },
  { type: 'int192' },
  { type: 'int192' },
  { type: 'int192' },
] as const;
const EXPIRES_AFTER_SECONDS = 30 * 86_400;
/** Impact prices stand a basis point off the middle. */
const IMPACT = 10_000n;

/** Encodes a v3 report of one second. The signatures are of the right shape and sign nothing. */
export function encodeReport(asset: Asset, second: number, priceE18: bigint): StreamReport {
  const feedID = DATA_STREAM_FEEDS[asset];
  const impact = priceE18 / IMPACT;
  const blob = encodeAbiParameters(V3_BLOB, [
    feedID,
    second,
    second,
    0n,
    0n,
    second + EXPIRES_AFTER_SECONDS,
    priceE18,
    priceE18 - impact,
    priceE18 + impact,
  ]);
  const signatures = [CONTEXT_WORD, CONTEXT_WORD];
  const fullReport = encodeAbiParameters(OUTER, [
    [CONTEXT_WORD, ZERO_WORD, ZERO_WORD],
    blob,
    signatures,
    signatures,
    ZERO_WORD,
  ]);
  return { feedID, validFromTimestamp: second, observationsTimestamp: second, fullReport };
}

import { encodeAbiParameters, type Hex } from 'viem';
import type { WireReport } from '../../../src/adapters/oracle/schema.ts';

/**
 * A report as the oracle network signs it, by the ABI of feeds.md section 2.1; the signatures are
 * dummies.
 */
export function aReport({
  feedId,
  atSeconds,
  price,
  schemaFeedId = feedId,
}: {
  readonly feedId: string;
  readonly atSeconds: number;
  readonly price: bigint;
  readonly schemaFeedId?: string;
}): WireReport {
  const word: Hex = `0x${'11'.repeat(32)}`;
  const blob = encodeAbiParameters(
    [
      { type: 'bytes32' },
      { type: 'uint32' },
      { type: 'uint32' },
      { type: 'uint192' },
      { type: 'uint192' },
      { type: 'uint32' },
      { type: 'int192' },
      { type: 'int192' },
      { type: 'int192' },
    ],
    [
      schemaFeedId as Hex,
      atSeconds,
      atSeconds,
      1n,
      2n,
      atSeconds + 86_400,
      price,
      price - 1n,
      price + 1n,
    ], // ids in tests are hex text
  );
  const fullReport = encodeAbiParameters(
    [
      { type: 'bytes32[3]' },
      { type: 'bytes' },
      { type: 'bytes32[]' },
      { type: 'bytes32[]' },
      { type: 'bytes32' },
    ],
    [[word, word, word], blob, [word, word], [word, word], word],
  );
  return {
    feedID: feedId,
    validFromTimestamp: atSeconds,
    observationsTimestamp: atSeconds,
    fullReport,
  };
}

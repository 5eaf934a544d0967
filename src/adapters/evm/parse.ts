import { getAddress } from 'viem';
import type { z } from 'zod';
import { asId, type Address } from '../../domain/ids.ts';
import type { EvmLog, EvmReceipt, Hex } from '../../ports/evm.ts';
import { logsSchema, receiptSchema, type logSchema } from './schema.ts';

/** A receipt, and the block that its node has it in. */
export interface PlacedReceipt extends EvmReceipt {
  readonly blockHash: Hex;
}

/**
 * A receipt with the blocks on it, of which `newest` is the last; null where the node knows no such
 * transaction, `unreadable` for what is no receipt of the one asked for.
 */
export function readReceipt(
  wire: unknown,
  { asked, newest }: { readonly asked: Hex; readonly newest: number },
): PlacedReceipt | null | 'unreadable' {
  const read = receiptSchema.safeParse(wire);
  if (!read.success || (read.data !== null && read.data.transactionHash !== asked.toLowerCase()))
    return 'unreadable';
  if (read.data === null) return null;
  const { transactionHash, status, blockNumber, blockHash, logs, ...paid } = read.data;
  const { gasUsed, effectiveGasPrice, l1Fee } = paid;
  return {
    transactionHash,
    blockHash,
    succeeded: status === '0x1',
    blockNumber,
    // Nodes behind one address need not be at the same block: never less than its own.
    confirmations: Math.max(1, newest - blockNumber + 1),
    logs: logs.map(toLog),
    ...(gasUsed === undefined || effectiveGasPrice === undefined
      ? {}
      : { fee: gasUsed * effectiveGasPrice + (l1Fee ?? 0n) }),
  };
}

/**
 * Events oldest first, each once, without those a reorganisation took back: they did not happen.
 * `unreadable` when one is not in any block, or is no event.
 */
export function readEvents(wire: unknown): readonly EvmLog[] | 'unreadable' {
  const read = logsSchema.safeParse(wire);
  if (!read.success) return 'unreadable';
  const found = new Map(
    read.data
      .filter(({ removed }) => removed !== true)
      .map((log) => [`${log.transactionHash} ${log.logIndex}`, toLog(log)]),
  );
  return [...found.values()].sort(
    (a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex,
  );
}

function toLog({
  address,
  topics,
  data,
  blockNumber,
  transactionHash,
  logIndex,
}: z.output<typeof logSchema>): EvmLog {
  return {
    address: asId<Address>(getAddress(address)),
    topics,
    data,
    blockNumber,
    transactionHash,
    logIndex,
  };
}

import {
  getBase58Decoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type Address,
  type CompiledTransactionMessage,
  type CompiledTransactionMessageWithLifetime,
  type ReadonlyUint8Array,
  type Transaction,
} from '@solana/kit';
import { SOLANA_SANDBOX } from '../../../../config/limits/sandbox-chains.ts';

/** A compiled message of the two versions the network takes. */
export type WireMessage = Extract<CompiledTransactionMessage, { version: 'legacy' | 0 }> &
  CompiledTransactionMessageWithLifetime;

/** A signed or unsigned transaction as it travels. */
export interface WireTransaction {
  readonly bytes: Uint8Array;
  readonly transaction: Transaction;
  readonly message: WireMessage;
  /** Base58; a missing one is 64 zero bytes. The first names the transaction. */
  readonly signatures: readonly string[];
}

/** Reads the bytes of a transaction. Throws a TypeError with the reason when they are none. */
export function readWireTransaction(bytes: Uint8Array): WireTransaction {
  if (bytes.length > SOLANA_SANDBOX.transactionMaximumBytes) {
    throw new TypeError(
      `too large: ${bytes.length} bytes (max: ${SOLANA_SANDBOX.transactionMaximumBytes} bytes)`,
    );
  }
  try {
    const transaction = getTransactionDecoder().decode(bytes);
    const signatures = Object.values(transaction.signatures).map((signature) =>
      getBase58Decoder().decode(signature ?? new Uint8Array(64)),
    );
    return { bytes, transaction, message: readWireMessage(transaction.messageBytes), signatures };
  } catch (cause) {
    throw new TypeError(
      `failed to deserialize the transaction: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    );
  }
}

/**
 * Reads the bytes of a message. Throws when they are none, or of a version the network does not
 * take.
 */
export function readWireMessage(bytes: ReadonlyUint8Array): WireMessage {
  const message = getCompiledTransactionMessageDecoder().decode(bytes);
  if (message.version !== 'legacy' && message.version !== 0)
    throw new TypeError(`version ${message.version} is not supported`);
  return message;
}

/** Looks up the keys a message names by table. Gives null when a table or an entry is not there. */
export function loadedAddresses(
  message: WireMessage,
  tableData: (table: Address) => ReadonlyUint8Array | null,
): { readonly writable: readonly string[]; readonly readonly: readonly string[] } | null {
  const lookups = 'addressTableLookups' in message ? (message.addressTableLookups ?? []) : [];
  const writable: string[] = [];
  const readonly: string[] = [];
  for (const { lookupTableAddress, writableIndexes, readonlyIndexes } of lookups) {
    const data = tableData(lookupTableAddress);
    if (data === null) return null;
    for (const [indexes, into] of [
      [writableIndexes, writable],
      [readonlyIndexes, readonly],
    ] as const) {
      for (const index of indexes) {
        const at = TABLE_HEAD_BYTES + index * 32;
        if (at + 32 > data.length) return null;
        into.push(getBase58Decoder().decode(data.subarray(at, at + 32)));
      }
    }
  }
  return { writable, readonly };
}

/** Bytes before the keys in a lookup table's account. */
const TABLE_HEAD_BYTES = 56;

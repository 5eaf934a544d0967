import {
  keccak256,
  parseTransaction,
  recoverTransactionAddress,
  type Hex,
  type TransactionSerialized,
} from 'viem';

/** A transaction as its sender hands it to a node. */
export interface SentTransaction {
  readonly raw: Hex;
  readonly hash: Hex;
  /** EIP-55, and so is `to`; null makes a contract. */
  readonly from: Hex;
  readonly to: Hex | null;
  readonly data: Hex;
  readonly nonce: number;
  /** Most wei that it pays for a unit of gas. */
  readonly feePerGas: bigint;
}

/** Reads signed bytes; null for what is no transaction, which is the node's to refuse. */
export async function readTransaction(raw: string): Promise<SentTransaction | null> {
  try {
    const serialized = raw as TransactionSerialized; // anything else throws
    const { to, data, nonce, maxFeePerGas, gasPrice } = parseTransaction(serialized);
    return {
      raw: serialized,
      hash: keccak256(serialized),
      from: await recoverTransactionAddress({ serializedTransaction: serialized }),
      to: to ?? null,
      data: data ?? '0x',
      nonce: nonce ?? 0,
      feePerGas: maxFeePerGas ?? gasPrice ?? 0n,
    };
  } catch {
    return null;
  }
}

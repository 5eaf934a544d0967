import type { Address, TokenId } from '../domain/ids.ts';

/** Bytes as text: 0x and an even number of hex digits. */
export type Hex = `0x${string}`;

/** A call to a contract, or with empty data a transfer of the native coin. */
export interface EvmCall {
  readonly to: Address;
  readonly data: Hex;
  readonly valueWei: bigint;
}

/** What became of a transaction that is in a block. */
export interface EvmReceipt {
  readonly transactionHash: Hex;
  readonly succeeded: boolean;
  readonly blockNumber: number;
  /** Blocks on top of it, its own included: 1 when it is in the newest. */
  readonly confirmations: number;
  readonly logs: readonly EvmLog[];
  /** Wei the network took; absent where the node does not show it. */
  readonly fee?: bigint;
}

/** One event of a contract. */
export interface EvmLog {
  readonly address: Address;
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly blockNumber: number;
  readonly transactionHash: Hex;
  readonly logIndex: number;
}

/** Which events to read; blocks inclusive. */
export interface LogQuery {
  /** Null: of any contract. */
  readonly address: Address | null;
  /** A null position takes any topic, a list any of its members. */
  readonly topics: readonly (Hex | readonly Hex[] | null)[];
  readonly fromBlock: number;
  readonly toBlock: number;
}

/**
 * Reads one EVM chain and hands it signed transactions. Every call has a time-out inside the
 * adapter. Errors of every call: `chain_unavailable` (retryable); `call` also `chain_reverted` with
 * the contract's reason.
 */
export interface EvmChain {
  readonly chainId: number;
  /** The newest block and its time, epoch ms. */
  head(): Promise<{ readonly blockNumber: number; readonly atMs: number; readonly hash: Hex }>;
  call(to: Address, data: Hex): Promise<Hex>;
  /** False where there is no code: an account, or a Safe that is not deployed. */
  hasCode(address: Address): Promise<boolean>;
  /** Keccak-256 of the code there; null without code. */
  codeHash(address: Address): Promise<Hex | null>;
  /** Native coin in wei, and each token in its smallest unit, of one moment. */
  balances(
    owner: Address,
    tokens: readonly Address[],
  ): Promise<{ readonly wei: bigint; readonly tokens: readonly bigint[] }>;
  /** Balances of ERC-1155 tokens held at `contract`, smallest units, in the order asked. */
  shares(
    owner: Address,
    contract: Address,
    tokenIds: readonly TokenId[],
  ): Promise<readonly bigint[]>;
  /** Null while no block has it: lost, waiting, or taken back by a reorganisation. */
  receipt(transactionHash: Hex): Promise<EvmReceipt | null>;
  /**
   * False also where the node has pruned it: that it shows no receipt then proves nothing of what
   * may have been in that block or a later one.
   */
  hasBlock(blockNumber: number): Promise<boolean>;
  /** Events, oldest first. Reads in spans the endpoint allows. */
  logs(query: LogQuery): Promise<readonly EvmLog[]>;
}

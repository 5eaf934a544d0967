import { setTimeout as delay } from 'node:timers/promises';
import {
  keccak256,
  TransactionReceiptNotFoundError,
  type Hex,
  type PrivateKeyAccount,
  type TransactionReceipt,
} from 'viem';
import { LOCAL_CHAIN } from '../../../../config/limits/sandbox-chains.ts';
import { AppError } from '../../../domain/errors.ts';
import { priorityFeeOn, type EvmClient } from './evm-client.ts';

/** A transaction of one of the sandbox's own accounts. */
interface SenderCall {
  /** Null makes a contract. */
  readonly to: Hex | null;
  readonly data?: Hex;
  readonly valueWei?: bigint;
  /**
   * A fixed generous limit unless stated; nothing is estimated, so a call that reverts is mined and
   * its receipt says so.
   */
  readonly gas?: bigint;
}

/** A transaction the node has taken. */
interface SentTransaction {
  readonly hash: Hex;
  /**
   * Settles once it is in a block, reverted or not. Errors: `chain_unavailable` when it stays out
   * of every block.
   */
  readonly receipt: Promise<TransactionReceipt>;
}

/**
 * One account and its one queue: transactions reach the node in the order of their nonces
 * (local-stack.md, EVM).
 */
export interface EvmSender {
  readonly address: Hex;
  /** Gives the transaction to the node after those before it. Errors: `chain_unavailable`. */
  submit(call: SenderCall): Promise<SentTransaction>;
  /**
   * Submits and waits for the receipt. Errors: `chain_unavailable`; `chain_reverted` when it failed
   * on chain.
   */
  send(call: SenderCall): Promise<TransactionReceipt>;
}

/** Makes the queue of `account`. There must be only one for an account and chain. */
export function createEvmSender(client: EvmClient, account: PrivateKeyAccount): EvmSender {
  let nonce: number | null = null;
  let outstanding = 0;
  let queue: Promise<unknown> = Promise.resolve();

  async function submitNow({
    to,
    data = '0x',
    valueWei = 0n,
    gas = BigInt(LOCAL_CHAIN.gasPerTransaction),
  }: SenderCall): Promise<SentTransaction> {
    try {
      // With nothing on its way the chain's count is the right one, also after the chain went back.
      const current =
        (outstanding > 0 ? nonce : null) ??
        (await client.getTransactionCount({ address: account.address, blockTag: 'pending' }));
      const raw = await account.signTransaction({
        type: 'eip1559',
        chainId: client.chain.id,
        nonce: current,
        to,
        data,
        value: valueWei,
        gas,
        maxFeePerGas: BigInt(LOCAL_CHAIN.feePerGasWei),
        maxPriorityFeePerGas: priorityFeeOn(client.chain.id),
      });
      await client.sendRawTransaction({ serializedTransaction: raw });
      nonce = current + 1;
      outstanding += 1;
      const receipt = receiptOf(client, raw).finally(() => (outstanding -= 1));
      // Whoever does not wait for the receipt must not be ended by it.
      receipt.catch(() => (nonce = null));
      return { hash: keccak256(raw), receipt };
    } catch (cause) {
      // The node may or may not have it: the next one asks the chain again.
      nonce = null;
      throw unavailable(`a transaction of ${account.address} was not taken`, cause);
    }
  }

  function submit(call: SenderCall): Promise<SentTransaction> {
    const submitted = queue.then(() => submitNow(call));
    queue = submitted.catch(() => undefined);
    return submitted;
  }

  return {
    address: account.address,
    submit,
    async send(call) {
      const receipt = await (await submit(call)).receipt;
      if (receipt.status === 'reverted')
        throw new AppError('chain_reverted', `transaction ${receipt.transactionHash} reverted`);
      return receipt;
    },
  };
}

/**
 * Looks until the transaction is in a block, and now and then hands the same bytes over again. It
 * asks by itself, not when a block comes: the node may count a block before it knows the receipts
 * of it, and where nothing else happens no other block comes. Errors: `chain_unavailable` when it
 * stays out of every block.
 */
export async function receiptOf(client: EvmClient, raw: Hex): Promise<TransactionReceipt> {
  return receiptFor(client, keccak256(raw), () =>
    client.sendRawTransaction({ serializedTransaction: raw }),
  );
}

/**
 * The same for a transaction that the node itself has made; `again`, where it is given, hands the
 * bytes over anew.
 */
export async function receiptFor(
  client: EvmClient,
  hash: Hex,
  again: () => Promise<unknown> = () => Promise.resolve(),
): Promise<TransactionReceipt> {
  const deadline = Date.now() + LOCAL_CHAIN.receiptTimeoutMs;
  for (let poll = 1; ; poll += 1) {
    const receipt = await receiptNow(client, hash);
    if (receipt !== null) return receipt;
    if (Date.now() > deadline) throw unavailable(`transaction ${hash} is in no block`);
    // Already known is the usual answer and as good as taken.
    if (poll % LOCAL_CHAIN.pollsPerBroadcast === 0) await again().catch(() => undefined);
    await delay(LOCAL_CHAIN.pollMs);
  }
}

/** Null while no block has it. */
async function receiptNow(client: EvmClient, hash: Hex): Promise<TransactionReceipt | null> {
  try {
    return await client.getTransactionReceipt({ hash });
  } catch (cause) {
    if (cause instanceof TransactionReceiptNotFoundError) return null;
    throw cause;
  }
}

function unavailable(sentence: string, cause?: unknown): AppError {
  return new AppError('chain_unavailable', sentence, {
    retryable: true,
    ...(cause === undefined ? {} : { cause }),
  });
}

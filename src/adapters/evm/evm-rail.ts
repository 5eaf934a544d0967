import { keccak256, parseTransaction, serializeTransaction, type Hex } from 'viem';
import { EVM_RAIL } from '../../../config/limits/chain.ts';
import { AppError, assert } from '../../domain/errors.ts';
import { asId, type Address, type UserId } from '../../domain/ids.ts';
import { attemptToSend, type Attempt, type TransactionRecord } from '../../domain/transaction.ts';
import type { Web3ChainId } from '../../domain/web3-chains.ts';
import type { EvmAccounts, EvmFees } from '../../ports/evm-account.ts';
import type { EvmCall, EvmChain, EvmReceipt } from '../../ports/evm.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { KeyVault } from '../../ports/key-vault.ts';
import type {
  Preparation,
  PreparationRequest,
  Rail,
  TransactionStatus,
} from '../../ports/transactions.ts';
import { bytesOfHex } from '../wire/hex.ts';
import { createNonceGaps, type NonceGaps } from './nonce-gaps.ts';

/**
 * Creates the rail of users' own EVM accounts on one chain: one call a transaction, its fees paid
 * by the account. What no block takes is signed again under the same nonce with a higher fee, so
 * that the chain takes one of them.
 */
export function createEvmRail({
  chain,
  accounts,
  evm,
  vault,
  loadKeys,
  assertMaySign,
  metrics,
}: {
  readonly chain: Web3ChainId;
  readonly accounts: EvmAccounts;
  readonly evm: EvmChain;
  readonly vault: Pick<KeyVault, 'signDigest'>;
  /** Puts the user's keys into memory. Errors: `not_found`, `master_key_wrong`. */
  readonly loadKeys: (userId: UserId) => Promise<unknown>;
  /** Asked where the bytes are signed: throws what keeps them from leaving now (L6). */
  readonly assertMaySign: (record: TransactionRecord) => void;
  readonly metrics: Metrics;
}): Rail<EvmReceipt> {
  const gaps = createNonceGaps(chain, metrics);
  const signDigest = (record: TransactionRecord, digest: Uint8Array): Uint8Array => {
    assertMaySign(record);
    return vault.signDigest(record.userId, digest);
  };
  return {
    chain,
    kind: 'evm',
    pace: EVM_RAIL,
    async prepare(record, request) {
      await loadKeys(record.userId);
      return prepare({ accounts, evm, signDigest }, record, request);
    },
    async send({ id, bytes }) {
      const outcome = await accounts.send(bytes as Hex); // written by `prepare`
      return outcome.kind === 'accepted' ? { kind: 'accepted', handle: id } : outcome;
    },
    status: (record) => statusOf({ accounts, evm, gaps }, record),
    replacementFor(record, nowMs) {
      const newest = attemptToSend(record);
      return newest !== null &&
        record.state !== 'mined' &&
        record.attempts.length < EVM_RAIL.attemptsMaximum &&
        nowMs >= newest.signedAtMs + EVM_RAIL.speedUpMs
        ? 'speed_up'
        : null;
    },
  };
}

async function prepare(
  {
    accounts,
    evm,
    signDigest,
  }: {
    readonly accounts: EvmAccounts;
    readonly evm: Pick<EvmChain, 'chainId' | 'head'>;
    readonly signDigest: (record: TransactionRecord, digest: Uint8Array) => Uint8Array;
  },
  record: TransactionRecord,
  { replacement, usedNonce }: PreparationRequest,
): Promise<Preparation> {
  const { account, body } = record;
  const owner = asId<Address>(account.address);
  const [stored, ...more] = body.kind === 'calls' ? body.calls : [];
  if (stored === undefined || more.length > 0)
    return { kind: 'refused', reason: 'an EVM account carries one call' };
  const out = attemptToSend(record);
  const call: EvmCall = { to: stored.to, data: stored.data, valueWei: BigInt(stored.valueWei) };
  const { blockNumber } = await evm.head();
  const fees = await feesFor(accounts, out);
  if (replacement !== null && out !== null) {
    const before = parseTransaction(out.bytes as Hex); // written below
    return ready(before.gas ?? 0n, nonceOf(out));
  }
  const nonce = await accounts.nonce(owner, 1);
  if (usedNonce !== null && nonce <= usedNonce) return { kind: 'behind', nonce };
  try {
    return ready(((await accounts.gas(owner, call)) * EVM_RAIL.gasPercent) / 100n, nonce);
  } catch (error) {
    if (error instanceof AppError && error.code === 'chain_reverted')
      return { kind: 'refused', reason: error.message };
    throw error;
  }

  function ready(gas: bigint, under: number): Preparation {
    const unsigned = {
      type: 'eip1559',
      chainId: evm.chainId,
      nonce: under,
      to: call.to as unknown as Hex, // an Address is checksummed 0x hex by contract
      data: call.data,
      value: call.valueWei,
      gas,
      ...fees,
    } as const;
    return {
      kind: 'ready',
      sign() {
        const digest = bytesOfHex(keccak256(serializeTransaction(unsigned)), 32);
        assert(digest !== null, 'a digest has 32 bytes');
        const signature = signDigest(record, digest);
        const bytes = serializeTransaction(unsigned, {
          r: hexOf(signature.subarray(0, 32)),
          s: hexOf(signature.subarray(32, 64)),
          yParity: (signature[64] ?? 27) - 27,
        });
        return {
          id: keccak256(bytes),
          bytes,
          bound: { kind: 'nonce', nonce: under },
          isCancel: false,
          sinceHeight: out?.sinceHeight ?? blockNumber,
        };
      },
    };
  }
}

/**
 * A replacement pays an eighth more of both, as nodes ask, and never less than what is usual now.
 */
async function feesFor(accounts: EvmAccounts, out: Attempt | null): Promise<EvmFees> {
  const usual = await accounts.fees();
  if (out === null) return usual;
  const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = parseTransaction(
    out.bytes as Hex, // written by `prepare`
  ) as Partial<EvmFees>; // of the one type signed here
  const higher = (fee: bigint): bigint => (fee * EVM_RAIL.replacementPercent) / 100n + 1n;
  const most = (one: bigint, other: bigint): bigint => (one > other ? one : other);
  return {
    maxFeePerGas: most(usual.maxFeePerGas, higher(maxFeePerGas)),
    maxPriorityFeePerGas: most(usual.maxPriorityFeePerGas, higher(maxPriorityFeePerGas)),
  };
}

/**
 * All attempts of a record share a nonce: the chain takes one of them, or another transaction that
 * used it.
 */
async function statusOf(
  {
    accounts,
    evm,
    gaps,
  }: {
    readonly accounts: EvmAccounts;
    readonly evm: Pick<EvmChain, 'receipt' | 'hasBlock'>;
    readonly gaps: NonceGaps;
  },
  record: TransactionRecord,
): Promise<TransactionStatus<EvmReceipt>> {
  const [first] = record.attempts;
  assert(first !== undefined, `${record.transactionId} is signed before the chain is asked`);
  // read before the receipts: what lands in between is found
  const finalNonce = await accounts.nonce(
    asId<Address>(record.account.address),
    EVM_RAIL.confirmations,
  );
  const nonce = nonceOf(first);
  gaps.note(record.account.address, nonce - finalNonce);
  for (const { id } of record.attempts) {
    const receipt = await evm.receipt(id as Hex); // a hash, written by `prepare`
    if (receipt === null) continue;
    if (receipt.confirmations < EVM_RAIL.confirmations)
      return { kind: 'mined', transactionHash: receipt.transactionHash };
    return receipt.succeeded
      ? { kind: 'confirmed', receipt }
      : {
          kind: 'failed',
          reason: 'the chain ran it and took everything back',
          ...(receipt.fee === undefined ? {} : { fee: receipt.fee }),
        };
  }
  if (finalNonce <= nonce)
    return {
      kind: 'pending',
      copy: { kind: record.state === 'mined' ? 'absent' : 'held' },
      ...(finalNonce < nonce ? { nextNonce: finalNonce } : {}),
    };
  const { sinceHeight } = first;
  return (await evm.hasBlock(sinceHeight))
    ? {
        kind: 'never',
        proof: { kind: 'nonce_used', nonce },
        reason: 'another transaction of the account used its nonce',
      }
    : {
        kind: 'pruned',
        reason: `its nonce is used, and the node no longer has block ${sinceHeight}, after which it was sent`,
      };
}

function nonceOf({ bound }: Attempt): number {
  assert(bound.kind === 'nonce', 'an attempt of an EVM account is bounded by its nonce');
  return bound.nonce;
}

function hexOf(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes).toString('hex')}`;
}

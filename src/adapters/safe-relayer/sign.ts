import {
  concatHex,
  encodeFunctionData,
  encodePacked,
  hashMessage,
  hashTypedData,
  parseAbi,
  size,
  zeroAddress,
} from 'viem';
import { RELAYER } from '../../../config/limits/chain.ts';
import { AppError, assert } from '../../domain/errors.ts';
import type { Address, UserId } from '../../domain/ids.ts';
import type { EvmCall, Hex } from '../../ports/evm.ts';
import type { KeyVault } from '../../ports/key-vault.ts';
import { bytesOfHex, hexOf } from '../wire/hex.ts';
import type { SignedSafeTransaction } from './safe-transaction.ts';

/** The venue's contracts on one chain. */
export interface SafeContracts {
  readonly chainId: number;
  readonly factory: Address;
  readonly multisend: Address;
}

/** What signing needs of the vault. */
export type SafeKeys = Pick<KeyVault, 'addressOf' | 'signDigest'>;

/** What signing needs. */
export interface SafeSigning {
  readonly vault: SafeKeys;
  readonly contracts: SafeContracts;
  addressOf(owner: Address): Address;
}

const CREATE_TYPES = {
  CreateProxy: [
    { name: 'paymentToken', type: 'address' },
    { name: 'payment', type: 'uint256' },
    { name: 'paymentReceiver', type: 'address' },
  ],
} as const;
const SAFE_TX_TYPES = {
  SafeTx: [
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'data', type: 'bytes' },
    { name: 'operation', type: 'uint8' },
    { name: 'safeTxGas', type: 'uint256' },
    { name: 'baseGas', type: 'uint256' },
    { name: 'gasPrice', type: 'uint256' },
    { name: 'gasToken', type: 'address' },
    { name: 'refundReceiver', type: 'address' },
    { name: 'nonce', type: 'uint256' },
  ],
} as const;
const multisendAbi = parseAbi(['function multiSend(bytes transactions) payable']);
const DIGEST_BYTES = 32;
/**
 * A Safe tells a signature over the message form of its hash by this much added to v (web3.md
 * section 6).
 */
const MESSAGE_FORM = 4;

/**
 * Signs the deployment of the user's Safe (venue_a.md section 14.3, SAFE-CREATE). Errors:
 * `not_found`.
 */
export function signCreate(
  { vault, contracts, addressOf }: SafeSigning,
  userId: UserId,
): SignedSafeTransaction {
  const owner = vault.addressOf(userId);
  const digest = hashTypedData({
    domain: {
      name: 'Polymarket Contract Proxy Factory',
      chainId: contracts.chainId,
      verifyingContract: hex(contracts.factory),
    },
    types: CREATE_TYPES,
    primaryType: 'CreateProxy',
    message: { paymentToken: zeroAddress, payment: 0n, paymentReceiver: zeroAddress },
  });
  return {
    kind: 'create',
    owner,
    safe: addressOf(owner),
    signature: hexOf(vault.signDigest(userId, bytesOf(digest))),
  };
}

/** What a Safe is to do. */
export interface ExecuteRequest {
  readonly calls: readonly EvmCall[];
  readonly nonce: number;
  readonly note: string;
}

/**
 * Signs one call, or several as one batch that happens as a whole or not at all (venue_a.md section
 * 14.3, SAFE). The wire has no field for native coin, so a call that sends some goes as a batch as
 * well. Errors: `not_found`, `limit_reached`.
 */
export function signExecute(
  { vault, contracts, addressOf }: SafeSigning,
  userId: UserId,
  { calls, nonce, note }: ExecuteRequest,
): SignedSafeTransaction {
  if (calls.length === 0 || calls.length > RELAYER.callsPerBatchMaximum)
    throw new AppError(
      'limit_reached',
      `a batch of ${calls.length} calls; 1 to ${RELAYER.callsPerBatchMaximum} fit`,
    );
  if (note.length > RELAYER.noteMaximumChars)
    throw new AppError(
      'limit_reached',
      `a note of ${note.length} characters; ${RELAYER.noteMaximumChars} fit`,
    );
  const owner = vault.addressOf(userId);
  const safe = addressOf(owner);
  const { call, operation } = asOne(calls, contracts.multisend);
  const safeTxHash = hashSafeTx(contracts.chainId, { safe, call, operation, nonce });
  return {
    kind: 'execute',
    owner,
    safe,
    nonce,
    call,
    operation,
    safeTxHash,
    signature: inMessageForm(vault.signDigest(userId, bytesOf(hashMessage({ raw: safeTxHash })))),
    note,
  };
}

/** The hash a Safe knows an action by (web3.md section 6): refunds and gas fields are zero. */
export function hashSafeTx(
  chainId: number,
  {
    safe,
    call,
    operation,
    nonce,
  }: {
    readonly safe: Address;
    readonly call: EvmCall;
    readonly operation: 0 | 1;
    readonly nonce: number;
  },
): Hex {
  return hashTypedData({
    domain: { chainId, verifyingContract: hex(safe) },
    types: SAFE_TX_TYPES,
    primaryType: 'SafeTx',
    message: {
      to: hex(call.to),
      value: call.valueWei,
      data: call.data,
      operation,
      safeTxGas: 0n,
      baseGas: 0n,
      gasPrice: 0n,
      gasToken: zeroAddress,
      refundReceiver: zeroAddress,
      nonce: BigInt(nonce),
    },
  });
}

function inMessageForm(signature: Uint8Array): Hex {
  const v = signature[64];
  assert(v === 27 || v === 28, 'the vault signs with v 27 or 28');
  return hexOf(Uint8Array.of(...signature.subarray(0, 64), v + MESSAGE_FORM));
}

function asOne(
  calls: readonly EvmCall[],
  multisend: Address,
): { readonly call: EvmCall; readonly operation: 0 | 1 } {
  const [only] = calls;
  if (calls.length === 1 && only !== undefined && only.valueWei === 0n)
    return { call: only, operation: 0 };
  const packed = concatHex(
    calls.map(({ to, data, valueWei }) =>
      encodePacked(
        ['uint8', 'address', 'uint256', 'uint256', 'bytes'],
        [0, hex(to), valueWei, BigInt(size(data)), data],
      ),
    ),
  );
  return {
    call: {
      to: multisend,
      data: encodeFunctionData({ abi: multisendAbi, functionName: 'multiSend', args: [packed] }),
      valueWei: 0n,
    },
    operation: 1,
  };
}

function bytesOf(digest: Hex): Uint8Array {
  const bytes = bytesOfHex(digest, DIGEST_BYTES);
  assert(bytes !== null, 'a digest has 32 bytes');
  return bytes;
}

function hex(address: Address): Hex {
  return address as unknown as Hex; // an Address is checksummed 0x hex by contract
}

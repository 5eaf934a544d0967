import {
  encodeFunctionData,
  getAddress,
  hashMessage,
  hashTypedData,
  isAddress,
  isAddressEqual,
  zeroAddress,
  type Hex,
} from 'viem';
import { z } from 'zod';
import { RELAYER_MODEL } from '../../../../../config/limits/sandbox-chains.ts';
import { asId, type Address } from '../../../../domain/ids.ts';
import { SAFE_ABI } from '../../../chains/evm/contract-abis.ts';
import { recovers } from '../clob/order-signature.ts';
import { deriveWallets } from '../wallets/wallet-derivation.ts';
import { VENUE_CONTRACTS } from '../chain/chain-addresses.ts';

/** A checked body of `POST /submit`, in the relayer's own terms. */
export type Submission =
  | {
      readonly type: 'SAFE-CREATE';
      readonly from: Hex;
      readonly to: Hex;
      readonly safe: Hex;
      readonly data: Hex;
    }
  | {
      readonly type: 'SAFE';
      readonly from: Hex;
      readonly to: Hex;
      readonly safe: Hex;
      readonly data: Hex;
      readonly nonce: bigint;
      readonly metadata: string;
      readonly execution: Hex;
    };

/** A refusal and why. */
export interface Refusal {
  readonly error: string;
}

const address = z
  .string()
  .refine((text) => isAddress(text, { strict: false }))
  .transform((text) => getAddress(text));
const hex = z
  .string()
  .max(RELAYER_MODEL.dataMaximumChars)
  .regex(/^0x([0-9a-fA-F]{2})*$/)
  .transform((text) => text as Hex); // the pattern is that of bytes
const digits = z
  .string()
  .regex(/^\d{1,78}$/)
  .transform(BigInt);
const zero = z.literal('0');
const zeroAddressOnly = z.literal(zeroAddress);
const head = { from: address, to: address, proxyWallet: address, data: hex, signature: hex };

const createSchema = z.object({
  ...head,
  type: z.literal('SAFE-CREATE'),
  signatureParams: z.object({
    paymentToken: zeroAddressOnly,
    payment: zero,
    paymentReceiver: zeroAddressOnly,
  }),
});
const executeSchema = z.object({
  ...head,
  type: z.literal('SAFE'),
  nonce: digits,
  signatureParams: z.object({
    gasPrice: zero,
    operation: z.enum(['0', '1']),
    safeTxnGas: zero,
    baseGas: zero,
    gasToken: zeroAddressOnly,
    refundReceiver: zeroAddressOnly,
  }),
  metadata: z.string().max(RELAYER_MODEL.metadataMaximumChars).optional(),
});
const bodySchema = z.discriminatedUnion('type', [createSchema, executeSchema]);
const typeSchema = z.object({ type: z.string() });

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

/**
 * Reads and checks a body: shape, wallet and signature (venue_a.md section 14.3). What the chain
 * must say is not looked at.
 */
export function readSubmission(body: unknown): Submission | Refusal {
  const { type } = typeSchema.safeParse(body).data ?? {};
  if (type !== undefined && type !== 'SAFE' && type !== 'SAFE-CREATE')
    return {
      error: `transaction type ${type.slice(0, 40)} is not supported: this relayer acts for Safes`,
    };
  const read = bodySchema.safeParse(body);
  if (!read.success)
    return {
      error: `invalid request: ${read.error.issues
        .map(({ path, message }) => `${path.join('.')} ${message}`)
        .join('; ')
        .slice(0, 300)}`,
    };
  const { from, proxyWallet } = read.data;
  // an Address is checksummed 0x hex
  const safe = deriveWallets(asId<Address>(from)).safe as unknown as Hex;
  if (!isAddressEqual(proxyWallet, safe))
    return { error: `proxy wallet ${proxyWallet} is not the safe of ${from}` };
  return read.data.type === 'SAFE-CREATE'
    ? readCreate(read.data, safe)
    : readExecute(read.data, safe);
}

function readCreate(
  { from, to, data, signature, type }: z.output<typeof createSchema>,
  safe: Hex,
): Submission | Refusal {
  if (!isAddressEqual(to, VENUE_CONTRACTS.safeFactory))
    return { error: `a safe is made by the factory ${VENUE_CONTRACTS.safeFactory}` };
  const digest = hashTypedData({
    domain: {
      name: 'Polymarket Contract Proxy Factory',
      chainId: VENUE_CONTRACTS.chainId,
      verifyingContract: VENUE_CONTRACTS.safeFactory,
    },
    types: CREATE_TYPES,
    primaryType: 'CreateProxy',
    message: { paymentToken: zeroAddress, payment: 0n, paymentReceiver: zeroAddress },
  });
  return recovers(from, digest, signature)
    ? { type, from, to, safe, data }
    : { error: 'invalid signature' };
}

function readExecute(
  {
    from,
    to,
    data,
    signature,
    type,
    nonce,
    metadata = '',
    signatureParams,
  }: z.output<typeof executeSchema>,
  safe: Hex,
): Submission | Refusal {
  const operation = signatureParams.operation === '1' ? 1 : 0;
  const digest = hashTypedData({
    domain: { chainId: VENUE_CONTRACTS.chainId, verifyingContract: safe },
    types: SAFE_TX_TYPES,
    primaryType: 'SafeTx',
    message: {
      to,
      value: 0n,
      data,
      operation,
      safeTxGas: 0n,
      baseGas: 0n,
      gasPrice: 0n,
      gasToken: zeroAddress,
      refundReceiver: zeroAddress,
      nonce,
    },
  });
  if (!isMessageSignature(from, digest, signature)) return { error: 'invalid signature' };
  const execution = encodeFunctionData({
    abi: SAFE_ABI,
    functionName: 'execTransaction',
    args: [to, 0n, data, operation, 0n, 0n, 0n, zeroAddress, zeroAddress, signature],
  });
  return { type, from, to, safe, data, nonce, metadata, execution };
}

/**
 * A Safe takes a signature over the message form of its hash when v is 31 or 32 (web3.md section
 * 6).
 */
function isMessageSignature(from: Hex, digest: Hex, signature: Hex): boolean {
  const v = Number.parseInt(signature.slice(-2), 16);
  if (signature.length !== 132 || (v !== 31 && v !== 32)) return false;
  return recovers(
    from,
    hashMessage({ raw: digest }),
    `${signature.slice(0, -2)}${(v - 4).toString(16)}` as Hex,
  ); // hex but for its last byte, which is 1b or 1c
}

import {
  concatHex,
  hashStruct,
  hashTypedData,
  hexToBytes,
  isAddressEqual,
  keccak256,
  slice,
  stringToHex,
  toHex,
  zeroHash,
  type Hex,
} from 'viem';
import { asId, type OrderId } from '../../../../domain/ids.ts';
import { curve } from '../../../../adapters/wire/secp256k1.ts';
import type { ChainOrder } from '../chain/exchange-orders.ts';
import { VENUE_CONTRACTS } from '../chain/chain-addresses.ts';

/** The signed part of an order as it comes over the wire, numbers read. */
export interface SignedFields extends Omit<ChainOrder, 'signatureType'> {
  /** 1, the venue's own proxies, is known to the wire alone: no contract here takes it. */
  readonly signatureType: 0 | 1 | 2 | 3;
}

const ORDER_FIELDS = [
  { name: 'salt', type: 'uint256' },
  { name: 'maker', type: 'address' },
  { name: 'signer', type: 'address' },
  { name: 'tokenId', type: 'uint256' },
  { name: 'makerAmount', type: 'uint256' },
  { name: 'takerAmount', type: 'uint256' },
  { name: 'side', type: 'uint8' },
  { name: 'signatureType', type: 'uint8' },
  { name: 'timestamp', type: 'uint256' },
  { name: 'metadata', type: 'bytes32' },
  { name: 'builder', type: 'bytes32' },
] as const;
const WRAPPER_FIELDS = [
  { name: 'contents', type: 'Order' },
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
  { name: 'salt', type: 'bytes32' },
] as const;
const ORDER_TYPE_TEXT = `Order(${ORDER_FIELDS.map(({ type, name }) => `${type} ${name}`).join(',')})`;
const DOMAIN_FIELDS = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
] as const;

/**
 * The venue's order id: the EIP-712 digest under the exchange the market settles on (venue_a.md
 * section 5.1).
 */
export function orderIdOf(order: SignedFields, negRisk: boolean): OrderId {
  return asId<OrderId>(
    hashTypedData({
      domain: domainOf(negRisk),
      types: { Order: ORDER_FIELDS },
      primaryType: 'Order',
      message: messageOf(order),
    }),
  );
}

/** True when `owner` signed the order, in the form its signature type asks for. */
export function isSignedBy(
  owner: Hex,
  order: SignedFields,
  proof: { readonly negRisk: boolean; readonly orderId: OrderId; readonly signature: Hex },
): boolean {
  const digest: string = proof.orderId;
  // An order id is 0x hex: `orderIdOf` made it.
  if (order.signatureType !== 3) return recovers(owner, digest as Hex, proof.signature);
  return isWrappedBy(owner, order, proof);
}

/** True when the 65-byte signature over the digest was made by `owner`. */
export function recovers(owner: Hex, digest: Hex, signature: Hex): boolean {
  if (signature.length !== 132) return false;
  const bytes = hexToBytes(signature);
  const recovery = (bytes[64] ?? 0) >= 27 ? (bytes[64] ?? 0) - 27 : (bytes[64] ?? 0);
  if (recovery !== 0 && recovery !== 1) return false;
  try {
    const publicKey = curve.recover(hexToBytes(digest), {
      signature: bytes.subarray(0, 64),
      recoveryId: recovery,
    });
    return isAddressEqual(owner, slice(keccak256(publicKey.subarray(1)), 12));
  } catch {
    // The bytes are no signature at all; the library says so by throwing.
    return false;
  }
}

/**
 * Deposit wallets: inner signature ‖ domain separator ‖ struct hash ‖ type text ‖ its length, 317
 * bytes.
 */
function isWrappedBy(
  owner: Hex,
  order: SignedFields,
  { negRisk, signature }: { readonly negRisk: boolean; readonly signature: Hex },
): boolean {
  const domain = domainOf(negRisk);
  const tail = concatHex([
    hashStruct({
      primaryType: 'EIP712Domain',
      types: { EIP712Domain: DOMAIN_FIELDS },
      data: domain,
    }),
    hashStruct({ primaryType: 'Order', types: { Order: ORDER_FIELDS }, data: messageOf(order) }),
    stringToHex(ORDER_TYPE_TEXT),
    toHex(ORDER_TYPE_TEXT.length, { size: 2 }),
  ]);
  if (
    signature.length !== 132 + tail.length - 2 ||
    signature.slice(132).toLowerCase() !== tail.slice(2)
  )
    return false;
  const digest = hashTypedData({
    domain,
    types: { TypedDataSign: WRAPPER_FIELDS, Order: ORDER_FIELDS },
    primaryType: 'TypedDataSign',
    message: {
      contents: messageOf(order),
      name: 'DepositWallet',
      version: '1',
      chainId: BigInt(VENUE_CONTRACTS.chainId),
      verifyingContract: order.maker,
      salt: zeroHash,
    },
  });
  return recovers(owner, digest, slice(signature, 0, 65));
}

function domainOf(negRisk: boolean) {
  return {
    name: 'Polymarket CTF Exchange',
    version: '2',
    chainId: BigInt(VENUE_CONTRACTS.chainId),
    verifyingContract: negRisk ? VENUE_CONTRACTS.negRiskExchange : VENUE_CONTRACTS.exchange,
  } as const;
}

function messageOf({
  salt,
  maker,
  signer,
  tokenId,
  makerAmount,
  takerAmount,
  side,
  signatureType,
  timestamp,
  metadata,
  builder,
}: SignedFields) {
  return {
    salt,
    maker,
    signer,
    tokenId,
    makerAmount,
    takerAmount,
    side,
    signatureType,
    timestamp,
    metadata,
    builder,
  };
}

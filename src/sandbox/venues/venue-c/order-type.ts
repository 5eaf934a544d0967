import { isAddressEqual, isHex, recoverTypedDataAddress, type Hex } from 'viem';
import { VENUE_C_CHAIN } from './chain-addresses.ts';
import type { SignedOrder } from './model/order.ts';

/** Name and version of the domain; chain and exchange complete it (venue_c.md section 8.1). */
export const ORDER_DOMAIN = { name: 'Limitless CTF Exchange', version: '1' } as const;

/** What is signed, in this order. */
const ORDER_TYPE = [
  { name: 'salt', type: 'uint256' },
  { name: 'maker', type: 'address' },
  { name: 'signer', type: 'address' },
  { name: 'taker', type: 'address' },
  { name: 'tokenId', type: 'uint256' },
  { name: 'makerAmount', type: 'uint256' },
  { name: 'takerAmount', type: 'uint256' },
  { name: 'expiration', type: 'uint256' },
  { name: 'nonce', type: 'uint256' },
  { name: 'feeRateBps', type: 'uint256' },
  { name: 'side', type: 'uint8' },
  { name: 'signatureType', type: 'uint8' },
] as const;

/** Reports whether an order's signer has signed it for this exchange. */
export async function isOrderSigned(order: SignedOrder, exchange: Hex): Promise<boolean> {
  const { signature } = order;
  if (!isHex(signature) || signature.length !== 132) return false;
  const signer = await recoverTypedDataAddress({
    ...typedOrder(order, exchange),
    signature,
  }).catch(() => null);
  return signer !== null && isAddressEqual(signer, hex(order.signer));
}

/** An order as its owner's wallet signs it. */
export function typedOrder(order: Omit<SignedOrder, 'signature'>, exchange: Hex) {
  return {
    domain: { ...ORDER_DOMAIN, chainId: VENUE_C_CHAIN.chainId, verifyingContract: exchange },
    types: { Order: ORDER_TYPE },
    primaryType: 'Order' as const,
    message: {
      salt: BigInt(order.salt),
      maker: hex(order.maker),
      signer: hex(order.signer),
      taker: hex(order.taker),
      tokenId: BigInt(order.tokenId),
      makerAmount: BigInt(order.makerAmount),
      takerAmount: BigInt(order.takerAmount),
      expiration: BigInt(order.expiration),
      nonce: BigInt(order.nonce),
      feeRateBps: BigInt(order.feeRateBps),
      side: order.side,
      signatureType: order.signatureType,
    },
  };
}

function hex(address: string): Hex {
  return address as Hex; // the order intake has checked that it is one
}

import type { Hex, PrivateKeyAccount } from 'viem';
import { VENUE_A_CHAIN } from './chain-addresses.ts';

/** Name and version of the exchange's EIP-712 domain; chain and address complete it (venue_a.md section 5.1). */
export const EXCHANGE_DOMAIN = { name: 'Polymarket CTF Exchange', version: '2' } as const;

/** An order as its owner signs it, and as the exchange contract takes it. Side: 0 buy, 1 sell. */
export interface ChainOrder {
  readonly salt: bigint;
  readonly maker: Hex;
  readonly signer: Hex;
  readonly tokenId: bigint;
  readonly makerAmount: bigint;
  readonly takerAmount: bigint;
  readonly side: 0 | 1;
  readonly signatureType: 0 | 2 | 3;
  readonly timestamp: bigint;
  readonly metadata: Hex;
  readonly builder: Hex;
}

/** One order's part in a match: `fill` is of its makerAmount. */
export interface MatchPart {
  readonly order: ChainOrder;
  readonly signature: Hex;
  readonly fill: bigint;
}

const ORDER_TYPE = [
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

/** Signs an order for one of the two exchanges with a key of the sandbox's own. */
export function signChainOrder(
  account: PrivateKeyAccount,
  order: ChainOrder,
  exchange: Hex = VENUE_A_CHAIN.exchange,
): Promise<Hex> {
  return account.signTypedData({
    domain: { ...EXCHANGE_DOMAIN, chainId: VENUE_A_CHAIN.chainId, verifyingContract: exchange },
    types: { Order: ORDER_TYPE },
    primaryType: 'Order',
    message: order,
  });
}

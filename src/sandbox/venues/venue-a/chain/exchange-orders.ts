import { hashTypedData, parseAbi, type Hex, type PrivateKeyAccount } from 'viem';
import { VENUE_A_CHAIN } from './chain-addresses.ts';

/**
 * Name and version of the exchange's EIP-712 domain; chain and address complete it (venue_a.md
 * section 5.1).
 */
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
  return account.signTypedData(typedOrder(order, exchange));
}

/** The hash by which one of the two exchanges knows an order. */
export function chainOrderHash(order: ChainOrder, exchange: Hex): Hex {
  return hashTypedData(typedOrder(order, exchange));
}

function typedOrder(order: ChainOrder, exchange: Hex) {
  return {
    domain: { ...EXCHANGE_DOMAIN, chainId: VENUE_A_CHAIN.chainId, verifyingContract: exchange },
    types: { Order: ORDER_TYPE },
    primaryType: 'Order' as const,
    message: order,
  };
}

/** The project's own exchange, deployed at the address of the venue's. */
export const EXCHANGE_ABI = parseAbi([
  'struct Order { uint256 salt; address maker; address signer; uint256 tokenId; uint256 makerAmount; uint256 takerAmount; uint8 side; uint8 signatureType; uint256 timestamp; bytes32 metadata; bytes32 builder; }',
  'struct Part { Order order; bytes signature; uint256 fill; }',
  'function matchOrders(Part taker, Part[] makers, uint256 fee)',
  'function cancelOrders(Order[] orders)',
  'function listPair(bytes32 conditionId) returns (uint256 first, uint256 second)',
  'struct Outcome { uint256 opposite; bytes32 conditionId; }',
  'function outcomeOf(uint256 tokenId) view returns (Outcome outcome)',
  'function hashOrder(Order order) view returns (bytes32)',
  'function domainSeparator() view returns (bytes32)',
  'function statusOf(bytes32 orderHash) view returns (bool isCancelled, uint256 filled)',
  'function setOperator(address account, bool allowed)',
  'function isOperator(address account) view returns (bool)',
  'function pause()',
  'function unpause()',
  'function paused() view returns (bool)',
  'event OrderFilled(bytes32 indexed orderHash, address indexed maker, uint256 indexed tokenId, uint8 side, uint256 given, uint256 got, uint256 fee)',
  'event OrdersMatched(bytes32 indexed takerHash, address indexed taker, uint256 indexed tokenId, uint8 side, uint256 given, uint256 got)',
  'event OrderCancelled(bytes32 indexed orderHash)',
  'error BadSignature(bytes32 orderHash)',
  'error BadAmounts(bytes32 orderHash)',
  'error Cancelled(bytes32 orderHash)',
  'error Overfilled(bytes32 orderHash)',
  'error NotMaker()',
  'error NotAdmin()',
  'error NotOperator()',
  'error NotCrossing(bytes32 makerHash)',
  'error PriceWorse(bytes32 orderHash)',
  'error FeeTooHigh()',
  'error UnknownToken(uint256 tokenId)',
  'error NotBinary(bytes32 conditionId)',
  'error EnforcedPause()',
  // Of the tokens it moves.
  'error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)',
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
]);

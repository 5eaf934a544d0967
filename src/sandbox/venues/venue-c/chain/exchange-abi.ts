import { parseAbi } from 'viem';

/** The project's own exchange, at the place of the venue's. */
export const BOOK_EXCHANGE_ABI = parseAbi([
  'struct Order { uint256 salt; address maker; address signer; address taker; uint256 tokenId; uint256 makerAmount; uint256 takerAmount; uint256 expiration; uint256 nonce; uint256 feeRateBps; uint8 side; uint8 signatureType; }',
  'struct Part { Order order; bytes signature; uint256 fill; }',
  'function matchOrders(Part taker, Part[] makers, uint256 fee)',
  'function cancelOrders(Order[] orders)',
  'function listPair(bytes32 conditionId) returns (uint256 first, uint256 second)',
  'struct Outcome { uint256 opposite; bytes32 conditionId; }',
  'function outcomeOf(uint256 tokenId) view returns (Outcome outcome)',
  'function hashOrder(Order order) view returns (bytes32)',
  'function statusOf(bytes32 orderHash) view returns (bool isCancelled, uint256 filled)',
  'event OrderFilled(bytes32 indexed orderHash, address indexed maker, uint256 indexed tokenId, uint8 side, uint256 given, uint256 got, uint256 fee)',
  'error BadSignature(bytes32 orderHash)',
  'error BadAmounts(bytes32 orderHash)',
  'error Expired(bytes32 orderHash)',
  'error Private(bytes32 orderHash)',
  'error Cancelled(bytes32 orderHash)',
  'error Overfilled(bytes32 orderHash)',
  'error NotMaker()',
  'error NotOperator()',
  'error NotCrossing(bytes32 makerHash)',
  'error PriceWorse(bytes32 orderHash)',
  'error FeeTooHigh()',
  'error UnknownToken(uint256 tokenId)',
  'error NotBinary(bytes32 conditionId)',
]);

/** The project's own adapter of groups, at the place of the venue's. */
export const GROUP_ADAPTER_ABI = parseAbi([
  'function reportOutcome(bytes32 groupId, bytes32 questionId, uint256[] payouts)',
  'function redeemPositions(bytes32 conditionId, uint256[] amounts)',
  'event PayoutRedemption(address indexed redeemer, bytes32 indexed conditionId, uint256[] amounts, uint256 payout)',
  'error NotOracle()',
  'error SecondWinner(bytes32 groupId)',
]);

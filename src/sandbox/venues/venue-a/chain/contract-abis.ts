import { parseAbi } from 'viem';

/** Dollars of the local chains, the venue's collateral among them. Only the sandbox's deployer mints. */
export const TOKEN_ABI = parseAbi([
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function totalSupply() view returns (uint256)',
  'function balanceOf(address) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
  'function approve(address spender, uint256 amount) returns (bool)',
  'function transfer(address to, uint256 amount) returns (bool)',
  'function transferFrom(address from, address to, uint256 amount) returns (bool)',
  'function mint(address to, uint256 amount)',
  'function nonces(address owner) view returns (uint256)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Approval(address indexed owner, address indexed spender, uint256 value)',
]);

/** A Safe of version 1.4.1, and its predecessors in what is listed here. */
export const SAFE_ABI = parseAbi([
  'function setup(address[] owners, uint256 threshold, address to, bytes data, address fallbackHandler, address paymentToken, uint256 payment, address paymentReceiver)',
  'function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures) payable returns (bool success)',
  'function getTransactionHash(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, uint256 nonce) view returns (bytes32)',
  'function nonce() view returns (uint256)',
  'function getThreshold() view returns (uint256)',
  'function getOwners() view returns (address[])',
  'function isOwner(address owner) view returns (bool)',
  'event ExecutionSuccess(bytes32 indexed txHash, uint256 payment)',
  'event ExecutionFailure(bytes32 indexed txHash, uint256 payment)',
]);

/** The conditional tokens framework 1.0.3. */
export const CONDITIONAL_TOKENS_ABI = parseAbi([
  'function prepareCondition(address oracle, bytes32 questionId, uint256 outcomeSlotCount)',
  'function reportPayouts(bytes32 questionId, uint256[] payouts)',
  'function splitPosition(address collateral, bytes32 parent, bytes32 conditionId, uint256[] partition, uint256 amount)',
  'function mergePositions(address collateral, bytes32 parent, bytes32 conditionId, uint256[] partition, uint256 amount)',
  'function redeemPositions(address collateral, bytes32 parent, bytes32 conditionId, uint256[] indexSets)',
  'function getConditionId(address oracle, bytes32 questionId, uint256 outcomeSlotCount) pure returns (bytes32)',
  'function getCollectionId(bytes32 parent, bytes32 conditionId, uint256 indexSet) view returns (bytes32)',
  'function getPositionId(address collateral, bytes32 collectionId) pure returns (uint256)',
  'function getOutcomeSlotCount(bytes32 conditionId) view returns (uint256)',
  'function payoutDenominator(bytes32 conditionId) view returns (uint256)',
  'function balanceOf(address owner, uint256 id) view returns (uint256)',
  'function balanceOfBatch(address[] owners, uint256[] ids) view returns (uint256[])',
  'function setApprovalForAll(address operator, bool approved)',
  'function isApprovedForAll(address owner, address operator) view returns (bool)',
  'function safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes data)',
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
  'event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
  'event ApprovalForAll(address indexed owner, address indexed operator, bool approved)',
]);

/** The project's own exchange, which stands where the venue's is. */
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

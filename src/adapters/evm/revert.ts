import { BaseError, decodeErrorResult, isHex, parseAbi, type Hex } from 'viem';

/**
 * Nodes give this code when a contract refused a call (the execution interfaces' JSON-RPC error
 * table).
 */
const REVERTED_CODE = 3;
/**
 * What contracts of swaps and tokens refuse with: Solidity's own two, those of tokens (ERC-6093),
 * of the usual library for calling them (OpenZeppelin's SafeERC20 and Address), and of the router's
 * contract (LI.FI's GenericErrors).
 */
const ERROR_ABI = parseAbi([
  'error Error(string message)',
  'error Panic(uint256 code)',
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)',
  'error ERC20InvalidSender(address sender)',
  'error ERC20InvalidReceiver(address receiver)',
  'error ERC20InvalidApprover(address approver)',
  'error ERC20InvalidSpender(address spender)',
  'error SafeERC20FailedOperation(address token)',
  'error AddressInsufficientBalance(address account)',
  'error InsufficientBalance(uint256 required, uint256 balance)',
  'error FailedCall()',
  'error FailedInnerCall()',
  'error EnforcedPause()',
  'error CumulativeSlippageTooLow(uint256 minAmount, uint256 receivedAmount)',
  'error ContractCallNotAllowed()',
  'error ExternalCallFailed()',
  'error InvalidAmount()',
  'error InvalidReceiver()',
  'error NativeAssetTransferFailed()',
  'error NoSwapDataProvided()',
  'error NoSwapFromZeroBalance()',
  'error TransferFromFailed()',
  'error UnAuthorized()',
]);
/** A contract's text is data: it is shown, so it is kept short and plain. */
const REASON_MAXIMUM = 200;

/**
 * The contract's reason when an error means that a call was refused by the chain; null for every
 * other failure.
 */
export function revertReason(error: unknown): string | null {
  if (!(error instanceof BaseError)) return null;
  const refused = error.walk(
    (step) =>
      typeof step === 'object' &&
      step !== null &&
      'code' in step &&
      (step.code === REVERTED_CODE || hasRevertData(step)),
  );
  if (refused === null) return null;
  const data = dataOf(refused);
  return isHex(data) && data !== '0x' ? contractError(data).reason : 'reverted without a reason';
}

/** What a contract's error bytes say. */
export interface ContractError {
  readonly reason: string;
  /** Who holds too little of a token, by the token's own error; null for any other error. */
  readonly lacking: Hex | null;
}

/** Reads a contract's error bytes; one that no known contract has is named by its selector. */
export function contractError(data: Hex): ContractError {
  try {
    const { errorName, args } = decodeErrorResult({ abi: ERROR_ABI, data });
    if (errorName === 'Error') return { reason: plainText(args[0]), lacking: null };
    if (errorName === 'Panic') return { reason: `panic ${args[0]}`, lacking: null };
    return {
      reason: `${errorName}(${(args ?? []).join(', ')})`,
      lacking: errorName === 'ERC20InsufficientBalance' ? args[0] : null,
    };
  } catch {
    return { reason: `error ${data.slice(0, 10)}`, lacking: null };
  }
}

/** A contract's text, short and plain. */
export function plainText(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, REASON_MAXIMUM);
}

/** Some nodes use the general code of a server error, and tell a revert by its bytes. */
function hasRevertData(step: object): boolean {
  return 'code' in step && step.code === -32_000 && dataOf(step) !== null;
}

function dataOf(step: object): Hex | null {
  if (!('data' in step)) return null;
  const { data } = step;
  if (isHex(data)) return data;
  return typeof data === 'object' && data !== null && 'data' in data && isHex(data.data)
    ? data.data
    : null;
}

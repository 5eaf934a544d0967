import { BaseError, decodeErrorResult, isHex } from 'viem';

/**
 * Nodes give this code when a contract refused a call (the execution interfaces' JSON-RPC error
 * table).
 */
const REVERTED_CODE = 3;
const ERROR_ABI = [
  { type: 'error', name: 'Error', inputs: [{ type: 'string' }] },
  { type: 'error', name: 'Panic', inputs: [{ type: 'uint256' }] },
] as const;
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
  return data === null ? 'reverted without a reason' : decodeReason(data);
}

/** The reason inside a contract's error bytes. */
function decodeReason(data: string): string {
  if (!isHex(data) || data === '0x') return 'reverted without a reason';
  try {
    const { errorName, args } = decodeErrorResult({ abi: ERROR_ABI, data });
    const text = errorName === 'Error' ? args[0] : `panic ${args[0]}`;
    return text.replace(/[^\x20-\x7e]/g, '?').slice(0, REASON_MAXIMUM);
  } catch {
    return `error ${data.slice(0, 10)}`;
  }
}

/** Some nodes use the general code of a server error, and tell a revert by its bytes. */
function hasRevertData(step: object): boolean {
  return 'code' in step && step.code === -32_000 && dataOf(step) !== null;
}

function dataOf(step: object): string | null {
  if (!('data' in step)) return null;
  const { data } = step;
  if (isHex(data)) return data;
  return typeof data === 'object' && data !== null && 'data' in data && isHex(data.data)
    ? data.data
    : null;
}

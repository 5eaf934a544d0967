import { sentenceOf, type TransactionError } from './transaction-errors.ts';

/**
 * A refusal of a call, with the network's own code (JSON-RPC 2.0, and the node's codes from -32002
 * on).
 */
export class RpcFailure extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.name = 'RpcFailure';
    this.code = code;
    this.data = data;
  }
}

/** What a node answers when its own trial of a transaction fails. */
export interface TrialReport {
  readonly err: TransactionError;
  readonly logs: readonly string[];
  readonly unitsConsumed: number;
}

/** The caller's arguments mean nothing. */
export function invalidParams(message: string): RpcFailure {
  return new RpcFailure(-32602, `Invalid params: ${message}`);
}

/** The node tried the transaction and it failed. */
export function trialFailed({ err, logs, unitsConsumed }: TrialReport): RpcFailure {
  const data = {
    accounts: null,
    err,
    innerInstructions: null,
    loadedAccountsDataSize: 0,
    logs,
    replacementBlockhash: null,
    returnData: null,
    unitsConsumed,
  };
  return err === 'SignatureFailure'
    ? new RpcFailure(-32003, 'Transaction signature verification failure')
    : new RpcFailure(-32002, `Transaction simulation failed: ${sentenceOf(err)}`, data);
}

/** The chain has not reached the slot the caller insists on. */
export function slotNotReached(contextSlot: number): RpcFailure {
  return new RpcFailure(-32016, 'Minimum context slot has not been reached', { contextSlot });
}

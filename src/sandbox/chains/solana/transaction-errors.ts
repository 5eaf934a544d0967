import type { FailedTransactionMetadata, TransactionMetadata } from 'litesvm';

/**
 * Why a transaction failed, in the network's JSON: "AccountNotFound",
 * {"InstructionError":[0,{"Custom":1}]}, …
 */
export type TransactionError = string | { readonly [name: string]: unknown };

/** The network's sentences for what clients run into; others are given by their name. */
const SENTENCES: Readonly<Record<string, string>> = {
  AccountNotFound: 'Attempt to debit an account but found no record of a prior credit.',
  AlreadyProcessed: 'This transaction has already been processed',
  BlockhashNotFound: 'Blockhash not found',
  InsufficientFundsForFee: 'Insufficient funds for fee',
  InvalidAccountForFee: 'This account may not be used to pay transaction fees',
  InvalidProgramForExecution: 'This program may not be used for executing instructions',
  ProgramAccountNotFound: 'Attempt to load a program that does not exist',
  SignatureFailure: 'Transaction did not pass signature verification',
  SanitizeFailure: 'Transaction failed to sanitize accounts offsets correctly',
  AddressLookupTableNotFound: "Transaction loads an address table account that doesn't exist",
};

/**
 * Reads what the machine says of a failure. It tells the names only in its debugging text (litesvm
 * 1.5.0); a test holds the form.
 */
export function readFailure(failed: FailedTransactionMetadata): TransactionError {
  const text =
    /\{ err: (.+?), meta: TransactionMetadata/s.exec(failed.toString())?.[1] ?? 'Unknown';
  const instruction = /^InstructionError\((\d+), (.+)\)$/s.exec(text);
  if (instruction !== null)
    return { InstructionError: [Number(instruction[1]), instructionError(instruction[2] ?? '')] };
  const indexed = /^(\w+)\((\d+)\)$/.exec(text);
  if (indexed !== null) return { [indexed[1] ?? '']: Number(indexed[2]) };
  const account = /^(\w+) \{ account_index: (\d+) \}$/.exec(text);
  if (account !== null) return { [account[1] ?? '']: { account_index: Number(account[2]) } };
  return text;
}

/** Lamports the machine took for a transaction; it tells them only in its debugging text. */
export function readFee(meta: TransactionMetadata): number {
  return Number(/fee: (\d+) \}\)$/.exec(meta.toString())?.[1] ?? 0);
}

/** The network's sentence for a failure. */
export function sentenceOf(error: TransactionError): string {
  if (typeof error === 'string') return SENTENCES[error] ?? error;
  const [index, cause] = Array.isArray(error['InstructionError'])
    ? error['InstructionError']
    : [null, null];
  if (typeof index !== 'number') return JSON.stringify(error);
  const custom: unknown =
    typeof cause === 'object' && cause !== null && 'Custom' in cause ? cause.Custom : null;
  return `Error processing Instruction ${index}: ${typeof custom === 'number' ? `custom program error: 0x${custom.toString(16)}` : String(cause)}`;
}

function instructionError(text: string): TransactionError {
  const custom = /^Custom\((\d+)\)$/.exec(text);
  if (custom !== null) return { Custom: Number(custom[1]) };
  return /^\w+/.exec(text)?.[0] ?? 'GenericError';
}

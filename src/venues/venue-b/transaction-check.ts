import type { VersionedTransaction } from '@solana/web3.js';
import {
  checkTransactionBound,
  readTransaction,
  type TransactionBoundParts,
} from '../../adapters/solana/transaction-bound.ts';
import { AppError } from '../../domain/errors.ts';
import type { LossBound } from '../../ports/solana.ts';

/** What a transaction of the venue's may do to its user, at most. */
export interface OrderBound extends LossBound {
  /** What of the books is given. */
  readonly gives: 'cash' | 'shares';
}

/** What the check works with. */
export type TransactionCheckParts = TransactionBoundParts;

/**
 * Checks the venue's transaction before its user signs it (venue_b.md section 21); tells what a
 * payer beside them loses. Errors:
 * `venue_protocol` for one that is not signed; those of `trialError` for one that would fail;
 * `chain_unavailable`.
 */
export async function checkTransaction(
  parts: TransactionCheckParts,
  encoded: string,
  bound: OrderBound,
): Promise<{ readonly transaction: VersionedTransaction; readonly payerLamports: bigint }> {
  const transaction = readTransaction(encoded);
  if (transaction === null) throw refused('cannot be read');
  const checked = await checkTransactionBound(parts, transaction, bound);
  if (checked.kind === 'faulty') throw refused(checked.fault);
  if (checked.kind === 'failing') throw trialError(checked, bound);
  return { transaction, payerLamports: checked.payerLamports };
}

/** Errors of the outcome program (venue_b.md section 13). */
const CUSTOM: Readonly<Record<string, readonly ['market_closed' | 'no_liquidity', string]>> = {
  16: ['market_closed', 'the market is not open'],
  17: ['market_closed', 'the market is decided'],
  64: ['no_liquidity', 'the size is not one it trades'],
  83: ['no_liquidity', 'the price has moved'],
  84: ['no_liquidity', 'the price has moved'],
};

/**
 * Returns what it means that a transaction would fail: too little SOL or tokens, a blockhash that
 * has passed, the venue's own reasons.
 */
function trialError(
  { failure, lacksGiven }: { readonly failure: string; readonly lacksGiven: boolean },
  { gives }: OrderBound,
): AppError {
  if (/blockhash ?not ?found/i.test(failure))
    return new AppError('preparation_timeout', 'the quote was too old when it came; try again', {
      retryable: true,
    });
  if (/InsufficientFundsFor(Fee|Rent)|AccountNotFound/.test(failure)) return lacksSol();
  const [, custom = ''] = /"Custom":(\d+)/.exec(failure) ?? [];
  // The token programs and that of SOL have one number for too little.
  if (custom === '1') return lacksGiven ? shortOf(gives) : lacksSol();
  const known = CUSTOM[custom];
  if (known !== undefined) return new AppError(known[0], known[1], { retryable: true });
  return new AppError('venue_protocol', `the order's transaction would fail: ${failure}`, {
    retryable: true,
  });
}

function shortOf(gives: OrderBound['gives']): AppError {
  const [code, what] =
    gives === 'cash'
      ? (['insufficient_funds', 'USDC'] as const)
      : (['insufficient_shares', 'contracts'] as const);
  return new AppError(code, `the wallet has less ${what} just now than the order gives`, {
    retryable: true,
  });
}

/** Returns the refusal of an order whose wallet cannot pay the network. */
export function lacksSol(): AppError {
  return new AppError(
    'insufficient_funds',
    'not enough SOL for fees: the network takes its fee, and the rent of new token accounts, in SOL; send some to the Solana wallet',
  );
}

function refused(why: string): AppError {
  return new AppError('venue_protocol', `the order's transaction ${why}; it was not signed`);
}

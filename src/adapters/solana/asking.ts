import type { z } from 'zod';
import { SOLANA } from '../../../config/limits/solana.ts';
import { AppError } from '../../domain/errors.ts';
import type { SolanaNode } from '../../ports/solana.ts';

/** Asks a node one question and reads its answer. Errors: `chain_unavailable`, retryable. */
export type AskSolana = <T>(
  schema: z.ZodType<T>,
  method: string,
  params: readonly unknown[],
) => Promise<T>;

/** Returns the way to ask a node. */
export function askingOf(node: SolanaNode): AskSolana {
  return async (schema, method, params) => {
    const answer = await node.ask(method, params);
    const read = answer.kind === 'result' ? schema.safeParse(answer.result) : null;
    if (read?.success === true) return read.data;
    const why = answer.kind === 'error' ? answer.message.slice(0, SOLANA.reasonMaximumChars) : '';
    throw new AppError('chain_unavailable', `Solana did not answer ${method}: ${why}`, {
      retryable: true,
    });
  };
}

/**
 * Reads a transaction that a node has just listed as final. Errors: `chain_unavailable`, retryable,
 * also where the node that answers is behind the one that listed it.
 */
export async function listedTransaction<T>(
  ask: AskSolana,
  schema: z.ZodType<T | null>,
  signature: string,
): Promise<T> {
  const found = await ask(schema, 'getTransaction', [
    signature,
    { commitment: 'finalized', encoding: 'json', maxSupportedTransactionVersion: 0 },
  ]);
  if (found !== null) return found;
  throw new AppError('chain_unavailable', 'Solana does not show what it lists', {
    retryable: true,
  });
}

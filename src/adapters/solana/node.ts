import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import type { SolanaNode } from '../../ports/solana.ts';
import type { SolanaCalls } from './calls.ts';

const answerSchema = z.union([
  z.object({
    error: z.object({
      code: z.int(),
      message: z.string().max(10_000),
      data: z.unknown().optional(),
    }),
  }),
  z.object({ result: z.unknown() }).refine((answer) => 'result' in answer),
]);

/** Hands questions to a node as they are, for callers who speak JSON-RPC themselves. */
export function createSolanaNode(calls: SolanaCalls): SolanaNode {
  return {
    async ask(method, params) {
      const text = await calls.post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
      const read = answerSchema.safeParse(parse(text));
      if (!read.success)
        throw new AppError('chain_unavailable', 'Solana answered what is no JSON-RPC', {
          retryable: true,
        });
      if (!('error' in read.data)) return { kind: 'result', result: read.data.result };
      const { code, message, data } = read.data.error;
      return { kind: 'error', code, message, data };
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

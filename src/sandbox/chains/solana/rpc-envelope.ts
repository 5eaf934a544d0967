import { z } from 'zod';
import { SOLANA_SANDBOX } from '../../../../config/limits/sandbox-chains.ts';
import type { RpcWorld } from './rpc-method.ts';
import { RPC_METHODS } from './rpc-methods.ts';
import { RpcFailure } from './rpc-failure.ts';

const idSchema = z.union([z.string(), z.number(), z.null()]);
const callSchema = z.object({
  jsonrpc: z.literal('2.0'),
  id: idSchema.optional(),
  method: z.string(),
  params: z.array(z.unknown()).optional(),
});

/** An answer in the envelope of JSON-RPC 2.0. */
type RpcReply = { readonly jsonrpc: '2.0'; readonly id: string | number | null } & (
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }
);

/** What a socket adds: methods that live as long as it does. Null for a method it does not know. */
export type SocketMethod = (
  method: string,
  params: readonly unknown[],
) => { readonly result: unknown } | null;

/**
 * Answers one call or a batch, as text; null when nothing is to be answered (notifications, such as
 * a client's pings).
 */
export function answerText(
  world: RpcWorld,
  text: string,
  socketMethod: SocketMethod = () => null,
): string | null {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return JSON.stringify(refusal(null, new RpcFailure(-32700, 'Parse error')));
  }
  if (!Array.isArray(body)) {
    const reply = answer(world, body, socketMethod);
    return reply === null ? null : JSON.stringify(reply);
  }
  if (body.length === 0 || body.length > SOLANA_SANDBOX.batchMaximum)
    return JSON.stringify(
      refusal(
        null,
        new RpcFailure(
          -32600,
          `Invalid request: a batch holds 1 to ${SOLANA_SANDBOX.batchMaximum} calls`,
        ),
      ),
    );
  const replies = body
    .map((call) => answer(world, call, socketMethod))
    .filter((reply) => reply !== null);
  return replies.length === 0 ? null : JSON.stringify(replies);
}

function answer(world: RpcWorld, body: unknown, socketMethod: SocketMethod): RpcReply | null {
  const call = callSchema.safeParse(body);
  if (!call.success) return refusal(null, new RpcFailure(-32600, 'Invalid request'));
  const { id, method, params = [] } = call.data;
  if (id === undefined) return null;
  try {
    const onSocket = socketMethod(method, params);
    if (onSocket !== null) return { jsonrpc: '2.0', id, result: onSocket.result };
    const run = Object.hasOwn(RPC_METHODS, method) ? RPC_METHODS[method] : undefined;
    if (run === undefined) throw new RpcFailure(-32601, 'Method not found');
    return { jsonrpc: '2.0', id, result: run(world, params) };
  } catch (cause) {
    return refusal(
      id,
      cause instanceof RpcFailure
        ? cause
        : new RpcFailure(
            -32603,
            `Internal error: ${cause instanceof Error ? cause.message : String(cause)}`,
          ),
    );
  }
}

function refusal(id: RpcReply['id'], { code, message, data }: RpcFailure): RpcReply {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } };
}

import { MCP } from '../../config/limits/mcp.ts';
import { AppError } from '../domain/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Runtime } from '../ports/runtime.ts';
import type { RateLimits } from '../services/rate-limits.ts';
import type { Given, RouteCall } from './arguments.ts';
import type { Backend, BackendAnswer, KeyAccess } from './backend.ts';
import type { PreparedTool, ToolVenue } from './prepared-tools.ts';

export interface ToolCallDeps extends Pick<Runtime, 'clock' | 'log' | 'metrics'> {
  readonly backend: Backend;
  /** All that have tools, to tell their ids apart. */
  readonly venues: readonly ToolVenue[];
  readonly rateLimits: RateLimits;
}

/** One call of a tool with a key. */
export interface ToolCall {
  readonly tool: PreparedTool;
  readonly access: KeyAccess;
  readonly given: Given;
  readonly requestId: string;
  /** Where the user confirms orders; null where that page is not served here. */
  readonly confirmPage: string | null;
  /**
   * Where the client's own trace goes on, as `_meta.traceparent` has it; null without a valid one.
   */
  readonly traceparent: string | null;
}

/**
 * Asks a route for a call of a tool, MCP.callTimeoutMs at most. Errors: `request_in_progress` and
 * `overloaded` beyond it; those of the backend.
 */
export async function askRoute(
  { backend, clock }: Pick<ToolCallDeps, 'backend' | 'clock'>,
  { tool, access, requestId }: Pick<ToolCall, 'tool' | 'access' | 'requestId'>,
  {
    made,
    headers,
  }: { readonly made: RouteCall; readonly headers: Readonly<Record<string, string>> },
): Promise<BackendAnswer> {
  const { route, path, query, body } = made;
  const token = await access.token();
  const { method } = route;
  const answer = backend.call({
    method,
    path,
    query,
    body,
    token,
    tool: tool.name,
    headers,
    requestId,
  });
  let timer: ReturnType<Clock['after']> | null = null;
  const late = new Promise<never>((_resolve, reject) => {
    timer = clock.after(MCP.callTimeoutMs, () => reject(tooLate(tool)));
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    (timer as ReturnType<Clock['after']> | null)?.cancel();
  }
}

/** What was begun goes on: whoever repeats the call under its id finds it. */
function tooLate({ budget }: PreparedTool): AppError {
  const seconds = MCP.callTimeoutMs / 1_000;
  return budget === 'money'
    ? new AppError(
        'request_in_progress',
        `no answer within ${seconds} s, and the call goes on: repeat it with the same clientRequestId`,
        { retryable: true, retryAfterMs: 1_000 },
      )
    : new AppError('overloaded', `no answer within ${seconds} s`, {
        retryable: true,
        retryAfterMs: 1_000,
      });
}

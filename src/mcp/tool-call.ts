import type { CallToolResult } from '@modelcontextprotocol/server';
import { MCP } from '../../config/limits/mcp.ts';
import { API_KEYS } from '../../config/limits/identity.ts';
import { AppError } from '../domain/errors.ts';
import { refusalOfError } from './tool-errors.ts';
import type { ToolCall, ToolCallDeps } from './ask-route.ts';
import { runTool, type Outcome } from './tool-run.ts';

/**
 * Runs calls of tools, a bounded number of each key at a time. A call never rejects: nothing that
 * was thrown reaches a client as it is.
 */
export function createToolCalls(deps: ToolCallDeps): (call: ToolCall) => Promise<CallToolResult> {
  const running = new Map<string, number>();
  return async (call) => {
    const { tool, access, requestId } = call;
    const stopTimer = deps.metrics.startTimer('mcp_call_duration_seconds', { tool: tool.name });
    const isCounted = tool.budget !== 'stops';
    const before = running.get(access.keyId) ?? 0;
    if (isCounted) running.set(access.keyId, before + 1);
    let outcome: Outcome;
    try {
      if (isCounted && before >= MCP.callsRunningMaximum) throw tooMany();
      outcome = await runTool(deps, call);
    } catch (error) {
      if (!(error instanceof AppError))
        deps.log.error({ requestId, tool: tool.name, error: String(error) }, 'mcp.call_failed');
      outcome = { kind: 'refused', refusal: refusalOfError(error, requestId) };
    } finally {
      if (isCounted) leave(running, access.keyId);
    }
    stopTimer({ outcome: outcome.kind === 'answered' ? 'answered' : outcome.refusal.code });
    const result = resultOf(outcome);
    await record(deps, call, { outcome, result });
    return result;
  };
}

/**
 * Stores a call's line. A call whose line cannot be stored is answered still: what it did with
 * money has lines of its own.
 */
async function record(
  { backend, clock, log }: ToolCallDeps,
  { tool, access: { userId, keyId }, given, requestId }: ToolCall,
  { outcome, result }: { readonly outcome: Outcome; readonly result: CallToolResult },
): Promise<void> {
  const [said] = result.content;
  try {
    await backend.record({
      userId,
      keyId,
      atMs: clock.nowMs(),
      tool: tool.name,
      arguments: recorded(argumentsText(given)),
      refusal: outcome.kind === 'refused' ? outcome.refusal.code : null,
      result: recorded(said?.type === 'text' ? said.text : ''),
    });
  } catch (error) {
    log.error({ requestId, tool: tool.name, error: String(error) }, 'mcp.record_failed');
  }
}

/** Arguments that are nested deeper than can be written are refused, and leave their line too. */
function argumentsText(given: ToolCall['given']): string {
  try {
    return JSON.stringify(given);
  } catch (error) {
    if (error instanceof RangeError) return 'nested too deeply to be kept';
    throw error;
  }
}

function recorded(text: string): string {
  return text.slice(0, API_KEYS.recordedChars).replaceAll(/\p{Surrogate}/gu, '');
}

function leave(running: Map<string, number>, keyId: string): void {
  const left = (running.get(keyId) ?? 1) - 1;
  if (left === 0) running.delete(keyId);
  else running.set(keyId, left);
}

function tooMany(): AppError {
  return new AppError('rate_limited', `${MCP.callsRunningMaximum} calls of this key run already`, {
    retryable: true,
    retryAfterMs: 1_000,
  });
}

function resultOf(outcome: Outcome): CallToolResult {
  if (outcome.kind === 'refused')
    return { content: [{ type: 'text', text: outcome.refusal.text }], isError: true };
  const structuredContent = { ...outcome.content };
  return {
    content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
    structuredContent,
  };
}

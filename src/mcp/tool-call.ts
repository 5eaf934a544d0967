import type { CallToolResult } from '@modelcontextprotocol/server';
import { MCP } from '../../config/limits/mcp.ts';
import { API_KEYS } from '../../config/limits/identity.ts';
import { AppError } from '../domain/errors.ts';
import type { JsonValue } from '../domain/json-value.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { RateLimits } from '../services/rate-limits.ts';
import type { Given, RouteCall, ToolArguments } from './arguments.ts';
import type { Backend, BackendAnswer, KeyAccess } from './backend.ts';
import type { PreparedTool } from './prepared-tools.ts';
import { member, refusalOf, refusalOfError, type ToolRefusal } from './tool-errors.ts';
import { plainAnswer } from './untrusted-text.ts';

/** What calls of tools need. */
export interface ToolCallDeps {
  readonly backend: Backend;
  readonly rateLimits: RateLimits;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** One call of a tool with a key. */
export interface ToolCall {
  readonly tool: PreparedTool;
  readonly access: KeyAccess;
  readonly given: Given;
  readonly requestId: string;
}

/** What came of a call: an answer, or a refusal with its code. */
type Outcome =
  | { readonly kind: 'answered'; readonly value: JsonValue }
  | { readonly kind: 'refused'; readonly refusal: ToolRefusal };

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
      outcome = await run(deps, call);
    } catch (error) {
      if (!(error instanceof AppError))
        deps.log.error({ requestId, tool: tool.name, error: String(error) }, 'mcp.call_failed');
      outcome = { kind: 'refused', refusal: refusalOfError(error, requestId) };
    } finally {
      if (isCounted) leave(running, access.keyId);
    }
    stopTimer({ outcome: outcome.kind === 'answered' ? 'answered' : outcome.refusal.code });
    const result = resultOf(outcome, tool);
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
      arguments: recorded(JSON.stringify(given)),
      refusal: outcome.kind === 'refused' ? outcome.refusal.code : null,
      result: recorded(said?.type === 'text' ? said.text : ''),
    });
  } catch (error) {
    log.error({ requestId, tool: tool.name, error: String(error) }, 'mcp.record_failed');
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

async function run(deps: ToolCallDeps, call: ToolCall): Promise<Outcome> {
  const { tool } = call;
  const { preview = false, clientRequestId, ...given } = split(tool, call.given);
  if (preview && tool.previewArguments !== null) {
    const answer = await ask(deps, call, {
      made: madeBy(tool.previewArguments, given),
      headers: {},
    });
    return answer.status >= 400
      ? { kind: 'refused', refusal: refusalOf(tool, answer) }
      : answered({ ...nothingDone(tool), outcome: 'preview', preview: answer.body });
  }
  spendMoneyCall(deps, call);
  const headers: PagedCall['headers'] =
    clientRequestId === undefined ? {} : { 'idempotency-key': clientRequestId };
  const answer = await askPaged(deps, call, { args: tool.arguments, given, headers });
  const isAsked = member(answer.body, 'code') === 'confirmation_required';
  if (isAsked && tool.proposeArguments !== null)
    return putForward(deps, call, { args: tool.proposeArguments, given, headers });
  if (answer.status >= 400) return { kind: 'refused', refusal: refusalOf(tool, answer) };
  const shown = tool.shown(answer.body);
  return answered(
    tool.previewArguments === null
      ? shown
      : { ...nothingDone(tool), outcome: 'done', result: shown },
  );
}

/** Members of an answer that has its outcome, before anything is said in them. */
function nothingDone({ proposeArguments }: PreparedTool) {
  return {
    result: null,
    preview: null,
    ...(proposeArguments === null ? {} : { confirmation: null }),
  };
}

/**
 * Has the person asked, where the key wants that; tells how it stands where they were asked before.
 */
async function putForward(
  deps: ToolCallDeps,
  call: ToolCall,
  { args, given, headers }: PagedCall,
): Promise<Outcome> {
  const answer = await ask(deps, call, { made: madeBy(args, given), headers });
  return answer.status >= 400
    ? { kind: 'refused', refusal: refusalOf(call.tool, answer) }
    : answered({
        ...nothingDone(call.tool),
        outcome: outcomeOf(answer.body),
        confirmation: answer.body,
      });
}

/**
 * What became of what was put forward: it waits while nobody has answered, or it is being placed.
 */
function outcomeOf(confirmation: JsonValue): JsonValue {
  const state = member(confirmation, 'state');
  return state === 'asked' || state === 'confirmed' ? 'awaiting_confirmation' : state;
}

interface Split {
  readonly preview?: boolean;
  readonly clientRequestId?: string;
  readonly [name: string]: JsonValue | undefined;
}

/**
 * Takes out what is ours and not the route's. Errors: `invalid_request` where it is not what it
 * must be.
 */
function split({ previewArguments, listed }: PreparedTool, given: Given): Split {
  const { preview, clientRequestId } = given;
  const takes = (name: string) => Object.hasOwn(Object(listed.inputSchema.properties), name);
  if (previewArguments !== null && preview !== undefined && typeof preview !== 'boolean')
    throw wrong('preview', 'must be true or false');
  if (
    takes('clientRequestId') &&
    clientRequestId !== undefined &&
    typeof clientRequestId !== 'string'
  )
    throw wrong('clientRequestId', 'must be a text');
  // both were looked at just now where the tool takes them; where it does not they are refused like
  // any unknown one
  return given as Split;
}

function wrong(name: string, message: string): AppError {
  return new AppError('invalid_request', `${name} ${message}`, {
    fields: [{ path: `/${name}`, message }],
  });
}

function madeBy(
  args: ToolArguments,
  given: Readonly<Record<string, JsonValue | undefined>>,
): RouteCall {
  return args.toCall(
    Object.fromEntries(
      Object.entries(given).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value]],
      ),
    ),
  );
}

function spendMoneyCall({ rateLimits }: ToolCallDeps, { tool, access }: ToolCall): void {
  if (tool.budget !== 'money') return;
  const { allowed, limit, retryAfterMs } = rateLimits.spend('mcp_money', access.keyId);
  if (!allowed)
    throw new AppError('rate_limited', `${limit} calls a minute of a key may move money`, {
      retryable: true,
      retryAfterMs,
    });
}

interface PagedCall {
  readonly args: ToolArguments;
  readonly given: Readonly<Record<string, JsonValue | undefined>>;
  readonly headers: Readonly<Record<string, string>>;
}

/** Asks for a page, and for a shorter one while it is too long to be read. */
async function askPaged(
  deps: ToolCallDeps,
  call: ToolCall,
  { args, given, headers }: PagedCall,
): Promise<BackendAnswer> {
  if (!args.isPaged) return ask(deps, call, { made: madeBy(args, given), headers });
  const { limit: wanted = MCP.pageDefault } = given;
  if (
    typeof wanted !== 'number' ||
    !Number.isInteger(wanted) ||
    wanted < 1 ||
    wanted > MCP.pageMaximum
  )
    throw wrong('limit', `must be a whole number from 1 to ${MCP.pageMaximum}`);
  let limit = wanted;
  for (let tried = 1; ; tried += 1) {
    const answer = await ask(deps, call, { made: madeBy(args, { ...given, limit }), headers });
    const chars = JSON.stringify(answer.body).length;
    const entries = member(answer.body, 'data');
    const count = Array.isArray(entries) ? entries.length : 0;
    if (chars <= MCP.answerChars || count <= 1 || tried >= MCP.pageTriesMaximum) return answer;
    limit = Math.max(1, Math.floor((count * MCP.answerChars) / chars));
  }
}

async function ask(
  { backend, clock }: ToolCallDeps,
  { tool, access, requestId }: ToolCall,
  {
    made,
    headers,
  }: { readonly made: RouteCall; readonly headers: Readonly<Record<string, string>> },
): Promise<BackendAnswer> {
  const { route, path, query, body } = made;
  const token = await access.token();
  const { method } = route;
  const call = { method, path, query, body, token, tool: tool.name, headers, requestId };
  const answer = backend.call(call);
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

function answered(value: JsonValue): Outcome {
  return { kind: 'answered', value };
}

function resultOf(outcome: Outcome, { previewArguments }: PreparedTool): CallToolResult {
  if (outcome.kind === 'refused')
    return { content: [{ type: 'text', text: outcome.refusal.text }], isError: true };
  const { value, untrustedText: found } = plainAnswer(outcome.value);
  // what came of the call we say ourselves
  const untrustedText = found.filter((path) => previewArguments === null || path !== '/outcome');
  const structuredContent = { ...Object(value), untrustedText };
  return {
    content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
    structuredContent,
  };
}

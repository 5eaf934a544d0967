import { MCP } from '../../config/limits/mcp.ts';
import { AppError } from '../domain/errors.ts';
import type { VenueId } from '../domain/ids.ts';
import type { JsonValue } from '../domain/json-value.ts';
import { IDEMPOTENCY_KEY_WORDS, isIdempotencyKey } from '../http/idempotency-key.ts';
import { ERROR_RESPONSES } from '../http/errors.ts';
import { fitted } from './answer-size.ts';
import { argumentPath, invalid, type Given, type RouteCall } from './arguments.ts';
import { askRoute, type ToolCall, type ToolCallDeps } from './ask-route.ts';
import type { BackendAnswer } from './backend.ts';
import { venueOf, type PreparedTool, type ToolCalls } from './prepared-tools.ts';
import { membersOf, withoutNulls, type Members } from './rows/row.ts';
import { headerOf, isErrorCode, member, refusalOf, type ToolRefusal } from './tool-errors.ts';
import { plainAnswer } from './untrusted-text.ts';
import { assertOwnIds, otherVenueHint } from './venue-ids.ts';

/** The outcome of a call: an answer as the model reads it, or a refusal with its code. */
export type Outcome =
  | { readonly kind: 'answered'; readonly content: Members }
  | { readonly kind: 'refused'; readonly refusal: ToolRefusal };

/** A call whose own arguments were read. */
interface Run {
  readonly deps: ToolCallDeps;
  readonly call: ToolCall;
  readonly venue: VenueId | null;
  readonly calls: ToolCalls;
  /** Those of the route. */
  readonly given: Given;
  /** True where all fields are given. */
  readonly isAll: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

/** Arguments that are of tools, and of no route. */
const OWN = ['venue', 'fields', 'preview', 'clientRequestId'] as const;

/** Runs a call of a tool. Errors: those of `AppError` that are found before its route is called. */
export async function runTool(deps: ToolCallDeps, call: ToolCall): Promise<Outcome> {
  const { tool, access } = call;
  const own = OWN.filter((name) => takes(tool, name));
  const { venue: named, fields, preview, clientRequestId } = ownOf(call, own);
  const venue = venueOf(tool, access, named);
  const given = {
    ...tool.usual,
    ...Object.fromEntries(
      Object.entries(call.given).filter(([name]) => !own.some((each) => each === name)),
    ),
  };
  assertOwnIds(deps.venues, { tool, venue, given });
  const calls = tool.at(venue);
  const headers = {
    ...(call.traceparent === null ? {} : { traceparent: call.traceparent }),
    ...(typeof clientRequestId === 'string' ? { 'idempotency-key': clientRequestId } : {}),
    ...(tool.waitsSeconds === undefined ? {} : { prefer: `wait=${tool.waitsSeconds}` }),
  };
  const run: Run = { deps, call, venue, calls, given, isAll: fields === 'all', headers };
  if (preview === true && calls.preview !== null)
    return previewed(run, calls.preview.toCall(given, own));
  if (calls.arguments.isPaged) return paged(run, own);
  const made = calls.arguments.toCall(given, own);
  if (tool.budget === 'money') {
    assertTaken(run, made);
    spendMoneyCall(run);
  }
  const answer = await ask(run, made, headers);
  if (tool.budget === 'money' && couldMoveNothing(answer))
    deps.rateLimits.giveBack('mcp_money', access.keyId);
  return done(run, answer);
}

function takes(tool: PreparedTool, name: (typeof OWN)[number]): boolean {
  if (name === 'venue') return tool.venue !== undefined;
  if (name === 'fields') return tool.hasAll;
  return name === 'preview' ? tool.preview !== undefined : tool.movesMoney;
}

/** Takes out what is ours and not the route's. Errors: `invalid_request`. */
function ownOf({ given }: ToolCall, own: readonly (typeof OWN)[number][]): Given {
  const found = Object.fromEntries(
    own.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]] as const])),
  );
  const { fields, preview, clientRequestId } = found;
  const wrong = (name: string, message: string) => invalid([{ path: `/${name}`, message }]);
  if (fields !== undefined && fields !== 'all') throw wrong('fields', 'must be all, or left out');
  if (preview !== undefined && typeof preview !== 'boolean')
    throw wrong('preview', 'must be true or false');
  if (clientRequestId !== undefined && typeof clientRequestId !== 'string')
    throw wrong('clientRequestId', 'must be a text');
  if (typeof clientRequestId === 'string' && !isIdempotencyKey(clientRequestId))
    throw wrong('clientRequestId', `must be ${IDEMPOTENCY_KEY_WORDS}`);
  return found;
}

/** Wrong arguments use up none of the calls that may move money. Errors: `invalid_request`. */
function assertTaken({ deps, call: { tool, access }, ...run }: Run, made: RouteCall): void {
  const { route, params, query, body } = made;
  try {
    route.prepare({ params, query, body }, access.userId);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const hint = otherVenueHint(deps.venues, { tool, ...run });
    throw invalid([
      ...error.fields.map(({ path, message }) => ({ path: argumentPath(tool, path), message })),
      ...(hint === null ? [] : [hint]),
    ]);
  }
}

function spendMoneyCall({ deps: { rateLimits }, call: { access } }: Run): void {
  const { allowed, limit, retryAfterMs } = rateLimits.spend('mcp_money', access.keyId);
  if (!allowed)
    throw new AppError('rate_limited', `${limit} calls a minute of a key may move money`, {
      retryable: true,
      retryAfterMs,
    });
}

/** A repetition, and arguments that were found wrong by the service alone, use up no call. */
function couldMoveNothing(answer: BackendAnswer): boolean {
  const code = member(answer.body, 'code');
  return (
    headerOf(answer, 'idempotency-replayed') !== null ||
    (isErrorCode(code) && ERROR_RESPONSES[code].mcp === 'invalid_params')
  );
}

async function ask(
  { deps, call }: Run,
  made: RouteCall,
  headers: Readonly<Record<string, string>>,
): Promise<BackendAnswer> {
  return askRoute(deps, call, { made, headers });
}

async function previewed(run: Run, made: RouteCall): Promise<Outcome> {
  const answer = await ask(run, made, {});
  if (answer.status >= 400) return refused(run, answer);
  const { preview } = run.call.tool;
  const shown = preview?.row(answer.body, run.venue) ?? answer.body;
  return answered(run, { preview: shown }, { outcome: 'preview' });
}

/** Tells what was made, and of a repetition its state now. */
async function done(run: Run, answer: BackendAnswer): Promise<Outcome> {
  const { call, calls, venue, isAll, headers } = run;
  const { tool } = call;
  if (member(answer.body, 'code') === 'confirmation_required' && calls.propose !== null)
    return putForward(run, calls.propose.toCall(run.given), headers);
  if (answer.status >= 400) return refused(run, answer);
  if (!tool.movesMoney) return answered(run, tool.shown(answer.body, venue, isAll));
  const isReplay = headerOf(answer, 'idempotency-replayed') !== null;
  const id = tool.follow === undefined ? null : member(answer.body, tool.follow.id);
  const body = isReplay ? ((await followed(run, id)) ?? answer.body) : answer.body;
  return answered(
    run,
    { result: tool.shown(body, venue, isAll) },
    { outcome: 'done', ...(isReplay ? { replay: true } : {}) },
  );
}

/** Reads the state of something that was made; null where its key may not, or nothing is known. */
async function followed(run: Run, id: JsonValue): Promise<JsonValue> {
  const { follow } = run.calls;
  if (follow === null || typeof id !== 'string') return null;
  const params = { id };
  const path = follow.path.replace(':id', encodeURIComponent(id));
  const made = { route: follow, path, params, query: {}, body: undefined };
  const { status, body } = await ask(run, made, {});
  return status >= 400 ? null : body;
}

/**
 * Has the person asked, where the key wants that; tells the state of that where they were asked
 * before.
 */
async function putForward(
  run: Run,
  made: RouteCall,
  headers: Readonly<Record<string, string>>,
): Promise<Outcome> {
  const { call, venue, isAll } = run;
  const answer = await ask(run, made, headers);
  if (answer.status >= 400) return refused(run, answer);
  const state = member(answer.body, 'state');
  // it waits for the user's answer, or is being placed
  const isWaiting = state === 'asked' || state === 'confirmed';
  const order = state === 'placed' ? await followed(run, member(answer.body, 'orderId')) : null;
  return answered(
    run,
    {
      ...(order === null ? {} : { result: call.tool.shown(order, venue, isAll) }),
      confirmation: call.tool.propose?.row(answer.body, venue) ?? answer.body,
    },
    {
      outcome: isWaiting ? 'awaiting_confirmation' : state,
      ...(isWaiting ? whereToConfirm(run, member(answer.body, 'confirmationId')) : {}),
    },
  );
}

/** Most clients cannot open a page for their person: the assistant tells them where it is. */
function whereToConfirm({ call: { confirmPage }, headers }: Run, id: JsonValue): Members {
  const url =
    confirmPage === null ? null : `${confirmPage}?order=${encodeURIComponent(String(id))}`;
  const where = url === null ? 'in the application' : 'at confirmUrl: give it to them';
  const then =
    headers['idempotency-key'] === undefined
      ? 'Do not repeat the call: it would ask for a second order. The list of orders shows it once it is placed.'
      : 'Repeat the call with the same clientRequestId to see what became of it.';
  return {
    ...(url === null ? {} : { confirmUrl: url }),
    message: `Nothing is placed yet. The user signs in and confirms or refuses it ${where}. ${then}`,
  };
}

/** Asks for a page, and for a shorter one while it is too long to be read. */
async function paged(run: Run, own: readonly string[]): Promise<Outcome> {
  const { calls, call, given, venue, isAll } = run;
  const { limit: wanted = MCP.pageDefault } = given;
  if (
    typeof wanted !== 'number' ||
    !Number.isInteger(wanted) ||
    wanted < 1 ||
    wanted > MCP.pageMaximum
  )
    throw invalid([
      { path: '/limit', message: `must be a whole number from 1 to ${MCP.pageMaximum}` },
    ]);
  const maximumChars = call.given['limit'] === undefined ? MCP.pageChars : MCP.answerChars;
  let limit = wanted;
  for (let tried = 1; ; tried += 1) {
    const made = calls.arguments.toCall({ ...given, limit }, own);
    const answer = await ask(run, made, {});
    if (answer.status >= 400) return refused(run, answer);
    const content = contentOf(call.tool, call.tool.shown(answer.body, venue, isAll));
    const chars = JSON.stringify(content).length;
    const items = content['items'];
    const count = Array.isArray(items) ? items.length : 0;
    if (chars <= maximumChars || count <= 1)
      return { kind: 'answered', content: fit(content, true) };
    limit =
      tried < MCP.pageTriesMaximum ? Math.max(1, Math.floor((count * maximumChars) / chars)) : 1;
  }
}

/** `ours` is what the tool says itself, beside what its route answered. */
function answered({ call: { tool } }: Run, value: JsonValue, ours: Members = {}): Outcome {
  return { kind: 'answered', content: fit({ ...ours, ...contentOf(tool, value) }, false) };
}

/** An answer as a model may read it: cleaned, without what says nothing. */
function contentOf({ answer }: PreparedTool, value: JsonValue): Members {
  const { value: plain, untrustedText } = plainAnswer(withoutNulls(value), answer?.longText);
  return { ...membersOf(plain), untrustedText };
}

function fit(content: Members, isPage: boolean): Members {
  return JSON.stringify(content).length <= MCP.answerChars
    ? content
    : fitted(content, MCP.answerChars, isPage);
}

function refused({ deps, call: { tool }, venue, given }: Run, answer: BackendAnswer): Outcome {
  const hint = otherVenueHint(deps.venues, { tool, venue, given });
  return { kind: 'refused', refusal: refusalOf(tool, answer, hint) };
}

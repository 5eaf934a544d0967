import { AppError, type ErrorCode, type FieldError } from '../domain/errors.ts';
import type { JsonValue } from '../domain/json-value.ts';
import { ERROR_HELP } from '../http/error-help.ts';
import { ERROR_RESPONSES } from '../http/errors.ts';
import { argumentPath } from './arguments.ts';
import type { BackendAnswer } from './backend.ts';
import type { PreparedTool } from './prepared-tools.ts';
import { toolRemedy } from './tool-remedies.ts';
import { outsideText } from './untrusted-text.ts';

/** A refusal as a model reads it: a code, a sentence, and what to change. */
export interface ToolRefusal {
  readonly code: ErrorCode;
  readonly text: string;
}

/**
 * Codes whose sentence may hold words of a venue, a chain or a provider: the table's own sentence
 * takes its place.
 */
const STATED_BY_OTHERS = /_(protocol|restricted|reverted|unavailable)$/;
/** Faults of arguments listed in one answer. */
const FAULTS_MAXIMUM = 5;

/**
 * Puts a problem of the interface into the words of a tool; `hint` says what else may be wrong with
 * an argument. An answer that is no problem document is an internal error.
 */
export function refusalOf(
  tool: Pick<PreparedTool, 'renamed' | 'takes'>,
  answer: BackendAnswer,
  hint: FieldError | null = null,
): ToolRefusal {
  const { code, detail, requestId, errors } = problemIn(answer.body);
  if (code === null) return faultOf(requestId);
  const isOfArguments = code === 'invalid_request' || code === 'not_found';
  const fields = [
    ...errors.map(({ path, message }) => fieldProblem(tool, path, message)),
    ...(hint !== null && isOfArguments ? [`${hint.path}: ${hint.message}`] : []),
  ];
  return refusal(code, { detail, fields, requestId, seconds: headerOf(answer, 'retry-after') });
}

/** A fault of what is no argument of the tool, such as the amount of a quote, has no name here. */
function fieldProblem(
  tool: Pick<PreparedTool, 'renamed' | 'takes'>,
  path: string,
  message: string,
): string {
  const argument = argumentPath(tool, path);
  const [, first = ''] = argument.split('/');
  const isKnown = first === 'header' || Object.hasOwn(tool.takes.properties, first);
  return isKnown ? `${argument}: ${message}` : message;
}

/** Returns a header of an answer, by its name in small letters; null without it. */
export function headerOf({ headers }: BackendAnswer, name: string): string | null {
  return Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1] ?? null;
}

/** Says of something thrown what a model may know of it. */
export function refusalOfError(error: unknown, requestId: string): ToolRefusal {
  if (!(error instanceof AppError)) return faultOf(requestId);
  return refusal(error.code, {
    detail: error.message,
    fields: error.fields.map(({ path, message }) => `${path}: ${message}`),
    requestId,
    seconds: error.retryAfterMs === null ? null : String(Math.ceil(error.retryAfterMs / 1_000)),
  });
}

interface Details {
  readonly detail: string;
  readonly fields: readonly string[];
  readonly requestId: string;
  readonly seconds: string | null;
}

function refusal(code: ErrorCode, { detail, fields, requestId, seconds }: Details): ToolRefusal {
  const { title, showsDetail } = ERROR_RESPONSES[code];
  const { retry } = ERROR_HELP[code];
  const isOurs = showsDetail && !STATED_BY_OTHERS.test(code);
  const sentence = inToolWords(detail);
  const when =
    retry === 'after_a_change'
      ? 'The same call fails again unless something is changed.'
      : `The same call may succeed later${seconds === null ? '' : `, in ${seconds} s`}.`;
  const listed = isOurs
    ? fields
        .map(inToolWords)
        .filter((each) => each !== '')
        .slice(0, FAULTS_MAXIMUM)
        .map(outsideText)
    : [];
  // what is wrong with a request is said field by field, in the names of the tool
  const isDetailed =
    isOurs && sentence !== '' && !(code === 'invalid_request' && listed.length > 0);
  const lines = [
    `${code}: ${isDetailed ? outsideText(sentence) : title}`,
    ...listed,
    `What to do: ${toolRemedy(code, detail)} ${when}`,
    ...(code === 'internal' ? [`Request id: ${requestId}`] : []),
  ];
  return { code, text: lines.join('\n') };
}

/** Says it in words of tools; empty where it is a matter of HTTP alone. */
function inToolWords(text: string): string {
  const translated = text
    .replaceAll('/header/idempotency-key', '/clientRequestId')
    .replaceAll('Idempotency-Key', 'clientRequestId');
  return /\b(GET|POST|PUT|DELETE) |\/api\/|[Hh]eader/.test(translated) ? '' : translated;
}

function faultOf(requestId: string): ToolRefusal {
  return refusal('internal', { detail: '', fields: [], requestId, seconds: null });
}

interface Problem {
  readonly code: ErrorCode | null;
  readonly detail: string;
  readonly requestId: string;
  readonly errors: readonly { readonly path: string; readonly message: string }[];
}

function problemIn(body: JsonValue): Problem {
  const read = member(body, 'code');
  const code = typeof read === 'string' && isErrorCode(read) ? read : null;
  const errors = member(body, 'errors');
  return {
    code,
    detail: text(member(body, 'detail')),
    requestId: text(member(body, 'requestId')),
    errors: (Array.isArray(errors) ? errors : []).map((each: JsonValue) => ({
      path: text(member(each, 'path')),
      message: text(member(each, 'message')),
    })),
  };
}

/** Reports whether a text is one of our codes. */
export function isErrorCode(code: JsonValue): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERROR_RESPONSES, code);
}

function text(value: JsonValue): string {
  return typeof value === 'string' ? value : '';
}

/** Returns a member of an object; null without one. */
export function member(value: JsonValue, name: string): JsonValue {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return null;
  // an object of JSON that is no list has named members
  return (value as Readonly<Record<string, JsonValue>>)[name] ?? null;
}

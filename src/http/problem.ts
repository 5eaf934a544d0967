import { AppError, type ErrorCode, type FieldError } from '../domain/errors.ts';
import { ERROR_RESPONSES } from './errors.ts';

/**
 * Error body of every refusal: RFC 9457 `application/problem+json` with our own members code,
 * requestId and errors.
 */
export interface Problem {
  /** Where the code is explained, relative to where the call went. */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ErrorCode;
  readonly requestId: string;
  /**
   * Faults of the input with their JSON pointers: "/price" in the body, "/query/limit", "/path/id",
   * "/header/…".
   */
  readonly errors: readonly FieldError[];
  /** Where the caller does what is missing; absent where there is no such place. */
  readonly link?: string;
  /**
   * What the book reaches now, and the worst price that the order accepted; absent where it was not
   * refused for that.
   */
  readonly price?: string;
  readonly worstPrice?: string;
  /** The trace of an order that was refused; absent where nothing was traced. */
  readonly traceId?: string;
}

/** Media type of a problem (RFC 9457, section 6.1). */
export const PROBLEM_TYPE = 'application/problem+json';

/** Returns the `type` of a problem: a path of this daemon that explains its code. */
export function problemType(code: ErrorCode): string {
  return `/errors/${code}`;
}

/**
 * Longest sentence, path and list of faults in an answer: what a caller sent is named in them, and
 * an answer must not outgrow its question.
 */
const DETAIL_MAXIMUM_CHARS = 2_000;
const PATH_MAXIMUM_CHARS = 256;
const FAULTS_MAXIMUM = 60;

/**
 * Turns anything thrown into the problem a caller sees. What is not an AppError becomes `internal`
 * without its message, and so do faults of our own service: their sentences go to the log only.
 */
export function problemOf(error: unknown, requestId: string): Problem {
  const known = error instanceof AppError ? error : null;
  const code = known?.code ?? 'internal';
  const response = ERROR_RESPONSES[code];
  return {
    type: problemType(code),
    title: response.title,
    status: response.status,
    detail: cut(
      known !== null && response.showsDetail ? known.message : response.title,
      DETAIL_MAXIMUM_CHARS,
    ),
    code,
    requestId,
    errors: response.showsDetail
      ? (known?.fields ?? []).slice(0, FAULTS_MAXIMUM).map((field) => ({
          ...field,
          path: cut(field.path, PATH_MAXIMUM_CHARS),
          message: cut(field.message, DETAIL_MAXIMUM_CHARS),
        }))
      : [],
    ...(response.showsDetail && known?.link ? { link: known.link } : {}),
    ...(response.showsDetail && known?.movedPrice ? known.movedPrice : {}),
    ...(known === null || known.traceId === null ? {} : { traceId: known.traceId }),
  };
}

function cut(text: string, maximumChars: number): string {
  return text.length > maximumChars ? `${text.slice(0, maximumChars)}…` : text;
}

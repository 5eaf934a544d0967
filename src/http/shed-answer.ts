import { ADMISSION } from '../../config/limits/admission.ts';
import type { CallKind, ShedReason } from './admission.ts';
import type { Endpoint } from './endpoint.ts';
import { ERROR_RESPONSES } from './errors.ts';
import type { RequestHead } from './guard.ts';
import { problemType, type Problem } from './problem.ts';
import { problemAnswer, type Answer } from './respond.ts';

/**
 * Says that too much is under way, and when to come back. Made without looking at the call: it must
 * cost next to nothing.
 */
export function shedAnswer(
  kind: CallKind,
  reason: ShedReason,
  {
    endpoint,
    head,
    requestId,
  }: {
    readonly endpoint: Endpoint | null;
    readonly head: RequestHead;
    readonly requestId: string;
  },
): Answer {
  const retryAfterSeconds = Math.ceil(ADMISSION.retryAfterMs / 1_000);
  const own = endpoint?.refuse?.({ head, requestId }, { code: 'overloaded', retryAfterSeconds });
  if (own !== undefined) return own;
  const { status, title } = ERROR_RESPONSES.overloaded;
  const problem: Problem = {
    type: problemType('overloaded'),
    title,
    status,
    detail: `too much is under way (${kind}: ${reason})`,
    code: 'overloaded',
    requestId,
    errors: [],
  };
  return problemAnswer(problem, {
    'X-Request-Id': requestId,
    'Retry-After': String(retryAfterSeconds),
  });
}

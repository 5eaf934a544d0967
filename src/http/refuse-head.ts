import { API } from '../../config/limits/api.ts';
import { AppError, type ErrorCode } from '../domain/errors.ts';
import type { Metrics } from '../ports/metrics.ts';
import { watchAbort } from './body.ts';
import type { GuardRefusal } from './guard.ts';
import { refusalAnswer, writeAnswer } from './respond.ts';
import type { HttpResponse } from './listener/listener.ts';

const SENTENCES: Readonly<Record<GuardRefusal, readonly [code: ErrorCode, sentence: string]>> = {
  transfer_encoding: [
    'length_required',
    'a body comes with its Content-Length here; Transfer-Encoding is not taken',
  ],
  duplicate_content_length: ['invalid_request', 'Content-Length is given more than once'],
  bad_content_length: ['invalid_request', 'Content-Length must be 1 to 12 digits'],
  duplicate_host: ['invalid_request', 'Host is given more than once'],
  missing_host: ['invalid_request', 'Host is missing'],
  control_character: ['invalid_request', 'a header holds a control character'],
  unknown_method: [
    'method_not_allowed',
    'the method must be GET, HEAD, POST, PUT, DELETE or OPTIONS, in capitals',
  ],
  malformed: ['invalid_request', 'this is no request of HTTP/1.1 (RFC 9112)'],
  too_many_headers: ['headers_too_large', `a request may have ${API.headersMaximum} headers`],
  headers_too_large: [
    'headers_too_large',
    `the headers of a request may hold ${API.headerBytesMaximum} bytes`,
  ],
};

/**
 * Says why a request's head is refused and closes its connection. The answer is written in a later
 * turn of the event loop: by then the server has seen whatever stood behind the head, and has cut
 * the connection, without an answer, where that looked like another request; so nothing that
 * follows a refused head is ever run.
 */
export function refuseHead(
  response: HttpResponse,
  refusal: GuardRefusal,
  {
    metrics,
    nextRequestId,
  }: {
    readonly metrics: Metrics;
    readonly nextRequestId: () => string;
  },
): void {
  metrics.count('http_refused_total', { reason: refusal });
  const state = watchAbort(response);
  const [code, sentence] = SENTENCES[refusal];
  const answer = refusalAnswer(new AppError(code, sentence), nextRequestId());
  setImmediate(() => {
    if (!state.isAborted) writeAnswer(response, answer, false, true);
  });
}

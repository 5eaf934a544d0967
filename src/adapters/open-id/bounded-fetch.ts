import type { CustomFetch } from 'openid-client';
import { AppError } from '../../domain/errors.ts';

/**
 * Fetches for the OpenID library, with a bound on every answer. Errors: `sign_in_unavailable`
 * (retryable) when there was no answer, one with a status from 500 on, or one over `maximumBytes`:
 * none of them says anything about a person.
 */
export function createBoundedFetch(maximumBytes: number): CustomFetch {
  return async (url, options) => {
    const { body, headers, method, redirect, signal } = options;
    let answer: Response;
    try {
      // the library sends forms and nothing else: URLSearchParams, or no body
      answer = await fetch(url, {
        method,
        headers,
        redirect,
        body: body instanceof URLSearchParams ? body : null,
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (cause) {
      throw unavailable(
        `does not answer: ${cause instanceof Error ? cause.name : 'unknown failure'}`,
      );
    }
    if (answer.status >= 500) {
      await answer.body?.cancel();
      throw unavailable(`answered ${answer.status}`);
    }
    return new Response(await readBounded(answer, maximumBytes), {
      status: answer.status,
      headers: answer.headers,
    });
  };
}

async function readBounded(
  answer: Response,
  maximumBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const part of answer.body ?? []) {
      bytes += part.length;
      if (bytes > maximumBytes) throw unavailable(`answered more than ${maximumBytes} bytes`);
      parts.push(part);
    }
  } catch (cause) {
    throw cause instanceof AppError ? cause : unavailable('broke its answer off');
  }
  const whole = new Uint8Array(bytes);
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

/** The provider could not be asked. */
export function unavailable(what: string): AppError {
  return new AppError('sign_in_unavailable', `the OpenID provider ${what}`, { retryable: true });
}

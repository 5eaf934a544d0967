import type { HttpCall, HttpCalls, HttpOutcome } from '../../adapters/wire/http-calls.ts';
import type { Clock } from '../../ports/clock.ts';
import type { FeedAnswer, FeedRequest } from '../feeds/feed-host.ts';
import { answerCall, type Reply, type VenueHost } from './http-server.ts';

/** The way between a caller and a model in the same process. */
export interface DirectLine {
  readonly clock: Clock;
  /** Has what was sent arrive, whatever becomes of its sender; `clock` unless stated. */
  readonly arrivalClock?: Clock;
  /** What one direction takes, ms of the clock. */
  readonly latencyMs: number;
}

/**
 * Calls the venue's own routes without a network: the same bodies, signatures, refusals and faults,
 * on the clock's time.
 */
export function callRoutes(line: DirectLine, host: VenueHost): HttpCalls {
  return calls(line, (call) => {
    const { path, query } = targetOf(call.path);
    const header = (name: string) => headerOf(call, name) ?? '';
    const reply =
      host.before?.({ method: call.method, path }) ??
      answerCall(host.routes, {
        method: call.method,
        target: call.path,
        path,
        query,
        header,
        body: Buffer.from(call.body ?? '').toString('utf8'),
      });
    return reply instanceof Promise ? reply.then(answerTo) : answerTo(reply);
  });
}

function answerTo(reply: Reply): Answered {
  if (reply.kind === 'cut') return { kind: 'lost', cause: 'connection reset', delayMs: 0 };
  const text = reply.kind === 'json' ? JSON.stringify(reply.body) : reply.body;
  const delayMs = reply.kind === 'json' ? (reply.delayMs ?? 0) : 0;
  return {
    kind: 'answered',
    status: reply.status,
    text,
    retryAfterMs: waitOf(reply.headers),
    delayMs,
  };
}

/** Calls a feed's interface without a network. */
export function callFeed(
  line: DirectLine,
  answer: (request: FeedRequest) => FeedAnswer | Promise<FeedAnswer>,
): HttpCalls {
  return calls(line, async (call) => {
    const { path, query } = targetOf(call.path);
    const { status, body, headers } = await answer({
      method: call.method,
      target: call.path,
      path,
      query,
      header: (name) => headerOf(call, name),
    });
    return { kind: 'answered', status, text: body, retryAfterMs: waitOf(headers), delayMs: 0 };
  });
}

type Answered = HttpOutcome & { readonly delayMs: number };

/**
 * The request arrives a latency later, the answer another one after it was made; what is late is
 * lost, whatever it did.
 */
function calls(
  { clock, arrivalClock = clock, latencyMs }: DirectLine,
  respond: (call: HttpCall) => Answered | Promise<Answered>,
): HttpCalls {
  return {
    close: async () => undefined,
    send: (call) =>
      new Promise<HttpOutcome>((resolve, reject) => {
        const finish = (outcome: HttpOutcome): void => {
          timeout.cancel();
          call.signal?.removeEventListener('abort', giveUp);
          resolve(outcome);
        };
        const giveUp = (): void => finish({ kind: 'lost', cause: 'given up' });
        const timeout = clock.after(call.timeoutMs, () =>
          finish({ kind: 'lost', cause: `no answer within ${call.timeoutMs} ms` }),
        );
        call.signal?.addEventListener('abort', giveUp, { once: true });
        arrivalClock.after(latencyMs, () => {
          Promise.resolve(respond(call)).then(
            ({ delayMs, ...outcome }) =>
              void clock.after(delayMs + latencyMs, () => finish(outcome)),
            reject,
          );
        });
      }),
  };
}

function targetOf(target: string): { readonly path: string; readonly query: URLSearchParams } {
  const mark = target.indexOf('?');
  return mark < 0
    ? { path: target, query: new URLSearchParams() }
    : { path: target.slice(0, mark), query: new URLSearchParams(target.slice(mark + 1)) };
}

/** Callers write names as they like; receivers ask in lower case. */
function headerOf({ headers = {} }: HttpCall, name: string): string | null {
  for (const [key, value] of Object.entries(headers)) if (key.toLowerCase() === name) return value;
  return null;
}

function waitOf(headers: Readonly<Record<string, string>> | undefined): number | null {
  const seconds = headers?.['retry-after'];
  return seconds === undefined ? null : Number(seconds) * 1_000;
}

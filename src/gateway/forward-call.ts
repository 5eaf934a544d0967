import { setTimeout as wait } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { GATEWAY } from '../../config/limits/gateway.ts';
import { AppError } from '../domain/errors.ts';
import type { ShardOwner } from '../ports/shard-owner.ts';
import { SLOT_HEADER } from '../http/redirect-headers.ts';
import type { OwnerWatch } from './owner-watch.ts';

/** A whole call, as it is handed on. */
export interface ForwardedCall {
  readonly method: string;
  /** Path and query as sent. */
  readonly path: string;
  /** Names and values in turns, as sent but for those of the connection. */
  readonly headers: readonly string[];
  readonly body: Uint8Array | null;
  /** True where it has a key that the next owner knows as the former one did. */
  readonly isMadeOnce: boolean;
  /** Aborted where the caller has left. */
  readonly left: AbortSignal;
}

/** What calls are handed on by. */
export interface Forwarding {
  readonly owners: Pick<OwnerWatch, 'find' | 'replaced'>;
  readonly dispatcher: Pick<Dispatcher, 'request'>;
  /** Called for each attempt after the first one. */
  readonly repeated: () => void;
}

/** How an attempt went where no answer came. */
type Failure =
  /** The owner has not begun the call. */
  | 'not_begun'
  /** It may have carried it out. */
  | 'lost';

/** Reads, which may be answered twice. */
const READS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];
/** The owner answers so where it does not hold the shard at this moment (RFC 9110, 15.5.20). */
const MISDIRECTED = 421;
/** What undici says of a connection that was not made. */
const NOT_CONNECTED: readonly unknown[] = [
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'UND_ERR_CONNECT_TIMEOUT',
];

/**
 * Hands a call to the owner of the shard and returns how its answer begins. A call that was not
 * begun goes to the next owner; one whose answer was lost does so where it may be carried out
 * twice: a read, or what is made once by its key. Errors: `shard_moving` where nothing was done and
 * no owner came in time, `answer_lost` where it may have been done.
 */
export async function forwardCall(
  { owners, dispatcher, repeated }: Forwarding,
  call: ForwardedCall,
): Promise<Dispatcher.ResponseData> {
  const untilMs = performance.now() + GATEWAY.holdMs;
  const isRead = READS.includes(call.method);
  let wasLost = false;
  for (let attempt = 0; ; attempt += 1) {
    call.left.throwIfAborted();
    const owner = await owners.find(untilMs - performance.now());
    if (owner === null || performance.now() > untilMs) throw wasLost ? answerLost() : moving();
    if (attempt > 0) repeated();
    const answer = await attemptAt(owner);
    if (typeof answer === 'object') return answer;
    if (answer === 'lost' && !isRead && !call.isMadeOnce) throw answerLost();
    wasLost ||= answer === 'lost' && !isRead;
    await wait(GATEWAY.againMs);
  }

  async function attemptAt({ epoch, url }: ShardOwner): Promise<Dispatcher.ResponseData | Failure> {
    const replaced = owners.replaced(epoch);
    try {
      const answer = await dispatcher.request({
        origin: url,
        path: call.path,
        // Any token may be one: what the owner does not know it refuses.
        method: call.method as Dispatcher.HttpMethod,
        headers: [...call.headers],
        body: call.body,
        signal: AbortSignal.any([call.left, replaced]),
      });
      if (answer.statusCode !== MISDIRECTED || SLOT_HEADER in answer.headers) return answer;
      await answer.body.dump();
      return 'not_begun';
    } catch (cause) {
      call.left.throwIfAborted();
      const code: unknown = Object(cause).code;
      if (NOT_CONNECTED.includes(code)) return 'not_begun';
      if (code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED')
        throw new AppError('invalid_request', 'the call cannot be handed on as it is', { cause });
      return 'lost';
    }
  }
}

/** The refusal of what no process takes: nothing was done. */
export function moving(): AppError {
  return new AppError('shard_moving', 'no process has taken over yet: nothing was done', {
    retryable: true,
    retryAfterMs: GATEWAY.retryAfterMs,
  });
}

function answerLost(): AppError {
  return new AppError(
    'answer_lost',
    'the process that had the call has ended: it may have been carried out',
    { retryable: false, retryAfterMs: GATEWAY.retryAfterMs },
  );
}

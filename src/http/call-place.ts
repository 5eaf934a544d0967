import type { UserId } from '../domain/ids.ts';
import type { RateLimits } from '../services/rate-limits.ts';
import type { Sessions } from '../services/sign-in/sessions.ts';
import { laneOf, type BodySender, type CallKind } from './admission.ts';
import { tokenIn } from './bearer.ts';
import type { QueuedCall } from './call-queue.ts';
import type { Endpoint } from './endpoint.ts';
import type { RequestHead } from './guard.ts';
import type { Route } from './route.ts';

/** A call of which only the head is known. */
export interface ArrivedCall {
  readonly head: Pick<RequestHead, 'headers'>;
  /** Null where no row matched. */
  readonly row: Pick<Route, 'auth' | 'budget'> | null;
  readonly kind: CallKind;
  readonly address: string;
  /** False of paths that keep budgets of their own. */
  readonly hasBudget: boolean;
  readonly isAskedOnce: boolean;
}

/** Returns where a call waits, by what is known of its caller without checking a signature. */
export function placeOf(
  sessions: Pick<Sessions, 'recognize'>,
  rateLimits: RateLimits,
  call: ArrivedCall,
): QueuedCall {
  const { head, row, kind, address } = call;
  const userId = knownUser(sessions, head);
  const isOfAddress = userId === null || row?.auth === 'public';
  const budget = row === null || (userId === null && row.auth !== 'public') ? 'reads' : row.budget;
  const isSpent =
    kind === 'critical'
      ? !rateLimits.spend('probes', address).allowed
      : call.hasBudget &&
        budget !== 'none' &&
        rateLimits.isSpent(budget, isOfAddress ? address : userId);
  return {
    lane: laneOf(kind, { isKnown: userId !== null, isSpent }),
    share: userId ?? address,
    isExempt: kind === 'critical',
    isAskedOnce: call.isAskedOnce,
  };
}

/** A call of which only the head is known, and what answers its path where no row does. */
interface SentBody extends Pick<ArrivedCall, 'row' | 'address'> {
  readonly head: RequestHead;
  readonly endpoint: Pick<Endpoint, 'recognize'> | null;
}

/** Returns with which others a call's body is counted, by what is known of its caller. */
export function senderOf(
  sessions: Pick<Sessions, 'recognize'>,
  { head, row, endpoint, address }: SentBody,
): BodySender {
  const userId = knownUser(sessions, head) ?? endpoint?.recognize?.(head) ?? null;
  if (userId === null) return { of: 'strangers', share: address };
  return { of: row?.budget === 'stops' ? 'stops' : 'users', share: userId };
}

function knownUser(
  sessions: Pick<Sessions, 'recognize'>,
  head: ArrivedCall['head'],
): UserId | null {
  const token = tokenIn(head.headers.get('authorization') ?? '');
  return token === undefined ? null : sessions.recognize(token);
}

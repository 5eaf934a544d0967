import type { UserId } from '../domain/ids.ts';
import type { RequestHead } from './guard.ts';
import type { Answer } from './respond.ts';

/** A whole request to a path that speaks a protocol of its own. */
export interface EndpointRequest {
  readonly head: RequestHead;
  readonly body: Uint8Array;
  /** What the caller is counted by: an IPv4 address, or the /64 of IPv6. */
  readonly address: string;
  readonly requestId: string;
}

/** Why a call does not reach its endpoint. */
type EndpointRefusal =
  | { readonly code: 'body_too_large' }
  | { readonly code: 'overloaded'; readonly retryAfterSeconds: number };

/**
 * What answers a path by itself, behind the guard and the admission of all calls, instead of by
 * rows of the route table.
 */
export interface Endpoint {
  /** Without a trailing slash; answered with and without it. Also what it is counted under. */
  readonly path: string;
  /** Which requests it answers, where that is not those of its path alone. */
  matches?(head: RequestHead): boolean;
  /**
   * Whose a call is that was let in before, by its head alone; null of any other. It settles
   * nothing but with which others the call's body is counted.
   */
  recognize?(head: RequestHead): UserId | null;
  /**
   * True where callers do not ask again by themselves, as a browser for a page's files: a call is
   * answered however long it has waited.
   */
  readonly isAskedOnce?: true;
  /**
   * Refuses what does not reach `answer`, in its own protocol: a body that is too large, or a call
   * while too much is under way; absent: as routes do.
   */
  refuse?(request: Pick<EndpointRequest, 'head' | 'requestId'>, refused: EndpointRefusal): Answer;
  /** Never rejects. */
  answer(request: EndpointRequest): Promise<Answer>;
  close(): Promise<void>;
}

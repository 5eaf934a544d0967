import type { Listener } from '../../ports/listener.ts';
import { createHttpCalls, type HttpCalls, type HttpCallsOptions } from './http-calls.ts';
import { openSocket, type SocketHandle, type SocketOptions } from './socket-frames.ts';

/**
 * How what is outside is reached. A model within the process takes the place of the network by
 * another one.
 */
export interface Transport {
  readonly calls: (options: HttpCallsOptions) => HttpCalls;
  readonly openSocket: (options: SocketOptions, listener: Listener<Buffer>) => SocketHandle;
}

/** Kept-alive connections and WebSockets. */
export const NETWORK: Transport = { calls: createHttpCalls, openSocket };

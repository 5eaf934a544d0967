import { API } from '../../config/limits/api.ts';
import { AppError } from '../domain/errors.ts';
import type { Runtime } from '../ports/runtime.ts';
import type { Lease } from '../ports/lease.ts';
import type { Random } from '../ports/random.ts';
import type { Idempotency } from '../services/idempotency.ts';
import type { RateLimits } from '../services/rate-limits.ts';
import { createAdmission, kindOf, type BodySender, type ShedReason } from './admission.ts';
import { placeOf, senderOf } from './call-place.ts';
import { createCallerAddresses, type CallerAddresses } from './caller-address.ts';
import { ADMISSION } from '../../config/limits/admission.ts';
import { dropBody, readBody, watchAbort } from './body.ts';
import { createCompression } from './compression.ts';
import { createCallQueue, type Loop } from './call-queue.ts';
import { createCors } from './cors.ts';
import {
  dispatch,
  enter,
  routeFor,
  type ApiRequest,
  type DispatchDeps,
  type Entered,
} from './dispatch.ts';
import { createDirectCalls, type DirectCalls } from './direct-calls.ts';
import type { Endpoint } from './endpoint.ts';
import { guardRequest, type RequestHead } from './guard.ts';
import { isLocal } from './local-caller.ts';
import { startLiveGateway } from './live/gateway.ts';
import type { LiveSources } from './live/sources.ts';
import { refusalAnswer, writeAnswer, type Answer } from './respond.ts';
import { refuseHead } from './refuse-head.ts';
import type { Route } from './route.ts';
import { createRouter } from './router.ts';
import { createOpenStreams } from './write-stream.ts';
import type { ApiServices } from './services.ts';
import { shedAnswer } from './shed-answer.ts';
import type { VenueApi } from './venue-api.ts';
import type { HttpRequest, HttpResponse, Listener, ServerKind } from './listener/listener.ts';

export interface HttpServerOptions extends Pick<Runtime, 'clock' | 'random' | 'log' | 'metrics'> {
  /** What connections come by; closed with the API. */
  readonly listener: Listener;
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly routes: readonly Route[];
  readonly venues: readonly VenueApi[];
  readonly services: ApiServices;
  readonly live: LiveSources;
  /**
   * True where anybody may read the metrics, not only programs of this machine and those with the
   * internal secret.
   */
  readonly isMetricsOpen: boolean;
  /** Origins whose pages may call from browsers, exactly as browsers name them. */
  readonly corsOrigins: readonly string[];
  /** Addresses of proxies whose `X-Forwarded-For` says who calls; none where absent. */
  readonly trustedProxies?: readonly string[];
  readonly lease: Lease;
  readonly rateLimits: RateLimits;
  readonly idempotency: Idempotency;
  /**
   * Makes what answers paths of its own; it may call the routes as callers outside do. Absent:
   * it is absent.
   */
  readonly endpoints?: (direct: DirectCalls) => readonly Endpoint[];
  /** Absent: that of this process. */
  readonly loop?: Loop;
}

/** An API that answers. */
export interface HttpServer {
  readonly url: string;
  /** What serves it. */
  readonly kind: ServerKind;
  readonly port: number;
  /**
   * Takes nothing new, lets running calls end for at most API.drainMs, tells sockets to come back
   * (1001), closes all.
   */
  close(): Promise<void>;
}

/**
 * Starts the HTTP and WebSocket API. Errors: `port_in_use` when another process listens there or
 * the host is not ours.
 */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { listener } = options;
  const nextRequestId = requestIds(options.random);
  const addresses = createCallerAddresses(options.trustedProxies ?? []);
  const calls = createCalls(options, { nextRequestId, callersAt: addresses });
  const gateway = startLiveGateway(listener, { ...options, nextRequestId, addresses });
  listener.onCalls({
    call: calls.answer,
    unreadable: (response, reason) =>
      refuseHead(response, reason, { metrics: options.metrics, nextRequestId }),
  });
  const port = await listener.listen(options.host, options.port);
  if (port === null) {
    gateway.close();
    throw new AppError(
      'port_in_use',
      `${options.host}:${options.port} is in use or is not an address of this machine; end the other program, or set PREDICTD_PORT to a free port and PREDICTD_HOST to an address of this machine.`,
    );
  }
  return {
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`,
    port,
    kind: listener.kind,
    close: async () => {
      listener.stopListening();
      gateway.close();
      await calls.drained();
      await calls.close();
      listener.close();
    },
  };
}

interface Calls {
  answer(response: HttpResponse, request: HttpRequest): void;
  drained(): Promise<void>;
  close(): Promise<void>;
}

function createCalls(
  options: HttpServerOptions,
  {
    nextRequestId,
    callersAt,
  }: { readonly nextRequestId: () => string; readonly callersAt: CallerAddresses },
): Calls {
  const deps: DispatchDeps = {
    ...options,
    nowMs: () => options.live.nowMs(),
    marketTime: options.live.marketTime,
  };
  const findRows = createRouter(options.routes);
  const allow = createCors(options.corsOrigins);
  const cors = (head: RequestHead, answer: Answer): Answer =>
    allow(head, { ...answer, headers: { ...timesNow(options), ...answer.headers } });
  const streams = createOpenStreams(options.clock);
  const admission = createAdmission();
  options.metrics.beforeRead(() => {
    for (const [kind, most] of Object.entries(admission.most()))
      options.metrics.gauge('http_requests_in_flight', most, { kind });
  });
  const queue = createCallQueue(options.loop);
  const compression = createCompression();
  const { sessions } = options.services;
  const endpoints = options.endpoints?.(createDirectCalls(deps, findRows)) ?? [];
  let running = 0;
  let stopsChecked = 0;
  let onIdle: (() => void) | null = null;

  async function run(response: HttpResponse, request: HttpRequest): Promise<void> {
    const head = guardRequest(request);
    if (typeof head === 'string') {
      refuseHead(response, head, { metrics: options.metrics, nextRequestId });
      return;
    }
    const state = watchAbort(response);
    const requestId = nextRequestId();
    const peer = peerOf(response);
    const address = callersAt.of(peer, head.headers.get('x-forwarded-for'));
    const isHead = head.method === 'HEAD';
    const endpoint = endpointAt(endpoints, head);
    const match = findRows(head.path);
    const row = match === null ? null : routeFor(match, head.method);
    const kind = kindOf(row);
    const maximumBytes = row?.input.bytes?.maximumBytes ?? API.bodyMaximumBytes;
    const hasBody = (head.contentLength ?? 0) > 0;
    // a stop of the operator gets through whatever strangers have begun to send
    const isOurs =
      kind === 'critical' &&
      options.services.internal.isRight(head.headers.get('x-internal-secret') ?? '');
    const stopTimer = options.metrics.startTimer('http_request_duration_seconds', {
      method: head.method,
    });
    const reading = readBody(
      response,
      {
        contentLength: head.contentLength,
        maximumBytes,
        maximumMs: row?.input.bytes === undefined ? API.bodyMs : API.pictureMs,
        clock: options.clock,
      },
      state,
    );
    const caller = {
      head,
      match,
      address,
      isLocal: () => isLocal(peer, head, options.host),
      requestId,
    };
    const refuseEntry = (refusal: Answer): void => {
      stopTimer({ route: row?.path ?? 'none', status: String(refusal.status) });
      if (!state.isAborted) writeAnswer(response, cors(head, refusal), isHead, true);
      dropBody(state);
    };
    const sender = (): BodySender => senderOf(sessions, { head, row, endpoint, address });
    const shed = (): ShedReason | null =>
      admission.refusal(kind, hasBody && !isOurs ? sender() : null);
    let reason = shed();
    let entered: Entered | undefined;
    // a user whose token was not seen yet is not taken for the strangers of their address
    if (
      reason !== null &&
      hasBody &&
      row?.budget === 'stops' &&
      sender().of === 'strangers' &&
      stopsChecked < ADMISSION.stopsCheckedMaximum
    ) {
      stopsChecked += 1;
      const found = await enter(deps, { ...caller, body: NOTHING }, row);
      stopsChecked -= 1;
      if (state.isAborted) return;
      if ('refusal' in found) return refuseEntry(found.refusal);
      entered = found;
      reason = shed();
    }
    if (reason !== null) {
      options.metrics.count('http_shed_total', { kind, reason });
      // what is left of a body would have to be read, so its connection ends
      writeAnswer(
        response,
        cors(head, shedAnswer(kind, reason, { endpoint, head, requestId })),
        isHead,
        hasBody,
      );
      dropBody(state);
      return;
    }
    const bodyEnds = hasBody
      ? admission.bodyBegins(sender(), weightOf(Math.min(head.contentLength ?? 0, maximumBytes)))
      : null;
    // a caller who may not call at all cannot fill the memory with a large body
    if (row?.input.bytes !== undefined && hasBody) {
      const found = await enter(deps, { ...caller, body: NOTHING }, row);
      if ('refusal' in found) {
        bodyEnds?.();
        return refuseEntry(found.refusal);
      }
      entered = found;
    }
    const body = await reading;
    bodyEnds?.();
    if (body === null) {
      if (state.isAborted) return;
      const code = 'body_too_large';
      const error = new AppError(code, `a body may hold ${maximumBytes} bytes`);
      const refusal =
        endpoint?.refuse?.({ head, requestId }, { code }) ?? refusalAnswer(error, requestId);
      writeAnswer(response, cors(head, refusal), isHead, true);
      return;
    }
    const place = placeOf(sessions, options.rateLimits, {
      head,
      row,
      kind,
      address,
      hasBudget: endpoint === null,
      isAskedOnce: endpoint?.isAskedOnce ?? false,
    });
    if (!isOurs && !(await queue.turn(place))) {
      options.metrics.count('http_shed_total', { kind, reason: 'too_many_waiting' });
      if (state.isAborted) return;
      const refusal = shedAnswer(kind, 'too_many_waiting', { endpoint, head, requestId });
      writeAnswer(
        response,
        cors(head, refusal),
        isHead,
        place.lane === 'strangers' || place.lane === 'suspects',
      );
      return;
    }
    if (state.isAborted && kind === 'read') return;
    const callEnds = admission.callBegins(kind);
    const { answer, path } =
      endpoint === null
        ? await answered(deps, {
            ...caller,
            body,
            ...(entered === undefined ? {} : { entered }),
          })
        : {
            answer: await endpoint.answer({ head, body, address, requestId }),
            path: endpoint.path,
          };
    callEnds();
    const sent = await compression.apply(head, row, answer);
    stopTimer({ route: path, status: String(sent.status) });
    if (state.isAborted) return;
    if (answer.stream !== undefined && !isHead && onIdle === null)
      streams.begin(response, cors(head, answer), answer.stream, state);
    else
      writeAnswer(
        response,
        cors(head, sent),
        isHead,
        onIdle !== null ||
          (answer.status >= 400 && place.lane === 'suspects' && queue.isCrowded('suspects')),
      );
  }

  return {
    answer(response, request) {
      running += 1;
      run(response, request)
        .catch((error: unknown) =>
          options.log.error({ error: String(error) }, 'http.answer_failed'),
        )
        .finally(() => {
          running -= 1;
          if (running === 0) onIdle?.();
        });
    },
    close: async () => {
      await Promise.all(endpoints.map((endpoint) => endpoint.close()));
    },
    drained: () =>
      new Promise((resolve) => {
        streams.close();
        onIdle = resolve;
        if (running === 0) resolve();
        else options.clock.after(API.drainMs, resolve);
      }),
  };
}

const NOTHING = new Uint8Array(0);

/** How many ordinary bodies one counts as. */
function weightOf(bytes: number): number {
  return Math.ceil(bytes / API.bodyMaximumBytes);
}

async function answered(
  deps: DispatchDeps,
  request: ApiRequest,
): Promise<{ readonly answer: Answer; readonly path: string }> {
  const { answer, route } = await dispatch(deps, request);
  return { answer, path: route?.path ?? 'none' };
}

function endpointAt(endpoints: readonly Endpoint[], head: RequestHead): Endpoint | null {
  return (
    endpoints.find(
      (each) => each.matches?.(head) ?? (head.path === each.path || head.path === `${each.path}/`),
    ) ?? null
  );
}

/** What both clocks show as an answer leaves: it may be of use to whoever compares times. */
function timesNow({
  clock,
  live,
}: Pick<HttpServerOptions, 'clock' | 'live'>): Readonly<Record<string, string>> {
  return { 'X-Wall-Time-Ms': String(clock.nowMs()), 'X-Market-Time-Ms': String(live.nowMs()) };
}

/** Request ids: a random start for the process and a count. */
function requestIds(random: Random): () => string {
  const prefix = Buffer.from(random.bytes(6)).toString('hex');
  let count = 0;
  return () => {
    count += 1;
    return `req_${prefix}${count.toString(36).padStart(6, '0')}`;
  };
}

/** Address of the peer as the server writes it: of IPv6 all eight groups. */
function peerOf(response: HttpResponse): string {
  return Buffer.from(response.getRemoteAddressAsText()).toString('latin1');
}

import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { preferredType } from '../accept.ts';
import { INTERFACE_VERSION } from '../interface-version.ts';
import { SERVER_KINDS } from '../listener/listener.ts';
import { Page } from '../page.ts';
import { operatorRoute, publicRoute } from '../route.ts';
import { timeOut } from './fields.ts';

/** What supervisors and dashboards ask. */
export const systemRoutes = [
  publicRoute({
    family: 'system',
    method: 'GET',
    path: '/healthz',
    budget: 'none',
    operationId: 'getHealth',
    summary: 'The process answers',
    description:
      "Answers while the process runs, whatever else fails. For a supervisor's liveness probe.",
    output: z.object({ status: z.literal('ok'), version: z.string(), profile: z.string() }),
    run: ({ services }) => ({
      status: 'ok' as const,
      version: services.system.version,
      profile: services.system.profile,
    }),
  }),
  publicRoute({
    family: 'system',
    method: 'GET',
    path: '/readyz',
    budget: 'none',
    operationId: 'getReadiness',
    summary: 'The service can do its work; 503 with what prevents it',
    description:
      '200 when every check passes; 503 `not_ready` with the failed checks in `errors` otherwise. For a load ' +
      'balancer.',
    output: z.object({
      status: z.literal('ready'),
      server: z.enum(SERVER_KINDS).meta({
        description: 'What serves HTTP and sockets: uWebSockets.js, or the server of Node.js.',
      }),
      checks: z.array(
        z.object({ name: z.string(), ok: z.boolean(), detail: z.string().nullable() }),
      ),
    }),
    errors: ['not_ready'],
    run: ({ services }) => {
      const { ready, checks } = services.system.readiness();
      if (ready)
        return {
          status: 'ready' as const,
          server: services.system.server,
          checks: checks.map((check) => ({ ...check })),
        };
      const failed = checks.filter((check) => !check.ok);
      throw new AppError('not_ready', `not ready: ${failed.map(({ name }) => name).join(', ')}`, {
        retryable: true,
        retryAfterMs: 1_000,
        fields: failed.map(({ name, detail }) => ({
          path: `/checks/${name}`,
          message: detail ?? 'not well',
        })),
      });
    },
  }),
  publicRoute({
    family: 'system',
    method: 'GET',
    path: '/api/client',
    budget: 'reads',
    operationId: 'getClientFacts',
    summary: 'What a client should know before it begins: the version of this interface',
    description:
      'A `version` later than the one you were built for is the day of its newest change: the changelog in `src/http/README.md` says what changed.',
    output: z.object({
      version: z
        .string()
        .meta({ description: 'Of the interface: a date.', examples: [INTERFACE_VERSION] }),
      build: z.string().meta({ description: 'Of the service.', examples: ['0.1.0'] }),
      profile: z.string(),
    }),
    run: ({ services }) => ({
      version: INTERFACE_VERSION,
      build: services.system.version,
      profile: services.system.profile,
    }),
  }),
  publicRoute({
    family: 'system',
    method: 'GET',
    path: '/api/time',
    budget: 'reads',
    operationId: 'getTime',
    summary: 'What the clocks show',
    description:
      'Wall time, in which every `…AtMs` of this interface is, and market time, by which rounds open and end: the same outside of a sandbox. ' +
      'Every answer carries both as `X-Wall-Time-Ms` and `X-Market-Time-Ms`.',
    output: z.object({
      wallAtMs: timeOut,
      marketAtMs: z.int().meta({ description: 'Epoch milliseconds of the markets’ clock.' }),
      speed: z
        .number()
        .positive()
        .meta({ description: 'Milliseconds of market time in one of wall time.' }),
    }),
    run: ({ nowMs, wallNowMs, marketTime }) => ({
      wallAtMs: wallNowMs,
      marketAtMs: nowMs,
      speed: marketTime.speed,
    }),
  }),
  operatorRoute({
    family: 'system',
    method: 'GET',
    path: '/metrics',
    budget: 'none',
    produces: ['text/plain', 'application/openmetrics-text'],
    operationId: 'getMetrics',
    summary: 'Metrics, in OpenMetrics or in the text format of Prometheus',
    description:
      "Every metric of the process, in OpenMetrics where `Accept` asks for it, in Prometheus' text format " +
      'otherwise.',
    output: null,
    run: async ({ services, header }) => {
      const isOpenMetrics =
        preferredType(header('accept'), ['text/plain', 'application/openmetrics-text']) ===
        'application/openmetrics-text';
      const text = await services.system.metricsText(isOpenMetrics ? 'openmetrics' : 'prometheus');
      return new Page(
        isOpenMetrics
          ? 'application/openmetrics-text; version=1.0.0; charset=utf-8'
          : 'text/plain; version=0.0.4; charset=utf-8',
        text,
      );
    },
  }),
];

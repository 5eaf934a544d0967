import type { IncomingMessage } from 'node:http';
import { GATEWAY } from '../../config/limits/gateway.ts';
import type { Environment } from '../../config/schema.ts';
import { AppError } from '../domain/errors.ts';
import { fullAddress } from '../http/listener/node-response.ts';
import { isLocal } from '../http/local-caller.ts';
import { refusalAnswer, type Answer } from '../http/respond.ts';

/** One thing a process needs to do its work. */
export interface RoleCheck {
  readonly name: string;
  readonly ok: boolean;
  /** What is not well; null for nothing. */
  readonly detail: string | null;
}

/** What a process that serves no users answers of itself. */
export interface RoleAnswers {
  readonly environment: Pick<Environment, 'PREDICTD_METRICS_ACCESS' | 'PREDICTD_HOST'>;
  readonly role: Environment['PREDICTD_ROLE'];
  readonly version: string;
  /** All of them are to be well. */
  readonly checks: () => readonly RoleCheck[];
  readonly renderMetrics: () => Promise<string>;
  readonly nextRequestId: () => string;
}

/** Answers supervisors and Prometheus of the process itself; null for all other calls. */
export function answerOwn(request: IncomingMessage, answers: RoleAnswers): Promise<Answer> | null {
  const { url, method } = request;
  const { environment, role, version, checks, renderMetrics, nextRequestId } = answers;
  if (method !== 'GET' && method !== 'HEAD') return null;
  if (url === '/healthz') return Promise.resolve(json({ status: 'ok', version, profile: role }));
  if (url === '/readyz') return Promise.resolve(readiness(checks(), nextRequestId()));
  if (url !== '/metrics') return null;
  const mayRead =
    environment.PREDICTD_METRICS_ACCESS === 'public' ||
    isOfThisMachine(request, environment.PREDICTD_HOST);
  if (!mayRead)
    return Promise.resolve(
      refusalAnswer(
        new AppError('forbidden', 'this is for programs on the same machine'),
        nextRequestId(),
      ),
    );
  return renderMetrics().then((body) => ({
    status: 200,
    headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' },
    body,
  }));
}

function readiness(checks: readonly RoleCheck[], requestId: string): Answer {
  const failed = checks.filter(({ ok }) => !ok);
  if (failed.length === 0) return json({ status: 'ready', server: 'node', checks });
  return refusalAnswer(
    new AppError('not_ready', `not ready: ${failed.map(({ name }) => name).join(', ')}`, {
      retryable: true,
      retryAfterMs: GATEWAY.retryAfterMs,
      fields: failed.map(({ name, detail }) => ({
        path: `/checks/${name}`,
        message: detail ?? 'not well',
      })),
    }),
    requestId,
  );
}

function json(value: object): Answer {
  return {
    status: 200,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(value),
  };
}

function isOfThisMachine({ socket, headers }: IncomingMessage, host: string): boolean {
  const values = new Map(
    Object.entries(headers).map(([name, value]) => [name, [value ?? []].flat().join(', ')]),
  );
  return isLocal(fullAddress(socket.remoteAddress ?? ''), { headers: values }, host);
}

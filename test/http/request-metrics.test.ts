import { afterAll, describe, expect, it } from 'vitest';
import { createPromMetrics } from '../../src/adapters/metrics/prom-metrics.ts';
import { ask } from '../security/ask.ts';
import { startApi } from './api.ts';

const metrics = createPromMetrics();
const api = await startApi({ metrics });
afterAll(() => api.close());
const call = (method: string, path: string, headers: Readonly<Record<string, string>> = {}) =>
  ask({ port: api.server.port, method, path, headers });

describe('the time of requests', () => {
  it('is kept by method, path of the endpoint table and status, and never by the path that was sent', async () => {
    await call('GET', '/api/venue_a/order/int_1/');
    await call('GET', '/api/venue_a/order/int_2');
    await call('HEAD', '/healthz');
    await call('GET', '/nowhere/at/all');
    const counts = [
      ...(await metrics.renderMetrics()).matchAll(
        /^predictd_http_request_duration_seconds_count\{(.*)\} (\d+)$/gm,
      ),
    ].map(([, labels, count]) => [labels, count]);
    expect(counts.sort()).toEqual([
      ['method="GET",route="/api/venue_a/order/:id/",status="401"', '2'],
      ['method="GET",route="none",status="404"', '1'],
      ['method="HEAD",route="/healthz",status="200"', '1'],
    ]);
  });
});

describe('the metrics over HTTP', () => {
  it.each([
    ['*/*', 'text/plain; version=0.0.4; charset=utf-8'],
    ['application/openmetrics-text', 'application/openmetrics-text; version=1.0.0; charset=utf-8'],
    [
      'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.2',
      'application/openmetrics-text; version=1.0.0; charset=utf-8',
    ],
    [
      'text/plain;version=0.0.4,application/openmetrics-text;q=0.1',
      'text/plain; version=0.0.4; charset=utf-8',
    ],
    ['application/openmetrics-text;q=0, text/*', 'text/plain; version=0.0.4; charset=utf-8'],
    ['image/png', 'text/plain; version=0.0.4; charset=utf-8'],
  ])('come in the format that Accept: %s asks for', async (accept, type) => {
    expect((await call('GET', '/metrics', { accept })).headers['content-type']).toBe(type);
  });
});

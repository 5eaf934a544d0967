import { afterAll, describe, expect, it } from 'vitest';
import { createPromMetrics } from '../../src/adapters/metrics/prom-metrics.ts';
import { makeKey, post } from '../mcp/mcp-client.ts';
import { MARKET_ID } from './samples.ts';
import { startApi } from './api.ts';

const metrics = createPromMetrics();
const api = await startApi({ metrics });
afterAll(() => api.close());
const user = await api.signIn();
const shown = async (name: string) =>
  (await metrics.renderMetrics())
    .split('\n')
    .filter((line) => line.startsWith(`predictd_${name}`) && !line.endsWith(' 0'));

describe('calls, as metrics count them,', () => {
  it('are refused for who makes them by the code they got, and wrong secrets apart', async () => {
    await api.request('GET', '/api/user/profile/');
    await api.request('GET', '/api/user/profile/', { token: 'nonsense' });
    await api.request('POST', '/internal/api-keys/exchange', {
      headers: { 'x-internal-secret': 'wrong' },
      body: {},
    });
    expect(await shown('auth_failures_total')).toEqual([
      'predictd_auth_failures_total{reason="unauthenticated"} 1',
      'predictd_auth_failures_total{reason="token_invalid"} 1',
      'predictd_auth_failures_total{reason="internal_secret"} 1',
    ]);
  });

  it('are answered as before where their key was used for the same', async () => {
    const body = {
      marketId: MARKET_ID,
      side: 'yes',
      amount: 5,
      orderType: 'limit',
      price: '0.47',
    };
    const order = { token: user.token, headers: { 'idempotency-key': 'once' }, body };
    const statuses = [
      (await api.request('POST', '/api/venue_a/order/', order)).status,
      (await api.request('POST', '/api/venue_a/order/', order)).status,
    ];
    expect([statuses[0] === statuses[1], await shown('idempotent_replays_total')]).toEqual([
      true,
      ['predictd_idempotent_replays_total 1'],
    ]);
  });

  it('show how many ran at a time since the last reading', async () => {
    await metrics.renderMetrics();
    await api.request('GET', '/healthz');
    expect(await shown('http_requests_in_flight')).toEqual([
      'predictd_http_requests_in_flight{kind="critical"} 1',
    ]);
    expect(await shown('http_requests_in_flight')).toEqual([]);
  });

  it('of MCP are refused at its gate by why, and those of a key make it active', async () => {
    const { key } = await makeKey(api, user.token, { scopes: ['read'] });
    await post(api, { key });
    await post(api, { key: 'pk_no' });
    expect([await shown('mcp_refused_total'), await shown('mcp_keys_active')]).toEqual([
      ['predictd_mcp_refused_total{reason="api_key_invalid"} 1'],
      ['predictd_mcp_keys_active 1'],
    ]);
  });
});

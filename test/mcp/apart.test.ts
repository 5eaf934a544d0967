import { afterAll, describe, expect, it } from 'vitest';
import { readEnvironment } from '../../config/schema.ts';
import { startMcpApart } from '../../src/app/mcp-apart.ts';
import { TOOLS } from '../../src/mcp/tool-table.ts';
import { INTERNAL_SECRET, startApi } from '../http/api.ts';
import { callTool, connect, FIVE_DOLLARS, makeKey, type Generation } from './mcp-client.ts';

const api = await startApi();
const environmentOf = (backend: string, secret = INTERNAL_SECRET) =>
  readEnvironment({
    PREDICTD_PORT: '0',
    PREDICTD_LOG_LEVEL: 'silent',
    PREDICTD_MCP_BACKEND: backend,
    PREDICTD_INTERNAL_SECRET: secret,
    PREDICTD_CORS_ORIGINS: 'https://app.example.com',
  });
const apart = await startMcpApart(environmentOf(api.url), '0.1.0');
afterAll(async () => {
  await apart.close();
  await api.close();
});
const user = await api.signIn();
const TICKER = 'KXHIGHNY-26NOV24-B52';

describe('MCP that runs apart from its service', () => {
  it.each<Generation>(['modern', 'legacy', 'older'])(
    'answers a %s client as the service itself does',
    async (generation) => {
      const { key, keyId } = await makeKey(api, user.token, { scopes: ['read', 'trade'] });
      const [near, far] = [
        await connect(api.url, key, generation),
        await connect(apart.url, key, generation),
      ];
      expect((await far.listTools()).tools).toEqual((await near.listTools()).tools);
      const order = { ...FIVE_DOLLARS(TICKER), clientRequestId: `apart-${generation}` };
      const placed = await callTool(far, 'orders_create', order);
      expect((await callTool(near, 'orders_create', order)).value).toEqual({
        ...placed.value,
        replay: true,
      });
      expect(api.placed.at(-1)?.request.origin).toEqual({ kind: 'manual', keyId });
      expect((await callTool(far, 'venue_a_markets', { limit: 0 })).text).toMatch(
        /^invalid_request/,
      );
      const { body } = await api.request('GET', `/api/user/keys/${keyId}/activity`, {
        token: user.token,
      });
      expect((body['data'] as { tool: string }[]).map(({ tool }) => tool)).toEqual([
        'venue_a_markets',
        'orders_create',
        'orders_create',
      ]);
      await api.services.apiKeys.revoke(user.userId, keyId);
      await expect(callTool(far, 'venue_a_markets')).rejects.toThrow('api_key_invalid');
    },
  );

  it('holds a key to its tools there too', async () => {
    const { key } = await makeKey(api, user.token, { tools: ['wallet_addresses'] });
    const client = await connect(apart.url, key);
    expect((await client.listTools()).tools).toHaveLength(1);
    expect((await callTool(client, 'wallet_addresses')).isError).toBe(false);
    expect(TOOLS.length).toBeGreaterThan(1);
  });

  it('answers pages and what is too large as the service does', async () => {
    const origin = 'https://app.example.com';
    const ask = (init: RequestInit) =>
      fetch(`${apart.url}/mcp`, { ...init, headers: { origin, ...init.headers } });
    const preflight = await ask({
      method: 'OPTIONS',
      headers: { 'access-control-request-method': 'POST' },
    });
    const large = await ask({ method: 'POST', body: 'x'.repeat(70_000) });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([
      204,
      origin,
    ]);
    expect([large.status, Object(await large.json()).error.data.code]).toEqual([
      413,
      'body_too_large',
    ]);
  });

  it('refuses clients while the service does not know its secret, or is not there', async () => {
    const { key } = await makeKey(api, user.token, {});
    for (const [backend, secret] of [
      [api.url, 'a secret that the service does not know, at all'],
      ['http://127.0.0.1:9', INTERNAL_SECRET],
    ] as const) {
      const other = await startMcpApart(environmentOf(backend, secret), '0.1.0');
      await expect(connect(other.url, key)).rejects.toThrow('HTTP 503');
      await other.close();
    }
    await expect(
      startMcpApart(readEnvironment({ PREDICTD_MCP_BACKEND: api.url }), '0.1.0'),
    ).rejects.toMatchObject({ code: 'config_invalid' });
  });
});

import { connect } from 'node:net';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { ADMISSION } from '../../config/limits/admission.ts';
import { MCP } from '../../config/limits/mcp.ts';
import { eventually } from '../support/eventually.ts';
import { startApi, APP_ORIGIN } from '../http/api.ts';
import { makeKey, modernMessage, post } from './mcp-client.ts';

const api = await startApi();
afterAll(() => api.close());
const user = await api.signIn();
const { key, keyId } = await makeKey(api, user.token, { scopes: ['read'] });

// every test begins with full budgets
beforeEach(() => api.clock.advance(60_000));

describe('who calls /mcp', () => {
  it('gets one and the same 401 for no key, a malformed, an unknown and a revoked one', async () => {
    const revoked = await makeKey(api, user.token, { scopes: ['read'] });
    const used = await post(api, { key: revoked.key });
    await api.request('POST', `/api/user/keys/${revoked.keyId}/revoke/`, { token: user.token });
    const replies = [
      await post(api, {}),
      await post(api, { key: 'pk_no' }),
      await post(api, { key: key.replace(/.{10}$/, 'AAAAAAAAAA') }),
      await post(api, { key: revoked.key }),
      await post(api, { key: user.token }),
    ];
    expect(used.status).toBe(200);
    expect(
      replies.map(({ status, headers, body }) => {
        const { requestId: _number, ...data } = Object((body['error'] as { data: object }).data);
        return [status, headers.get('www-authenticate'), Object(body['error']).message, data];
      }),
    ).toEqual(
      replies.map(() => [
        401,
        'Bearer realm="mcp", error="invalid_token"',
        'The API key is not valid.',
        { code: 'api_key_invalid' },
      ]),
    );
  });

  it('is limited by address to 30 a minute without a key that holds', async () => {
    const statuses = [];
    for (let asked = 0; asked <= MCP.unauthenticatedPerMinute; asked += 1)
      statuses.push((await post(api, { key: 'pk_guess' })).status);
    const limited = await post(api, {});
    expect([statuses.filter((status) => status === 401).length, statuses.at(-1)]).toEqual([
      30, 429,
    ]);
    expect(limited.headers.get('retry-after')).toBe('2');
    expect((await post(api, { key })).status).toBe(200);
  });

  it('may send 60 messages a minute with a key, whatever they ask; the 61st waits', async () => {
    const other = await makeKey(api, user.token, { scopes: ['read'] });
    const replies = [];
    for (let asked = 0; asked < MCP.requestsPerMinute; asked += 1)
      replies.push(
        await post(api, {
          key: other.key,
          ...(asked % 2 === 0 ? {} : { message: modernMessage('no/such') }),
        }),
      );
    const late = await post(api, { key: other.key });
    await api.clock.advance(1_000);
    const again = await post(api, { key: other.key });
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 404]));
    expect(replies.at(-1)?.headers.get('ratelimit-remaining')).toBe('0');
    expect([
      late.status,
      late.headers.get('retry-after'),
      late.headers.get('ratelimit-limit'),
    ]).toEqual([429, '1', '60']);
    expect(late.body['error']).toMatchObject({
      code: -31_029,
      data: { limit: 60, windowSeconds: 60, retryAfterSeconds: 1 },
    });
    expect([again.status, (await post(api, { key })).status]).toEqual([200, 200]);
  });

  it('that stops or cancels passes when no other does any more', async () => {
    const other = await makeKey(api, user.token, { scopes: ['read', 'trade'] });
    const call = (name: string) =>
      post(api, { key: other.key, message: modernMessage('tools/call', { name, arguments: {} }) });
    for (let asked = 0; asked < 60; asked += 1) await call('no_such_tool');
    const replies = [await call('balances_get'), await call('agents_stop_all')];
    expect(replies.map(({ status }) => status)).toEqual([429, 200]);
    expect(replies[1]?.headers.get('ratelimit-remaining')).toBe('59');
  });

  it('of a page comes with what browsers ask for before they send it, and after', async () => {
    const preflight = await api.request('OPTIONS', '/mcp', {
      headers: {
        origin: APP_ORIGIN,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,mcp-protocol-version,mcp-method',
      },
    });
    const allowed = (preflight.headers.get('access-control-allow-headers') ?? '').toLowerCase();
    expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([
      204,
      'POST',
    ]);
    expect(
      ['mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id', 'last-event-id'].filter(
        (name) => !allowed.includes(name),
      ),
    ).toEqual([]);
    const refused = await post(api, { key: 'pk_wrong', headers: { origin: APP_ORIGIN } });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('access-control-expose-headers')).toContain('WWW-Authenticate');
  });

  it('is counted for each message of a batch', async () => {
    const other = await makeKey(api, user.token, { scopes: ['read'] });
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const batch = (messages: number) =>
      post(api, {
        key: other.key,
        rawBody: JSON.stringify(Array.from({ length: messages }, () => ping)),
        headers: { 'mcp-protocol-version': '2025-03-26' },
      });
    const first = await batch(50);
    expect([first.status, first.headers.get('ratelimit-remaining')]).toEqual([200, '10']);
    expect((await batch(50)).status).toBe(429);
  });

  it('is refused as a batch that no minute could hold, and nothing of it is counted', async () => {
    const other = await makeKey(api, user.token, { scopes: ['read'] });
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const refused = await post(api, {
      key: other.key,
      rawBody: JSON.stringify(Array.from({ length: MCP.requestsPerMinute + 1 }, () => ping)),
      headers: { 'mcp-protocol-version': '2025-03-26' },
    });
    expect([refused.status, refused.body['error']]).toMatchObject([
      400,
      { data: { code: 'invalid_request', messages: 61, limit: 60, windowSeconds: 60 } },
    ]);
    const next = await post(api, { key: other.key });
    expect(next.headers.get('ratelimit-remaining')).toBe('59');
  });

  it('must come to a name of this service, from no page of another', async () => {
    const statusOf = async (headers: Record<string, string>) =>
      (await post(api, { key, headers })).status;
    expect([
      await statusOf({ origin: 'http://localhost:5173' }),
      await statusOf({ origin: 'https://evil.example.com' }),
      await statusOf({ origin: 'null' }),
      await statusOf({ origin: APP_ORIGIN }),
      await statusOf({ origin: `${APP_ORIGIN}:8443` }),
      await statusOf({ origin: APP_ORIGIN.replace('https', 'http') }),
    ]).toEqual([200, 403, 403, 200, 403, 403]);
  });
});

describe('what comes to /mcp while too much is under way', () => {
  it('is refused as a message of the protocol, with when to come back, but of a key that has called', async () => {
    const { hostname, port } = new URL(api.url);
    const begun = Array.from({ length: ADMISSION.bodiesMaximum.strangers.perShare }, () => {
      const socket = connect(Number(port), hostname);
      socket.write('POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{');
      return socket;
    });
    const { key: unknown } = await makeKey(api, user.token, { scopes: ['read'] });
    const refused = await eventually(async () => {
      const reply = await post(api, { key: unknown });
      expect(reply.status).toBe(503);
      return reply;
    });
    const known = await post(api, { key });
    for (const socket of begun) socket.destroy();
    expect(known.status).toBe(200);
    expect([refused.headers.get('retry-after'), refused.body]).toMatchObject([
      '1',
      {
        jsonrpc: '2.0',
        id: null,
        error: { code: -32_000, data: { code: 'overloaded', retryAfterSeconds: 1 } },
      },
    ]);
  });
});

describe('what is no message to /mcp', () => {
  it('is refused with the answer of the protocol', async () => {
    const replies = {
      notJson: await post(api, { key, rawBody: '{' }),
      emptyBatch: await post(api, { key, rawBody: '[]' }),
      unknownMethod: await post(api, { key, message: modernMessage('tools/none') }),
      headerMismatch: await post(api, { key, headers: { 'mcp-method': 'tools/call' } }),
      oldVersion: await post(api, { key, headers: { 'mcp-protocol-version': '1999-01-01' } }),
      tooLarge: await post(api, { key, rawBody: `"${'x'.repeat(70_000)}"` }),
    };
    expect(
      Object.entries(replies).map(([name, { status, body }]) => [
        name,
        status,
        Object(body['error']).code ?? body['code'],
      ]),
    ).toEqual([
      ['notJson', 400, -32_700],
      ['emptyBatch', 400, -32_600],
      ['unknownMethod', 404, -32_601],
      ['headerMismatch', 400, -32_020],
      ['oldVersion', 400, -32_020],
      ['tooLarge', 413, -32_000],
    ]);
  });

  it('is a page for a browser, and 405 for other methods', async () => {
    const page = await api.request('GET', '/mcp', { headers: { accept: 'text/html,*/*;q=0.8' } });
    const refused = [
      await api.request('GET', '/mcp', { headers: { accept: 'text/event-stream' } }),
      await api.request('DELETE', '/mcp/', {}),
      await api.request('PUT', '/mcp', {}),
    ];
    expect([page.status, page.text.includes('Connect an assistant')]).toEqual([200, true]);
    expect(refused.map(({ status, headers }) => [status, headers.get('allow')])).toEqual(
      refused.map(() => [405, 'POST']),
    );
  });

  it('shows no key and no token in any answer', async () => {
    const { text } = await post(api, { key, message: modernMessage('server/discover') });
    expect([text.includes(key), /eyJ/.test(text), text.includes(keyId)]).toEqual([
      false,
      false,
      false,
    ]);
  });
});

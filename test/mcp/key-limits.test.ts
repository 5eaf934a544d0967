import { afterAll, describe, expect, it } from 'vitest';
import { TOOLS } from '../../src/mcp/tool-table.ts';
import { INTERNAL_SECRET, START_MS, startApi } from '../http/api.ts';
import { MARKET_ID } from '../http/samples.ts';
import {
  callTool,
  connect,
  FIVE_DOLLARS,
  makeKey,
  modernMessage,
  ORDER_TOOL,
  post,
} from './mcp-client.ts';

const api = await startApi({ tools: [...TOOLS, ORDER_TOOL] });
afterAll(() => api.close());
const user = await api.signIn();

describe('a key with limits', () => {
  it('shows them in lists', async () => {
    const { keyId } = await makeKey(api, user.token, {
      maxOrderSize: 5,
      maxPerDay: '20.5',
      venues: ['venue_a'],
      tools: ['balances_get'],
      expiresAtMs: START_MS + 3_600_000,
    });
    const { body } = await api.request('GET', '/api/user/keys/', { token: user.token });
    const listed = (body['data'] as { keyId: string; limits: object }[]).find(
      (each) => each.keyId === keyId,
    );
    expect(listed?.limits).toEqual({
      maxOrderSize: '5',
      confirmAbove: null,
      maxPerDay: '20.5',
      venues: ['venue_a'],
      tools: ['balances_get'],
      expiresAtMs: START_MS + 3_600_000,
    });
  });

  it.each([
    [{ maxOrderSize: 0 }, '/maxOrderSize', 'must be more than zero'],
    [{ maxPerDay: -1 }, '/maxPerDay', 'must not be below zero'],
    [
      { maxOrderSize: 6, maxPerDay: '5.5' },
      '/maxOrderSize',
      'must be at most maxPerDay, which is 5.5',
    ],
    [{ confirmAbove: '1e3' }, '/confirmAbove', 'write 1000, not 1e3'],
    [{ confirmAbove: '1.0000001' }, '/confirmAbove', 'must have at most six decimals'],
    [{ confirmAbove: '10000000000' }, '/confirmAbove', 'must be at most 9007199254'],
    [{ venues: [] }, '/venues', 'must be at least 1 entry'],
    [{ venues: ['venue_a', 'venue_z'] }, '/venues/1', 'must be one of venue_a, venue_b, venue_c'],
    [{ tools: ['balances_get', 'balances_get'] }, '/tools', 'each name once'],
    [
      { tools: ['orders_list', 'orders_lst'] },
      '/tools/1',
      expect.stringMatching(/^must be one of .*orders_list/),
    ],
    [{ tools: ['__proto__'] }, '/tools/0', expect.stringMatching(/^must be one of /)],
    [{ tools: ['orders_create'] }, '/tools/0', 'needs the scope trade, which the key lacks'],
    [{ scopes: ['read', 'export'] }, '/scopes/1', 'must be read, trade, swap or launch'],
    [{ expiresAtMs: START_MS }, '/expiresAtMs', expect.stringContaining(`after now, ${START_MS}`)],
    [
      { expiresAtMs: START_MS + 400 * 86_400_000 },
      '/expiresAtMs',
      expect.stringContaining('366 days'),
    ],
    [{ expiresAtMs: '1' }, '/expiresAtMs', 'epoch milliseconds, a whole number'],
    [{ name: 'my\u202Ebot' }, '/name', expect.stringContaining('visible characters')],
    [{ name: 'my\nbot' }, '/name', expect.stringContaining('visible characters')],
  ])('is not made of %j', async (wanted, path, message) => {
    const { body } = await api.request('POST', '/api/user/keys/', {
      token: user.token,
      body: { name: 'x', ...wanted },
    });
    expect([body['code'], body['errors']]).toEqual(['invalid_request', [{ path, message }]]);
  });

  it('lists and reaches the tools it names, and no call of the bare interface', async () => {
    const { key } = await makeKey(api, user.token, {
      scopes: ['read', 'trade'],
      tools: ['test_order', 'wallet_addresses'],
    });
    const client = await connect(api.url, key);
    const { tools } = await client.listTools();
    const { accessToken, tools: named } = (
      await api.request('POST', '/internal/api-keys/exchange', {
        headers: { 'x-internal-secret': INTERNAL_SECRET },
        body: { key },
      })
    ).body;
    const bare = async (headers: Record<string, string>) =>
      (await api.request('GET', '/api/venue_a/order/', { token: String(accessToken), headers }))
        .status;
    expect(tools.map(({ name }) => name)).toEqual(['wallet_addresses', 'test_order']);
    expect(named).toEqual(['test_order', 'wallet_addresses']);
    expect(
      [
        await callTool(client, 'wallet_addresses'),
        await callTool(client, 'test_order', FIVE_DOLLARS(MARKET_ID)),
      ].map(({ isError }) => isError),
    ).toEqual([false, false]);
    expect([
      await bare({}),
      await bare({ 'x-mcp-tool': 'test_order' }),
      await bare({ 'x-mcp-tool': 'test_order', 'x-internal-secret': 'wrong' }),
      await bare({ 'x-mcp-tool': 'balances_get', 'x-internal-secret': INTERNAL_SECRET }),
      await bare({ 'x-mcp-tool': 'test_order', 'x-internal-secret': INTERNAL_SECRET }),
    ]).toEqual([403, 403, 403, 403, 200]);
    await expect(callTool(client, 'balances_get')).rejects.toThrow('not found');
  });

  it.each([
    ['maxPerDay', { maxPerDay: 100 }, 'limits of money'],
    ['maxOrderSize', { maxOrderSize: 5 }, 'limits of money'],
    ['confirmAbove', { confirmAbove: 0 }, 'limits of money'],
    ['another venue', { venues: ['venue_a'] }, 'may not trade at venue_b'],
  ])('L5: with %s steers no agent that it would not bind', async (_, limits, words) => {
    const { key } = await makeKey(api, user.token, { scopes: ['read', 'trade'], ...limits });
    const client = await connect(api.url, key);
    const agent = 'venue_b_farming';
    for (const [name, given] of [
      ['agent_enable', { agent }],
      ['agent_enable', { agent, mode: 'live' }],
      ['agent_settings', { agent, maxPositionSize: '50' }],
    ] as const) {
      const { isError, text } = await callTool(client, name, given);
      expect([isError, text]).toEqual([true, expect.stringMatching(`^forbidden: .*${words}`)]);
    }
    const { value } = await callTool(client, 'agents_list');
    expect(JSON.stringify(value)).not.toContain('"enabled":true');
  });

  it('enables an agent on paper where it may trade, whatever its limits of money', async () => {
    const other = await api.signIn();
    const { key } = await makeKey(api, other.token, {
      scopes: ['trade'],
      maxPerDay: 1,
      venues: ['venue_a'],
    });
    const client = await connect(api.url, key);
    const paper = { agent: 'btc_5min', mode: 'paper' };
    expect((await callTool(client, 'agent_enable', paper)).isError).toBe(false);
  });

  it('is named in the order it places', async () => {
    const { key, keyId } = await makeKey(api, user.token, { scopes: ['trade'], maxPerDay: 100 });
    await callTool(await connect(api.url, key), 'test_order', FIVE_DOLLARS(MARKET_ID));
    expect(api.placed.at(-1)?.request.origin).toEqual({ kind: 'manual', keyId });
  });

  it('leaves a line for every call, for its owner alone', async () => {
    const { key, keyId } = await makeKey(api, user.token, { scopes: ['read', 'trade'] });
    const client = await connect(api.url, key);
    await callTool(client, 'test_order', { ...FIVE_DOLLARS(MARKET_ID), clientRequestId: 'one' });
    await callTool(client, 'test_order', { amount: 'x'.repeat(3_000) });
    const path = `/api/user/keys/${keyId}/activity`;
    const { body } = await api.request('GET', path, { token: user.token });
    const first = await api.request('GET', `${path}?limit=1`, { token: user.token });
    const second = await api.request(
      'GET',
      `${path}?limit=1&cursor=${String(first.body['nextCursor'])}`,
      { token: user.token },
    );
    const [refused, placed] = body['data'] as Record<string, string>[];
    expect([refused?.['tool'], refused?.['refusal'], refused?.['arguments']?.length]).toEqual([
      'test_order',
      'invalid_request',
      1_000,
    ]);
    expect(placed).toMatchObject({
      tool: 'test_order',
      refusal: null,
      arguments: expect.stringContaining('"clientRequestId":"one"'),
      result: expect.stringContaining('"outcome":"done"'),
    });
    expect([first.body['data'], second.body['data'], second.body['nextCursor']]).toEqual([
      [refused],
      [placed],
      null,
    ]);
    expect(JSON.stringify(body)).not.toContain(key);
    const stranger = await api.signIn();
    expect((await api.request('GET', path, { token: stranger.token })).status).toBe(404);
    expect(
      api.store.readJournal(0, 10_000).filter(({ event }) => event.type === 'tool.called').length,
    ).toBeGreaterThan(1);
  });

  // last: the clock goes on
  it('leaves a line for a call whose arguments are nested deeper than can be written', async () => {
    const { key, keyId } = await makeKey(api, user.token, {});
    const depth = 9_000;
    const message = modernMessage('tools/call', { name: 'account_summary', arguments: {} });
    const rawBody = JSON.stringify(message).replace(
      '"arguments":{}',
      `"arguments":{"x":${'['.repeat(depth)}${']'.repeat(depth)}}`,
    );
    await post(api, { key, message, rawBody });
    const { body } = await api.request('GET', `/api/user/keys/${keyId}/activity`, {
      token: user.token,
    });
    expect(body['data']).toMatchObject([
      {
        tool: 'account_summary',
        refusal: 'invalid_request',
        arguments: 'nested too deeply to be kept',
      },
    ]);
  });

  it('ends when it was to end, at once', async () => {
    const { key } = await makeKey(api, user.token, { expiresAtMs: START_MS + 60_000 });
    const before = await post(api, { key });
    await api.clock.advance(60_000);
    expect([before.status, (await post(api, { key })).status]).toEqual([200, 401]);
  });
});

import { afterAll, expect, it } from 'vitest';
import { RESOURCES } from '../../src/mcp/resource-table.ts';
import { startApi } from '../http/api.ts';
import { MARKET_ID } from '../http/samples.ts';
import { connect, makeKey, type Generation } from './mcp-client.ts';

const api = await startApi();
afterAll(() => api.close());
const user = await api.signIn();
const { key } = await makeKey(api, user.token, { scopes: ['read'] });

it.each<Generation>(['modern', 'legacy', 'older'])(
  'resources and prompts are there for a %s client',
  async (generation) => {
    const client = await connect(api.url, key, generation);
    const { resources } = await client.listResources();
    const { resourceTemplates } = await client.listResourceTemplates();
    expect([...resources, ...resourceTemplates].map(({ name }) => name).sort()).toEqual(
      RESOURCES.map(({ name }) => name).sort(),
    );
    const read = async (uri: string) => {
      const [first] = (await client.readResource({ uri })).contents;
      return JSON.parse(first !== undefined && 'text' in first ? String(first.text) : '{}');
    };
    expect(await read(`market://venue_a/${MARKET_ID}`)).toMatchObject({
      marketId: MARKET_ID,
      untrustedText: expect.arrayContaining(['/question']),
    });
    expect(await read('portfolio://venue_a')).toHaveProperty('untrustedText');
    expect(await read('portfolio://venue_b')).toHaveProperty('items');
    expect(await read('receipt://btc_5min')).toHaveProperty('items');
    await expect(read('market://venue_a/none')).rejects.toThrow(/not_found/);
    await expect(read('receipt://no_such_agent')).rejects.toMatchObject({ code: -32_602 });

    const { prompts } = await client.listPrompts();
    expect(prompts).toHaveLength(3);
    const { messages } = await client.getPrompt({
      name: 'look_before_trading',
      arguments: { topic: 'rain\u202E in Chicago', dollars: '5' },
    });
    expect(JSON.stringify(messages)).toContain('“rain in Chicago”');
  },
);

it('a key that names its tools reads no resources', async () => {
  const named = await makeKey(api, user.token, { tools: ['balances_get'] });
  const client = await connect(api.url, named.key);
  expect((await client.listResourceTemplates()).resourceTemplates).toEqual([]);
});

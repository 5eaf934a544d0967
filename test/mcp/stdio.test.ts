import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { TOOLS } from '../../src/mcp/tool-table.ts';
import { startApi } from '../http/api.ts';
import { callTool, makeKey } from './mcp-client.ts';

const COMMAND = fileURLToPath(new URL('../../dist/src/main.js', import.meta.url));
const api = await startApi();
afterAll(() => api.close());
const user = await api.signIn();
const { key } = await makeKey(api, user.token, { scopes: ['read', 'trade', 'swap', 'launch'] });

async function start(shown: string, generation: 'modern' | 'legacy'): Promise<Client> {
  const client = new Client(
    { name: 'desktop', version: '1' },
    generation === 'modern' ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {},
  );
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [COMMAND, 'mcp', '--url', `${api.url}/mcp`],
      env: { PREDICTD_MCP_KEY: shown },
    }),
  );
  return client;
}

describe('predictd mcp', () => {
  it.each(['modern', 'legacy'] as const)(
    'passes a %s desktop client on to the daemon, and keeps nothing of it back',
    async (generation) => {
      const client = await start(key, generation);
      const { tools } = await client.listTools();
      const answer = await callTool(client, 'venue_a_markets', { limit: 1 });
      const refused = await callTool(client, 'venue_a_markets', { limit: 1_000 });
      await client.close();
      expect(tools).toHaveLength(TOOLS.length);
      expect([answer.isError, refused.text.split(':')[0]]).toEqual([false, 'invalid_request']);
    },
  );

  it('tells a client whose key does not hold, in an answer to its message', async () => {
    await expect(start('pk_wrong', 'legacy')).rejects.toThrow('The API key is not valid.');
  });
});

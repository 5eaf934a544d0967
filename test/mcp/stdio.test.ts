import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { TOOLS } from '../../src/mcp/tool-table.ts';
import { startApi } from '../http/api.ts';
import { callTool, makeKey } from './mcp-client.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** The command of the daemon's package, and that of the bridge's own. */
const COMMANDS = {
  modern: [`${ROOT}dist/src/main.js`, 'mcp'],
  legacy: [`${ROOT}dist/src/mcp/bridge/main.js`],
} as const;
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
      args: [...COMMANDS[generation], '--url', `${api.url}/mcp`],
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

  it('is a package of its own as well: built-ins alone, under a megabyte', () => {
    const folder = `${ROOT}src/mcp/bridge`;
    const sources = ['main.ts', 'command.ts', 'bridge.ts'].map((file) =>
      readFileSync(`${folder}/${file}`, 'utf8'),
    );
    const imported = sources.flatMap((text) =>
      [...text.matchAll(/from '([^']+)'/g)].map(([, name = '']) => name),
    );
    expect(imported.filter((name) => !/^(node:|\.\/)/.test(name))).toEqual([]);
    const packed = execFileSync('npm', ['pack', '--dry-run', '--json'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [{ unpackedSize, files }] = JSON.parse(packed.toString());
    expect(files.map(({ path }: { readonly path: string }) => path).sort()).toEqual([
      'README.md',
      'dist/bridge.js',
      'dist/command.js',
      'dist/main.js',
      'package.json',
    ]);
    expect(unpackedSize).toBeLessThan(1_000_000);
  });

  it('tells a client whose key does not hold, in an answer to its message', async () => {
    await expect(start('pk_wrong', 'legacy')).rejects.toThrow('The API key is not valid.');
  });
});

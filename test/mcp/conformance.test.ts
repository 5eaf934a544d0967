import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { startApi } from '../http/api.ts';
import { startKeyProxy } from './key-proxy.ts';
import { makeKey } from './mcp-client.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const PEERS = here('../peers/node_modules');
const home = mkdtempSync(join(tmpdir(), 'mcp-clients-'));
const api = await startApi();
const user = await api.signIn();
const { key } = await makeKey(api, user.token, { scopes: ['read', 'trade'] });
const { key: inspected } = await makeKey(api, user.token, { scopes: ['read', 'trade'] });
// the suites ask more than sixty times; the minute passes on the virtual clock, not in life
let minutes = Promise.resolve();
const proxy = await startKeyProxy(
  api.url,
  key,
  () => (minutes = minutes.then(() => api.clock.advance(1_000))),
);
afterAll(async () => {
  await proxy.close();
  await api.close();
  rmSync(home, { recursive: true });
});

/** Runs a published program to its end. */
function run(
  args: readonly string[],
): Promise<{ readonly code: number | null; readonly out: string }> {
  const child = spawn(process.execPath, args, { cwd: home, env: { ...process.env, HOME: home } });
  let out = '';
  child.stdout.on('data', (chunk) => (out += String(chunk)));
  child.stderr.on('data', (chunk) => (out += String(chunk)));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, out }));
  });
}

const legacySuite = (args: readonly string[]) =>
  run([
    `${PEERS}/@modelcontextprotocol/conformance/dist/index.js`,
    'server',
    '--url',
    `${proxy.url}/mcp`,
    ...args,
  ]);
const modernScenario = (scenario: string, args: readonly string[] = []) =>
  run([
    '--import',
    here('./conformance/node-20.mjs'),
    `${PEERS}/conformance-next/dist/index.js`,
    'server',
    '--url',
    `${proxy.url}/mcp`,
    '--scenario',
    scenario,
    '--spec-version',
    '2026-07-28',
    ...args,
  ]);
const inspector = (args: readonly string[]) =>
  run([
    `${PEERS}/@modelcontextprotocol/inspector/clients/launcher/build/index.js`,
    '--cli',
    `${api.url}/mcp`,
    '--transport',
    'http',
    '-q',
    '--format',
    'json',
    ...args,
  ]);
const withKey = (text: string) => ['--header', `Authorization: Bearer ${text}`];

describe.concurrent('the conformance suite of the protocol', () => {
  it('passes in the generation that begins with initialize, but for what is not offered', async () => {
    const { code, out } = await legacySuite([
      '--suite',
      'active',
      '--expected-failures',
      here('./conformance/legacy.yml'),
    ]);
    expect(code, out.slice(-3_000)).toBe(0);
  });

  it.each(['tools-list', 'dns-rebinding-protection', 'http-header-validation'])(
    'passes %s in the generation of 2026',
    async (scenario) => {
      const { code, out } = await modernScenario(scenario);
      expect([code, out]).toEqual([0, expect.stringContaining(' 0 failed, 0 warnings')]);
    },
  );

  it('passes server-stateless in the generation of 2026, but for what is not offered', async () => {
    const { code, out } = await modernScenario('server-stateless', [
      '--expected-failures',
      here('./conformance/modern.yml'),
    ]);
    expect(code, out.slice(-3_000)).toBe(0);
  });
});

describe.concurrent('the inspector', () => {
  it.each(['modern', 'legacy'])(
    'lists and calls tools in its %s generation',
    async (generation) => {
      const era = ['--protocol-era', generation, ...withKey(inspected)];
      const listed = await inspector([...era, '--method', 'tools/list']);
      const called = await inspector([
        ...era,
        '--method',
        'tools/call',
        '--tool-name',
        'venue_a_markets',
        '--tool-args-json',
        '{"limit":1}',
      ]);
      const refused = await inspector([
        ...era,
        '--method',
        'tools/call',
        '--tool-name',
        'venue_a_markets',
        '--tool-args-json',
        '{"limit":1000}',
      ]);
      expect([listed.code, called.code, refused.code]).toEqual([0, 0, 5]);
      expect(listed.out).toContain('venue_a_market_orderbook');
      expect(called.out).toContain('untrustedText');
      expect(refused.out).toContain('invalid_request');
    },
  );

  it('finds no fault in the schemas, and a wrong key refused', async () => {
    const strict = await inspector([...withKey(inspected), '--strict', '--method', 'tools/list']);
    const wrong = await inspector([
      ...withKey('pk_wrong'),
      '--stored-auth-only',
      '--method',
      'tools/list',
    ]);
    expect([strict.code, wrong.code]).toEqual([0, 3]);
  });
});

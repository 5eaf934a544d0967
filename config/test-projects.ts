import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/**
 * What is said of the server, which holds for uWebSockets.js and for that of Node.js: these files
 * run once with each.
 */
export const SERVER_TESTS: readonly string[] = [
  'test/http/bad-input.test.ts',
  'test/http/guard.test.ts',
  'test/http/listener/listener.test.ts',
  'test/http/live/gateway.test.ts',
  'test/http/live/missed-events.test.ts',
  'test/http/refresh-cookie.test.ts',
  'test/security/admission.test.ts',
];

/** What a test file may need that others must not share, dearest first. */
export type TestProject = 'process' | 'wire' | 'unit';

/** Start chains whose processes end with the one that started them, and ask for processes. */
const CHAINS: readonly string[] = [
  'src/sandbox/chains/evm/command-line.ts',
  'src/sandbox/chains/evm/evm-process.ts',
];

/** Modules that open something; a test that reaches none of them, by whatever imports, is pure. */
const OPENS: Readonly<Record<Exclude<TestProject, 'unit'>, readonly string[]>> = {
  process: ['node:child_process'],
  wire: [
    ...CHAINS,
    'node:dgram',
    'node:http',
    'node:http2',
    'node:https',
    'node:net',
    'node:tls',
    'node:worker_threads',
    'lmdb',
    'litesvm',
    'uWebSockets.js',
    'undici',
    'ws',
  ],
};

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s(?!type\s)[^;'"]*?from\s*'([^']+)'|import\(\s*'([^']+)'\s*\)|(?:^|\n)import\s+'([^']+)'/g;

/**
 * Returns every test file below `test`, by project, paths relative to the repository's root. A
 * file's imports decide, and the imports of those: who can start a process other than a chain is in
 * `process`, who can open a chain, a socket, a store or a thread in `wire`, the rest in `unit`. So
 * a file that moves needs no entry anywhere, and what is in `unit` is pure.
 */
export function testProjects(): Readonly<Record<TestProject, readonly string[]>> {
  const imports = new Map<string, readonly string[]>();
  const projects: Record<TestProject, string[]> = { process: [], wire: [], unit: [] };
  for (const file of testFiles()) projects[projectOf(reachedFrom(file, imports))].push(file);
  return projects;
}

function testFiles(): readonly string[] {
  return readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .map((path) => join('test', path))
    .filter((path) => path.endsWith('.test.ts') && !path.includes('node_modules'))
    .sort();
}

function projectOf(reached: ReadonlySet<string>): TestProject {
  if (OPENS.process.some((name) => reached.has(name))) return 'process';
  return OPENS.wire.some((name) => reached.has(name)) ? 'wire' : 'unit';
}

/** Files and packages that a file loads. */
function reachedFrom(file: string, imports: Map<string, readonly string[]>): ReadonlySet<string> {
  const reached = new Set([file]);
  for (const path of reached) {
    if (!path.endsWith('.ts')) continue;
    const known = imports.get(path) ?? importsOf(path);
    imports.set(path, known);
    for (const name of known) reached.add(name);
  }
  return reached;
}

function importsOf(path: string): readonly string[] {
  return [...readFileSync(join(ROOT, path), 'utf8').matchAll(IMPORT)]
    .map(([, from, dynamic, bare]) => from ?? dynamic ?? bare ?? '')
    .map((name) => (name.startsWith('.') ? relative(ROOT, join(ROOT, dirname(path), name)) : name))
    .filter((name) => !CHAINS.includes(path) || !OPENS.process.includes(name));
}

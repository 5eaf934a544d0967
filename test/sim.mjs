// Runs one of the long proofs: `npm run sim -- crash`, with that proof's own options behind its name.
// Makes the clone ready for it first, so that it runs on a fresh one.
import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const SOURCES = ['--import', './test/support/typescript-loader.mjs'];
/** What Node runs for each, what else is installed for it, and its environment. */
const PROOFS = {
  crash: { run: [...SOURCES, 'test/crash/main.ts'] },
  chaos: { run: [...SOURCES, 'test/chaos/main.ts'] },
  cluster: { run: [...SOURCES, 'test/cluster/main.ts'] },
  survival: {
    run: [...SOURCES, 'test/survival/main.ts'],
    needs: ['--bench'],
    env: { TEST_SAMPLES: 'all' },
  },
  simulate: { run: ['dist/test/simulate/main.js'] },
  soak: { run: [...SOURCES, 'test/security/load/soak.ts'] },
  load: { run: [...SOURCES, 'test/security/load/main.ts'] },
  fuzz: { run: [...SOURCES, 'test/security/fuzz/main.ts'] },
  'fuzz-frames': { run: ['dist/test/fuzz/frames/main.js'] },
};

const cwd = fileURLToPath(new URL('..', import.meta.url));
const [name = '', ...options] = process.argv.slice(2);
const proof = Object.hasOwn(PROOFS, name) ? PROOFS[name] : undefined;
if (proof === undefined) {
  console.error(`npm run sim -- ${Object.keys(PROOFS).join('|')}, not ${name || 'nothing'}`);
  process.exit(2);
}
const { run, needs = [], env = {} } = proof;
const prepared = spawnSync(process.execPath, ['config/prepare.mjs', '--build', ...needs], {
  cwd,
  stdio: 'inherit',
});
if (prepared.status !== 0) process.exit(prepared.status ?? 1);
// A Ctrl-C goes to both: the proof ends what it started, and this says how it ended.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined);
spawn(process.execPath, [...run, ...options], {
  cwd,
  stdio: 'inherit',
  env: { ...process.env, ...env },
}).on('exit', (code, signal) => process.exit(code ?? (signal === null ? 1 : 130)));

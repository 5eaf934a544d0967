// Makes a fresh clone runnable: installs the locked packages that are missing or whose lock changed, then compiles.
//   --start  what the daemon itself needs: packages that run, and its own sources without a check of types
//   --build  for work and tests: every package, the peers of the tests, and everything compiled with its types checked
//   --packages  what `--build` installs, without compiling: for tests that start nothing
//   --bench  with --build: also the libraries that only the benchmarks compare with
// Plain JavaScript without packages on purpose: it runs before anything is installed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const testPeers = join(root, 'test', 'peers');
const benchPeers = join(root, 'test', 'bench', 'peers');
const buildInfo = join(root, 'dist', '.tsbuildinfo');
if (Number(process.versions.node.split('.')[0]) !== 20) {
  fail(
    `predictd runs on Node 20 (the obtainable uWebSockets.js build loads there); this is ${process.version}.`,
  );
}
if (process.argv.includes('--start')) prepareStart();
if (process.argv.includes('--packages')) installForWork();
if (process.argv.includes('--build')) prepareWork();

function prepareStart() {
  if (installed(root) === null) npm('installing packages', root, ['ci', '--omit=dev'], 'start');
  // The next checked build must not take these files for its own: without its notes it writes all of them anew.
  rmSync(buildInfo, { force: true });
  compile('compiling', join(root, 'config', 'tsconfig.start.json'));
}

function prepareWork() {
  installForWork();
  compile('compiling and checking types', root);
  linkPeers();
}

function installForWork() {
  const has = installed(root);
  // What `npm start` has installed is kept, since a daemon may be running on it: `ci` would take all of it away first.
  if (has === 'start')
    npm('installing packages for tests', root, ['install', '--no-save', '--include=dev'], 'all');
  if (has === null) npm('installing packages', root, ['ci'], 'all');
  if (installed(testPeers) === null)
    npm('installing the peers of the tests', testPeers, ['ci'], 'all');
  // Not `ci`: some packages for other platforms are missing from this lock, and `ci` refuses what it could not install anyway.
  if (process.argv.includes('--bench') && installed(benchPeers) === null) {
    npm('installing the peers of the benchmarks', benchPeers, ['install', '--no-save'], 'all');
  }
}

/** Lets compiled tests and benchmarks find the peers where their sources do. */
function linkPeers() {
  const link = join(root, 'dist', 'test', 'peers', 'node_modules');
  if (existsSync(link)) return;
  mkdirSync(join(link, '..'), { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(join(testPeers, 'node_modules'), link, 'dir');
}

/** Which packages of the lock as it is now are there: `all`, those of `start`, or null for none. */
function installed(folder) {
  const file = stampFile(folder);
  if (!existsSync(file)) return null;
  const [digest, which] = readFileSync(file, 'utf8').split(' ');
  return digest === lockDigest(folder) ? which : null;
}

function npm(title, folder, how, which) {
  const digest = lockDigest(folder);
  rmSync(stampFile(folder), { force: true });
  step(title, 'npm', [...how, '--no-fund', '--no-audit', '--loglevel=error'], folder);
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  writeFileSync(stampFile(folder), `${digest} ${which}`);
}

function stampFile(folder) {
  return join(folder, 'node_modules', '.predictd-installed');
}

function lockDigest(folder) {
  return createHash('sha256')
    .update(readFileSync(join(folder, 'package.json')))
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
}

function compile(title, project) {
  step(title, process.execPath, [
    join(root, 'node_modules', 'typescript', 'bin', 'tsc'),
    '-p',
    project,
  ]);
}

function step(title, command, args, folder = root) {
  const started = Date.now();
  process.stderr.write(`predictd: ${title} ...\n`);
  const result = spawnSync(command, args, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
  if (result.status !== 0) fail(`${title} failed (exit ${result.status ?? result.signal}).`);
  process.stderr.write(
    `predictd: ${title} done in ${((Date.now() - started) / 1000).toFixed(1)} s\n`,
  );
}

function fail(sentence) {
  process.stderr.write(`predictd: ${sentence}\n`);
  process.exit(1);
}

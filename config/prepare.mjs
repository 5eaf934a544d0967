// Makes a fresh clone runnable: installs the locked packages that are missing or whose lock
// changed, then compiles what changed.
//   --start     what the daemon itself needs: its packages, and its own sources without a check of
//               types
//   --build     for work and tests: also the peers and the browser of the tests, and everything
//               compiled with its types checked
//   --packages  what --build installs, without compiling: for tests that start nothing
//   --bench     with --build: also the libraries that only the benchmarks compare with
//   --node24    with --build: also Node 24, for the tests under it
//   --mutate    with --packages: also what mutates the sources
// Plain JavaScript without packages on purpose: it runs before anything is installed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { buildData, isDataBuilt } from './build-data.mjs';
import { buildWeb, isWebBuilt } from './build-web.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const testPeers = join(root, 'test', 'peers');
const benchPeers = join(root, 'test', 'bench', 'peers');
const journeys = join(root, 'test', 'journeys');
const grafana = join(root, 'test', 'grafana');
const deploy = join(root, 'test', 'deploy');
const postgres = join(root, 'test', 'postgres');
const mutation = join(root, 'test', 'mutation');
const node24 = join(root, 'test', 'node24');
const dist = join(root, 'dist');
/** Where the compiler writes: a program that loads `dist` meanwhile never meets half a file. */
const fresh = join(root, 'dist.next');
/** What the compiler knows of its last checked build; without it everything is written anew. */
const BUILD_INFO = '.tsbuildinfo';
/**
 * Digests of the sources that `dist` was compiled from: those of the daemon, and those with the
 * tests.
 */
const STAMP = '.compiled';
const RUNNING = ['src', 'machines', 'streams', 'config'];
/** Versions of Node that it is tried on, each from the first one that has all that is used. */
const NODES = [
  [20, 12],
  [22, 0],
  [24, 0],
];
const [major, minor] = process.versions.node.split('.').map(Number);
if (!NODES.some(([known, first]) => major === known && minor >= first)) {
  fail(`predictd runs on Node 20 (from 20.12), 22 and 24; this is ${process.version}.`);
}
await alone();
if (process.argv.includes('--start')) prepareStart();
if (process.argv.includes('--packages')) installForWork();
if (process.argv.includes('--build')) prepareWork();
if (process.argv.includes('--start') || process.argv.includes('--build')) await preparePages();

function prepareStart() {
  installPackages();
  if (!isDataBuilt()) buildData();
  const start = sourcesDigest(RUNNING);
  if (stampOfDist().start === start) return;
  compile('compiling', join(root, 'config', 'tsconfig.start.json'));
  replaceCompiled({ start });
}

function prepareWork() {
  installForWork();
  if (!isDataBuilt()) buildData();
  const stamp = {
    start: sourcesDigest(RUNNING),
    build: sourcesDigest([...RUNNING, 'test'], /\.(tsx?|json|mjs)$/),
  };
  if (stampOfDist().build !== stamp.build) {
    compile('compiling and checking types', root, ['--tsBuildInfoFile', join(fresh, BUILD_INFO)]);
    // the pages know the calls of the daemon by their types: a changed route may break one
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    step('checking the types of the pages', process.execPath, [tsc, '-p', join('src', 'web')]);
    replaceCompiled(stamp);
  }
  linkPeers();
}

/** What the pages are made of decides whether they are built: a start without a change builds nothing. */
async function preparePages() {
  if (isWebBuilt()) return;
  const started = Date.now();
  process.stderr.write('predictd: building the pages ...\n');
  await buildWeb();
  process.stderr.write(
    `predictd: building the pages done in ${((Date.now() - started) / 1000).toFixed(1)} s\n`,
  );
}

/**
 * All packages of the lock: what a daemon runs on and what it is built with. A second install would
 * take away what a daemon may be running on.
 */
function installPackages() {
  if (!isInstalled(root)) npm('installing packages', root, ['ci', '--include=dev']);
}

function installForWork() {
  installPackages();
  if (!isInstalled(testPeers)) npm('installing the peers of the tests', testPeers, ['ci']);
  if (!isInstalled(grafana)) npm('installing what builds the dashboards', grafana, ['ci']);
  if (!isInstalled(deploy)) npm('installing what reads the deployment', deploy, ['ci']);
  if (process.argv.includes('--build') && !isInstalled(journeys))
    npm('installing the browser of the tests', journeys, ['ci']);
  if (process.argv.includes('--build') && !isInstalled(postgres))
    npm('installing the PostgreSQL of the tests', postgres, ['ci']);
  // Not `ci`: some packages for other platforms are missing from this lock, and `ci` refuses what
  // it could not install anyway.
  if (process.argv.includes('--bench') && !isInstalled(benchPeers)) {
    npm('installing the peers of the benchmarks', benchPeers, ['install', '--no-save']);
  }
  if (process.argv.includes('--mutate') && !isInstalled(mutation))
    npm('installing what mutates the sources', mutation, ['ci']);
  if (process.argv.includes('--node24') && !isInstalled(node24))
    npm('installing Node 24', node24, ['ci']);
}

/** Lets compiled tests and benchmarks find the peers where their sources do. */
function linkPeers() {
  const link = join(root, 'dist', 'test', 'peers', 'node_modules');
  if (existsSync(link)) return;
  mkdirSync(join(link, '..'), { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(join(testPeers, 'node_modules'), link, 'dir');
}

/** Reports whether the packages of a folder's lock as it is now are there. */
function isInstalled(folder) {
  const file = stampFile(folder);
  return existsSync(file) && readFileSync(file, 'utf8').split(' ')[0] === lockDigest(folder);
}

function npm(title, folder, how) {
  const digest = lockDigest(folder);
  rmSync(stampFile(folder), { force: true });
  step(title, 'npm', [...how, '--no-fund', '--no-audit', '--loglevel=error'], folder);
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  writeFileSync(stampFile(folder), digest);
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

/**
 * Compiles into the folder beside `dist`, which is empty then but for the notes of the last checked
 * build.
 */
function compile(title, project, options = []) {
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh);
  if (existsSync(join(dist, BUILD_INFO)))
    copyFileSync(join(dist, BUILD_INFO), join(fresh, BUILD_INFO));
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  step(title, process.execPath, [tsc, '-p', project, '--outDir', fresh, ...options]);
}

/**
 * Moves what was compiled into `dist` file by file, and takes away what has no source any more.
 * What is cut off in between has no stamp.
 */
function replaceCompiled(stamp) {
  mkdirSync(dist, { recursive: true });
  const notes = join(fresh, BUILD_INFO);
  for (const file of [STAMP, BUILD_INFO]) rmSync(join(dist, file), { force: true });
  for (const file of filesBelow(fresh)) {
    if (file === BUILD_INFO) continue;
    mkdirSync(join(dist, file, '..'), { recursive: true });
    renameSync(join(fresh, file), join(dist, file));
  }
  for (const file of filesBelow(dist)) {
    // pages and data are built by steps of their own
    if (file.startsWith('web/') || file.startsWith('data/')) continue;
    const source = file.replace(/\.js(\.map)?$/, '.ts');
    if (!existsSync(join(root, source))) rmSync(join(dist, file));
  }
  // A start checks no types and leaves the tests out: the next checked build must not take its
  // files for its own.
  if ('build' in stamp) renameSync(notes, join(dist, BUILD_INFO));
  writeFileSync(join(dist, STAMP), JSON.stringify(stamp));
  rmSync(fresh, { recursive: true });
}

/** What `dist` was compiled from; nothing where that is not known. */
function stampOfDist() {
  const file = join(dist, STAMP);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

/** Digest of all that decides what the compiler writes: sources, its settings, and its version. */
function sourcesDigest(folders, pattern = /\.(ts|json|mjs)$/) {
  const digest = createHash('sha256');
  const sources = folders.flatMap((folder) => filesBelow(root, folder)).sort();
  const decisive = sources.filter((file) => pattern.test(file));
  for (const file of ['tsconfig.json', 'package-lock.json', ...decisive]) {
    const bytes = readFileSync(join(root, file));
    digest.update(`${file} ${bytes.length}\n`).update(bytes);
  }
  return digest.digest('hex');
}

/** Paths of the files below a folder, but of packages. */
function filesBelow(base, folder = '') {
  return readdirSync(join(base, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.name === 'node_modules') return [];
    return entry.isDirectory() ? filesBelow(base, path) : [path];
  });
}

/**
 * Waits until no other process prepares this clone. The kernel gives the name, or the file, back with the
 * process, however it ends.
 */
async function alone() {
  for (let tries = 0; ; tries += 1) {
    try {
      return process.platform === 'linux' ? await takeName() : takeFile();
    } catch (error) {
      if (error.code !== 'EADDRINUSE' && error.code !== 'EAGAIN') throw error;
      if (tries === 0)
        process.stderr.write(
          'predictd: waiting for another start or test that prepares this clone ...\n',
        );
      await wait(200);
    }
  }
}

/** Takes a name that Linux keeps beside the file system. */
function takeName() {
  const { dev, ino } = statSync(root, { bigint: true });
  const server = createServer().unref();
  server.listen(`\0predictd-prepare:${dev}:${ino}`);
  return once(server, 'listening');
}

/** Opens a file for this process alone: 0x20 is O_EXLOCK of macOS (open(2)), not in Node's list. */
function takeFile() {
  const { O_CREAT, O_NONBLOCK, O_RDWR } = constants;
  return openSync(join(root, '.prepare.lock'), O_RDWR | O_CREAT | O_NONBLOCK | 0x20, 0o600);
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

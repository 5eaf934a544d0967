// Makes a fresh clone runnable: installs the locked packages when they are missing or the lock changed, then compiles.
// With --bench also the libraries that the benchmarks compare with, which nothing else needs.
// Plain JavaScript without packages on purpose: it runs before anything is installed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
if (Number(process.versions.node.split('.')[0]) !== 20) {
  fail(`predictd runs on Node 20 (the obtainable uWebSockets.js build loads there); this is ${process.version}.`);
}
install('installing packages', root, ['ci']);
// Not `ci`: some packages for other platforms are missing from this lock, and `ci` refuses what it could not install anyway.
if (process.argv.includes('--bench')) install('installing the peers of the benchmarks', join(root, 'test', 'bench', 'peers'), ['install', '--no-save']);
if (process.argv.includes('--build')) {
  step('compiling', process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', root]);
}

function install(title, folder, how) {
  const stampFile = join(folder, 'node_modules', '.predictd-installed');
  const lockDigest = createHash('sha256')
    .update(readFileSync(join(folder, 'package.json')))
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === lockDigest) return;
  step(title, 'npm', [...how, '--no-fund', '--no-audit', '--loglevel=error'], folder);
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  writeFileSync(stampFile, lockDigest);
}

function step(title, command, args, folder = root) {
  const started = Date.now();
  process.stderr.write(`predictd: ${title} ...\n`);
  const result = spawnSync(command, args, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
  if (result.status !== 0) fail(`${title} failed (exit ${result.status ?? result.signal}).`);
  process.stderr.write(`predictd: ${title} done in ${((Date.now() - started) / 1000).toFixed(1)} s\n`);
}

function fail(sentence) {
  process.stderr.write(`predictd: ${sentence}\n`);
  process.exit(1);
}

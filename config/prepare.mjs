// Makes a fresh clone runnable: installs the locked packages when they are missing or the lock changed, then compiles.
// Plain JavaScript without packages on purpose: it runs before anything is installed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const stampFile = join(root, 'node_modules', '.predictd-installed');
const lockDigest = createHash('sha256')
  .update(readFileSync(join(root, 'package.json')))
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex');

if (Number(process.versions.node.split('.')[0]) !== 20) {
  fail(`predictd runs on Node 20 (the obtainable uWebSockets.js build loads there); this is ${process.version}.`);
}
if (!existsSync(stampFile) || readFileSync(stampFile, 'utf8') !== lockDigest) {
  step('installing packages', 'npm', ['ci', '--no-fund', '--no-audit', '--loglevel=error']);
  mkdirSync(join(root, 'node_modules'), { recursive: true });
  writeFileSync(stampFile, lockDigest);
}
if (process.argv.includes('--build')) {
  step('compiling', process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', root]);
}

function step(title, command, args) {
  const started = Date.now();
  process.stderr.write(`predictd: ${title} ...\n`);
  const result = spawnSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  if (result.status !== 0) fail(`${title} failed (exit ${result.status ?? result.signal}).`);
  process.stderr.write(`predictd: ${title} done in ${((Date.now() - started) / 1000).toFixed(1)} s\n`);
}

function fail(sentence) {
  process.stderr.write(`predictd: ${sentence}\n`);
  process.exit(1);
}

// For work: compiles on every change and restarts the daemon when a compiled file changed.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
// What the watch writes from here on is not what `prepare.mjs` has noted.
rmSync(join(root, 'dist', '.compiled'), { force: true });
const children = [
  spawn(
    process.execPath,
    [
      join(root, 'node_modules', 'typescript', 'bin', 'tsc'),
      '-p',
      root,
      '--watch',
      '--preserveWatchOutput',
    ],
    { cwd: root, stdio: 'inherit' },
  ),
  spawn(
    process.execPath,
    ['--watch', '--watch-preserve-output', join(root, 'dist', 'src', 'main.js')],
    { cwd: root, stdio: 'inherit' },
  ),
];
for (const child of children) child.on('exit', (code) => process.exit(code ?? 0));
process.on('SIGINT', () => children.forEach((child) => child.kill('SIGINT')));

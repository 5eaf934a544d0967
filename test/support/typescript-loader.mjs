// Lets a child process of a test run the sources as they are: `node --import <this file> child.ts`.
// Types are cut out by the same compiler the tests run through; nothing is checked here.
import { readFile } from 'node:fs/promises';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';

if (!import.meta.url.includes('?hooks')) register(`${import.meta.url}?hooks`);

export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
  const { transformWithOxc } = await import('vite');
  const file = fileURLToPath(url);
  const { code } = await transformWithOxc(await readFile(file, 'utf8'), file, {
    tsconfig: false,
    sourcemap: false,
  });
  return { format: 'module', source: code, shortCircuit: true };
}

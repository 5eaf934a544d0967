// Prints ranges of source lines for `npm run mutate -- --mutate`, drawn by a seed:
//   node test/mutation/sample.mjs <seed> <count> <file or folder> ...
// Each is WINDOW lines of a file, every line as likely as another, so that the mutants within tell
// about all of them. Plain JavaScript without packages: it runs before anything is compiled.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const WINDOW = 6;
const [seed = '1', count = '20', ...paths] = process.argv.slice(2);

const windows = paths.flatMap(sourcesBelow).flatMap((file) => {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n').length;
  return Array.from({ length: Math.ceil(lines / WINDOW) }, (_, index) => {
    const first = index * WINDOW + 1;
    return `${file}:${first}-${Math.min(lines, first + WINDOW - 1)}`;
  });
});
const next = mulberry32(Number(seed));
const drawn = windows
  .map((range) => ({ range, at: next() }))
  .sort((a, b) => a.at - b.at)
  .slice(0, Number(count))
  .map(({ range }) => range);
process.stdout.write(`${drawn.join(',')}\n`);

function sourcesBelow(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((name) => join(path, name));
}

/** Mulberry32: numbers from 0 to 1, the same for the same seed on every machine. */
function mulberry32(state) {
  let a = state;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

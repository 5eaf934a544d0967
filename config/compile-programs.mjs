// Compiles the sandbox's Solana programs (`.c` below src/sandbox) with clang's BPF target, links
// them, and writes one artifact for each beside its source: the program, and the digest of all it
// was made from. Needs clang 14 (Debian's `clang`). With --check nothing is compiled: it fails,
// naming them, where a source is not the one its artifact was made from.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { linkProgram } from './link-program.mjs';

const sandbox = fileURLToPath(new URL('../src/sandbox/', import.meta.url));
const shared = join(sandbox, 'chains', 'solana', 'programs');
const linker = fileURLToPath(new URL('link-program.mjs', import.meta.url));
const sources = readdirSync(sandbox, { recursive: true })
  .filter((name) => name.endsWith('.c'))
  .map((name) => join(sandbox, name));
const differing = [];
for (const source of sources) {
  const file = source.replace(/\.c$/, '.json');
  const madeFrom = digestOf([source, join(shared, 'program.h'), linker]);
  const known = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
  if (known?.madeFrom === madeFrom) continue;
  differing.push(basename(source));
  if (process.argv.includes('--check')) continue;
  const program = compile(source);
  const text = { program: basename(source, '.c'), madeFrom, base64: program.toString('base64') };
  writeFileSync(file, `${JSON.stringify(text, null, 1)}\n`);
  process.stdout.write(`${basename(source)}: ${program.length} bytes\n`);
}
if (process.argv.includes('--check') && differing.length > 0) {
  process.stderr.write(
    `not what the source gives: ${differing.join(', ')}; run node config/compile-programs.mjs\n`,
  );
  process.exit(1);
}

function compile(source) {
  const folder = mkdtempSync(join(tmpdir(), 'predictd-program-'));
  try {
    const object = join(folder, 'program.o');
    const flags = [
      '-target',
      'bpf',
      '-O2',
      '-fno-builtin',
      '-g0',
      '-Wall',
      '-Werror',
      '-I',
      shared,
    ];
    const result = spawnSync('clang', [...flags, '-c', source, '-o', object], { stdio: 'inherit' });
    if (result.status !== 0) process.exit(1);
    return linkProgram(readFileSync(object));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function digestOf(files) {
  const digest = createHash('sha256');
  for (const file of files) digest.update(readFileSync(file));
  return digest.digest('hex');
}

import { fork } from 'node:child_process';
import { cpus, loadavg, totalmem } from 'node:os';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BENCH_NAMES } from './row.ts';
import type { BenchName, ChildAnswer, Row } from './row.ts';
import { tableOf } from './table.ts';

/** A benchmark that takes longer has hung: the slowest needs some minutes on two cores. */
const TIME_LIMIT_MS = 20 * 60_000;
const CHILD = fileURLToPath(new URL(`./child${extname(import.meta.url)}`, import.meta.url));

/** What became of one benchmark. */
type Outcome =
  | { readonly rows: readonly Row[]; readonly failure: null }
  | { readonly rows: readonly []; readonly failure: string };

const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !BENCH_NAMES.some((known) => known === name));
if (unknown.length > 0) {
  console.error(
    `bench: no benchmark is called ${unknown.join(', ')}; there are ${BENCH_NAMES.join(', ')}`,
  );
  process.exit(2);
}
process.exitCode = (await runAll(
  chosen.length === 0 ? BENCH_NAMES : BENCH_NAMES.filter((name) => chosen.includes(name)),
))
  ? 0
  : 1;

/** Runs the benchmarks one after another and prints what they found; true when none failed. */
async function runAll(names: readonly BenchName[]): Promise<boolean> {
  console.log(`${machine()}\n`);
  const rows: Row[] = [];
  const failures: string[] = [];
  for (const name of names) {
    const startedAt = performance.now();
    const outcome = await runOne(name);
    rows.push(...outcome.rows);
    if (outcome.failure !== null) failures.push(`${name} failed: ${outcome.failure}`);
    console.error(
      `bench: ${name} ${outcome.failure === null ? 'done' : `failed (${outcome.failure})`} after ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`,
    );
  }
  if (rows.length > 0) console.log(tableOf(rows));
  for (const failure of failures) console.log(`\n${failure}`);
  return failures.length === 0;
}

function runOne(name: BenchName): Promise<Outcome> {
  return new Promise((resolve) => {
    // What a benchmark prints goes beside the table, not into it. Advanced serialisation keeps NaN.
    const child = fork(CHILD, [name], {
      stdio: ['ignore', 2, 2, 'ipc'],
      serialization: 'advanced',
    });
    const limit = setTimeout(() => child.kill('SIGKILL'), TIME_LIMIT_MS);
    let answer: ChildAnswer | null = null;
    child.on('message', (message) => {
      answer = message as ChildAnswer; // the child sends exactly one, of this type
    });
    child.on('error', (cause) => {
      clearTimeout(limit);
      resolve({ rows: [], failure: cause.message });
    });
    child.on('exit', (code, signal) => {
      clearTimeout(limit);
      if (answer !== null && code === 0) return resolve({ rows: answer.rows, failure: null });
      resolve({
        rows: [],
        failure:
          signal === null
            ? `its process ended with code ${String(code)}`
            : `its process was ended by ${signal}`,
      });
    });
  });
}

function machine(): string {
  const processors = cpus();
  const load = loadavg()
    .map((value) => value.toFixed(2))
    .join(' ');
  return `machine: ${processors[0]?.model.trim() ?? 'unknown processor'}, ${processors.length} cores, ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform} ${process.arch}, node ${process.version}, load average ${load} at the start`;
}

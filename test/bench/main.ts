import { cpus, loadavg, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { runAgainst } from './against.ts';
import { readBenchOptions, type BenchOptions } from './options.ts';
import { buildCommit } from './other-build.ts';
import type { BenchName, Row } from './row.ts';
import { runOne } from './run-one.ts';
import { tableOf } from './table.ts';

/** The folder with `dist`, in which this file is compiled to `dist/test/bench`. */
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

try {
  process.exitCode = (await run(readBenchOptions(process.argv.slice(2)))) ? 0 : 1;
} catch (error) {
  console.error(`bench: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 2;
}

/** Runs what was asked for; true when nothing failed. */
function run({ names, against, rounds }: BenchOptions): Promise<boolean> {
  const other = against === null ? null : buildCommit(ROOT, against);
  console.log(`${machine()}\n`);
  return other === null ? runAll(names) : runAgainst(ROOT, other, { names, rounds });
}

/** Runs the benchmarks one after another and prints what they found; true when none failed. */
async function runAll(names: readonly BenchName[]): Promise<boolean> {
  const rows: Row[] = [];
  const failures: string[] = [];
  for (const name of names) {
    const startedAt = performance.now();
    const outcome = await runOne(name, ROOT);
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

function machine(): string {
  const processors = cpus();
  const load = loadavg()
    .map((value) => value.toFixed(2))
    .join(' ');
  return `machine: ${processors[0]?.model.trim() ?? 'unknown processor'}, ${processors.length} cores, ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform} ${process.arch}, node ${process.version}, load average ${load} at the start`;
}

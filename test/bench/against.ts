import type { OtherBuild } from './other-build.ts';
import { compare, comparisonTable, type Compared, type Runs } from './comparison.ts';
import type { BenchName, Row } from './row.ts';
import { runOne } from './run-one.ts';

/**
 * Runs benchmarks of another commit and of the sources in turns and prints how they compare; true
 * when none failed. Who goes first changes from round to round, so that a machine that grows slower
 * favours neither.
 */
export async function runAgainst(
  root: string,
  other: OtherBuild,
  { names, rounds }: { readonly names: readonly BenchName[]; readonly rounds: number },
): Promise<boolean> {
  const compared: Compared[] = [];
  const remarks: string[] = [];
  const failures: string[] = [];
  for (const name of names) {
    const runs = { before: [] as (readonly Row[])[], after: [] as (readonly Row[])[] };
    const failure = await inTurns(name, { root, other, rounds, runs });
    if (failure !== null) {
      failures.push(`${name} failed ${failure}`);
      continue;
    }
    const found = compare(runs);
    compared.push(...found.compared);
    remarks.push(...found.missing.map((work) => `not in every run of both: ${work}`));
  }
  if (compared.length > 0) console.log(comparisonTable(compared, other.commit));
  for (const line of [...remarks, ...failures]) console.log(`\n${line}`);
  return failures.length === 0;
}

async function inTurns(
  name: BenchName,
  {
    root,
    other,
    rounds,
    runs,
  }: {
    readonly root: string;
    readonly other: OtherBuild;
    readonly rounds: number;
    readonly runs: { readonly [Side in keyof Runs]: (readonly Row[])[] };
  },
): Promise<string | null> {
  const sides = [
    { folder: other.folder, where: `at ${other.commit}`, into: runs.before },
    { folder: root, where: 'now', into: runs.after },
  ];
  for (let round = 0; round < rounds; round += 1) {
    console.error(`bench: ${name}, round ${round + 1} of ${rounds}`);
    for (const { folder, where, into } of round % 2 === 0 ? sides : [...sides].reverse()) {
      const { rows, failure } = await runOne(name, folder);
      if (failure !== null) return `${where}: ${failure}`;
      into.push(rows);
    }
  }
  return null;
}

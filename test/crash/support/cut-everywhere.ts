import { availableParallelism } from 'node:os';
import type { ListedScenario } from '../scenarios/table.ts';
import { ask, startChild } from './child-processes.ts';
import { cutInModel, whatDiffers, type CutFailure, type CutReport } from './cut-model.ts';
import { createMemoryDisk } from './disk.ts';
import type { CutPoint } from './live-through.ts';

/** Failures of a scenario that are printed; the rest is counted. */
const PRINTED = 5;

/**
 * Cuts the power at every point of the scenarios in the model, or has another process take over at
 * each, a process for each core, and prints the table; true when all came right.
 */
export async function cutEverywhere(
  all: readonly ListedScenario[],
  kind: 'cut' | 'take_over' = 'cut',
): Promise<boolean> {
  const listed = all.filter(({ scenario }) => kind === 'cut' || scenario.takesOver);
  const startedAt = performance.now();
  const waiting = [...listed];
  const reports: CutReport[] = [];
  await Promise.all(
    Array.from({ length: Math.min(availableParallelism(), listed.length) }, async () => {
      const child = startChild();
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const {
          file,
          scenario: { name, family },
        } = next;
        const answer = await ask(child, { kind, file, name });
        const report =
          answer.kind === 'cut'
            ? answer.report
            : {
                name,
                family,
                writes: 0,
                points: 0,
                cuts: 0,
                failures: [{ point: null, why: JSON.stringify(answer) }],
              };
        reports.push(report);
        tell(report);
        if (answer.kind === 'ended')
          throw new Error(`the process that cut ${name} ended with ${answer.signal}`);
      }
      child.disconnect();
    }),
  );
  console.log(
    tableOf(listed.flatMap(({ scenario }) => reports.filter(({ name }) => name === scenario.name))),
  );
  const [cuts, failed] = [
    sum(reports, ({ cuts }) => cuts),
    sum(reports, ({ failures }) => failures.length),
  ];
  console.log(
    `\n${reports.length} scenarios, ${sum(reports, ({ writes }) => writes)} durable writes, ${cuts} of ${sum(reports, ({ points }) => points)} points ${kind === 'cut' ? 'cut at' : 'taken over at'} in the model in ${((performance.now() - startedAt) / 60_000).toFixed(1)} min, ${failed} not equal\n`,
  );
  return failed === 0;
}

/** Cuts one scenario at one point and prints what came of it; true when it came right. */
export async function replay({ scenario }: ListedScenario, point: CutPoint): Promise<boolean> {
  const report = await cutInModel(scenario, () => []);
  const whole = await scenario.live(createMemoryDisk(), null);
  const cut = await scenario.live(createMemoryDisk(), point);
  const why = whatDiffers(cut, whole);
  console.log(
    why === null
      ? `${scenario.name}, ${point.moment} write ${point.write} of ${report.writes}: equal, ${cut.lives} lives`
      : `${scenario.name}, ${point.moment} write ${point.write} of ${report.writes}: differs\n${why}`,
  );
  return why === null && report.failures.length === 0;
}

/** How a point is cut at again. */
export function commandFor(name: string, point: CutPoint | null): string {
  const at = point === null ? '' : ` --at ${point.write} --${point.moment}`;
  return `npm run sim -- crash --scenario ${name}${at}${point?.isTakenOver === true ? ' --takeover' : ''}`;
}

function tell({ name, failures }: CutReport): void {
  failures
    .slice(0, PRINTED)
    .forEach((failure: CutFailure) =>
      console.log(
        `${name}: FOUND, again by: ${commandFor(name, failure.point)}\n  ${failure.why.split('\n').join('\n  ')}`,
      ),
    );
  if (failures.length > PRINTED) console.log(`${name}: and ${failures.length - PRINTED} more`);
}

function tableOf(reports: readonly CutReport[]): string {
  const rows = reports.map(
    ({ family, name, writes, cuts, failures }) =>
      `| ${family} | ${name} | ${writes} | ${cuts} | ${failures.length === 0 ? 'all' : `**all but ${failures.length}**`} |`,
  );
  return [
    '| family | scenario | writes | cuts | equal |',
    '| --- | --- | ---: | ---: | --- |',
    ...rows,
  ].join('\n');
}

function sum<T>(all: readonly T[], of: (one: T) => number): number {
  return all.reduce((total, one) => total + of(one), 0);
}

import { availableParallelism } from 'node:os';
import type { ListedScenario } from '../scenarios/table.ts';
import { commandFor } from './cut-everywhere.ts';
import { sample } from './cut-model.ts';
import { deadly, killInTurn, liveWholes, type Killed, type Killing } from './kill-processes.ts';
import type { CutPoint } from './live-through.ts';

/**
 * At how many points of each scenario processes are killed, chosen by its name; or at which one.
 */
export interface KillChoice {
  readonly each: number;
  readonly only?: CutPoint;
}

/**
 * Kills processes over LMDB at points of the scenarios, one at a time for each core, and prints
 * what came of it; true when all came right.
 */
export async function killEverywhere(
  listed: readonly ListedScenario[],
  { each, only }: KillChoice,
): Promise<boolean> {
  const startedAt = performance.now();
  const chosen = listed.map(({ file, scenario: { name } }) => ({ file, name }));
  const wholes = await liveWholes(chosen);
  const waiting: Killing[] = chosen.flatMap(({ file, name }) => {
    const points = deadly(wholes.get(name)?.points ?? []);
    return (
      only === undefined ? sample(`killed ${name}`, Math.min(each, points.length))(points) : [only]
    ).map((point) => ({ file, name, point }));
  });
  const killings = waiting.length;
  const killed: Killed[] = [];
  function* turns(): Generator<Killing> {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) yield next;
  }
  await Promise.all(
    Array.from({ length: Math.min(availableParallelism(), killings) }, () =>
      killInTurn(turns(), wholes, (one) => {
        killed.push(one);
        if (one.failure !== null)
          console.log(
            `${one.name}: FOUND, again by: ${commandFor(one.name, one.point)} --killed\n  ${one.failure.split('\n').join('\n  ')}`,
          );
        if (killed.length % 50 === 0)
          console.error(`crash: ${killed.length} of ${killings} processes killed`);
      }),
    ),
  );
  const failed = killed.filter(({ failure }) => failure !== null).length;
  console.log(
    `${killed.length} processes of ${chosen.length} scenarios killed by SIGKILL over LMDB in ${((performance.now() - startedAt) / 60_000).toFixed(1)} min, ${failed} not equal\n`,
  );
  return failed === 0;
}

import type { Lived } from '../scenarios/scenario.ts';
import { scenarioIn, type ScenarioFile } from '../scenarios/table.ts';
import { cutInModel, takenOver, type CutReport } from './cut-model.ts';
import { createMemoryDisk } from './disk.ts';
import type { CutPoint } from './live-through.ts';
import { createDeadlyDisk, createSucceedingDisk } from './lmdb-disk.ts';

/** Which scenario a child is asked about. */
export interface OfScenario {
  readonly file: ScenarioFile;
  readonly name: string;
}

/**
 * What a child is asked to do: cut a scenario everywhere in the model, have its process replaced
 * everywhere, live it uncut there, live it until it is killed, or go on where another was killed.
 */
export type ChildTask = OfScenario &
  (
    | { readonly kind: 'cut' | 'take_over' | 'whole' }
    | { readonly kind: 'die' | 'succeed'; readonly point: CutPoint; readonly folder: string }
  );

/** What it came to; a child that is to die says something only when it did not. */
export type ChildAnswer =
  | { readonly kind: 'cut'; readonly report: CutReport }
  | { readonly kind: 'lived'; readonly lived: Lived }
  | { readonly kind: 'failed'; readonly why: string };

process.on('message', (task) => {
  // The parent sends tasks alone.
  void perform(task as ChildTask)
    .catch(
      (error: unknown): ChildAnswer => ({
        kind: 'failed',
        why: error instanceof Error ? (error.stack ?? error.message) : String(error),
      }),
    )
    .then((answer) => process.send?.(answer));
});
process.on('disconnect', () => process.exit(0));

async function perform(task: ChildTask): Promise<ChildAnswer> {
  const scenario = await scenarioIn(task.file, task.name);
  switch (task.kind) {
    case 'cut':
      return { kind: 'cut', report: await cutInModel(scenario) };
    case 'take_over':
      return { kind: 'cut', report: await cutInModel(scenario, takenOver) };
    case 'whole':
      return { kind: 'lived', lived: await scenario.live(createMemoryDisk(), null) };
    case 'die':
      return {
        kind: 'lived',
        lived: await scenario.live(createDeadlyDisk(task.folder), task.point),
      };
    case 'succeed': {
      const disk = createSucceedingDisk(task.folder);
      const lived = await scenario.live(disk, task.point);
      await disk.forget();
      return { kind: 'lived', lived };
    }
  }
}

import { simulate, type SimulationResult } from './simulation.ts';

/** What a worker is asked. */
export interface WorkerTask {
  readonly seed: number;
  readonly days: number;
  /** 1, or 2 that take turns at one log. */
  readonly machines: number;
}

/** What it answers: a result, or the words of what ended the run. */
export type WorkerAnswer =
  /** `cpuMs` is what the processor worked for it, all threads of the process together. */
  | {
      readonly seed: number;
      readonly result: SimulationResult;
      readonly cpuMs: number;
      readonly failure: null;
    }
  | { readonly seed: number; readonly result: null; readonly failure: string };

// Something that was not awaited has failed: in the daemon it would be the end of the process, so
// it is the end of the run.
let running: number | null = null;
process.on('unhandledRejection', (cause) => fail(cause));
process.on('uncaughtException', (cause) => fail(cause));

function fail(cause: unknown): void {
  process.send?.(
    {
      seed: running ?? 0,
      result: null,
      failure: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause),
    } satisfies WorkerAnswer,
    () => process.exit(1),
  );
}

process.on('message', (task: WorkerTask) => {
  running = task.seed;
  const before = process.cpuUsage();
  simulate(task.seed, task.days, task.machines).then((result) => {
    const { user, system } = process.cpuUsage(before);
    process.send?.({
      seed: task.seed,
      result,
      cpuMs: (user + system) / 1_000,
      failure: null,
    } satisfies WorkerAnswer);
  }, fail);
});

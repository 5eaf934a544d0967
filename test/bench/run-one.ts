import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { BenchName, ChildAnswer, Row } from './row.ts';

/** A benchmark that takes longer has hung: the slowest needs some minutes on two cores. */
const TIME_LIMIT_MS = 20 * 60_000;

/** What became of one benchmark. */
export type Outcome =
  | { readonly rows: readonly Row[]; readonly failure: null }
  | { readonly rows: readonly []; readonly failure: string };

/** Runs one benchmark of the build in `folder`, in a process of its own. */
export function runOne(name: BenchName, folder: string): Promise<Outcome> {
  return new Promise((resolve) => {
    // What a benchmark prints goes beside the table, not into it. Advanced serialisation keeps NaN.
    const child = fork(join(folder, 'dist', 'test', 'bench', 'child.js'), [name], {
      cwd: folder,
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

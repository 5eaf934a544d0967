import { parentPort, workerData } from 'node:worker_threads';
import { assert } from '../../domain/errors.ts';
import type { CatchUpAnswer } from './catch-up.ts';
import type { DrainedFile } from './drain.ts';
import { bringInFile } from './drain.ts';
import { openEnvironment } from './environment.ts';

// The thread of `createCatchUp`, which gives the folder, then a file at a time, and null at the
// end.
const port = parentPort;
assert(port !== null, 'the catch-up is a thread of the store');
const path = workerData as string;
const { tables, close } = await openEnvironment(path);

port.on('message', (left: DrainedFile | null) => {
  void (left === null
    ? close().finally(() => port.close())
    : bringInFile(tables, path, left)
        .then(() => null, failureOf)
        .then((answer) => port.postMessage(answer)));
});

function failureOf(cause: unknown): CatchUpAnswer {
  const code: unknown =
    typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : null;
  return { message: cause instanceof Error ? cause.message : String(cause), code };
}

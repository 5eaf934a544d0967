import { parentPort, workerData } from 'node:worker_threads';
import { assert } from '../../domain/errors.ts';
import type { CatchUpAnswer } from './catch-up.ts';
import { openEnvironment } from './environment.ts';
import { follow, type Following } from './follow.ts';
import { logFolder } from './segment-log.ts';
import { commitsAfter, packSegments } from './segments.ts';

// The thread of `createCatchUp`, which gives the folder, then how far to go, and null at the end.
const port = parentPort;
assert(port !== null, 'the catch-up is a thread of the store');
const path = workerData as string;
const { tables, close } = await openEnvironment(path);

port.on('message', (following: Following | null) => {
  void (following === null
    ? close().finally(() => port.close())
    : catchUp(following)
        .then(() => null, failureOf)
        .then((answer) => port.postMessage(answer)));
});

async function catchUp(following: Following): Promise<void> {
  const folder = logFolder(path);
  await follow(tables, commitsAfter(folder, tables.applied()), following);
  packSegments(folder, tables.applied().seq, true);
}

function failureOf(cause: unknown): CatchUpAnswer {
  const code: unknown =
    typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : null;
  return { message: cause instanceof Error ? cause.message : String(cause), code };
}

// Loaded into a daemon under soak: collects all garbage every so often and writes down what is
// left. At SIGUSR2 it writes a heap snapshot down as well, and then says so.
import { appendFileSync, readFileSync } from 'node:fs';
import { setFlagsFromString, writeHeapSnapshot } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

const file = process.env.SOAK_REPORT ?? '';
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const kilobytes = (status, name) =>
  Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) * 1_024;
let snapshots = 0;

/** Threads load it too, and have a heap of their own. */
if (isMainThread)
  setInterval(() => {
    collect();
    const { heapUsed, external, arrayBuffers } = process.memoryUsage();
    const status = readFileSync('/proc/self/status', 'utf8');
    appendFileSync(
      file,
      `${JSON.stringify({ atMs: Math.round(performance.now()), heapUsed, external, arrayBuffers, anonymous: kilobytes(status, 'RssAnon'), mapped: kilobytes(status, 'RssFile') })}\n`,
    );
  }, Number(process.env.SOAK_EVERY_MS)).unref();

process.on('SIGUSR2', () => {
  snapshots += 1;
  writeHeapSnapshot(`${file}.${snapshots}.heapsnapshot`);
  appendFileSync(file, `${JSON.stringify({ snapshot: snapshots })}\n`);
});

import { parentPort, workerData } from 'node:worker_threads';
import { openEngine } from '../adapters/postgres/engine.ts';
import { openSnapshots } from '../adapters/postgres/snapshots.ts';
import { assert } from '../domain/errors.ts';
import { makeSnapshot } from './make-snapshot.ts';
import type { SnapshotAnswer, ThreadOrder } from './snapshot-rounds.ts';

// The thread of one snapshot: reading a log whole would hold the event loop up for seconds.
const port = parentPort;
assert(port !== null, 'a snapshot is made by a thread of the service');
// what `createSnapshotRounds` has given it
const { engine: options, shard, store, scratch } = workerData as ThreadOrder;
const engine = await openEngine(options, `predictd snapshot ${shard}`);
try {
  const made = await makeSnapshot({ store, scratch, snapshots: openSnapshots(engine, shard) });
  const answer: SnapshotAnswer = { seq: made?.seq ?? null };
  port.postMessage(answer);
} finally {
  await engine.close();
}

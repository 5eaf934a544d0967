import { setTimeout as wait } from 'node:timers/promises';
import { SHARD_SPLIT } from '../../config/limits/shared-log.ts';
import { openEngine, type Engine, type EngineOptions } from '../adapters/postgres/engine.ts';
import { readMembers, readShards } from '../adapters/postgres/shard-members.ts';
import {
  askOwner,
  beginSplit,
  copyLog,
  readSplits,
  type ShardSplit,
} from '../adapters/postgres/split.ts';
import { DIRECTORY_TABLES, makeTables } from '../adapters/postgres/tables.ts';
import { AppError } from '../domain/errors.ts';

/**
 * Splits a shard: copies its log to a new one while it goes on, then has its owner end, so that the
 * next one divides it. Given again it goes on where it was cut off. True once it is divided; false
 * where that takes longer than it is waited for. Errors: `not_found`, `conflict`, `store_corrupt`
 * where the shard is broken, `store_unavailable`.
 */
export async function splitShard(
  options: EngineOptions,
  shard: number,
  print: (line: string) => void,
): Promise<boolean> {
  const engine = await openEngine(options, 'predictd shards');
  try {
    await makeTables(engine);
    await makeTables(engine, DIRECTORY_TABLES);
    await assertNotBroken(engine, shard);
    const successor = await beginSplit(engine, shard);
    print(`the log of shard ${shard} is copied to shard ${successor}; shard ${shard} goes on`);
    await copyLog(engine, { shard, successor }, { left: SHARD_SPLIT.framesLeft });
    await askOwner(engine, { shard, successor });
    print(`the owner of shard ${shard} ends in order, and the next one divides it`);
    const divided = await untilDivided(engine, successor);
    print(
      divided === null
        ? `shard ${shard} is not divided yet: whoever takes it next does that; \`predictd shards\` says how far it is`
        : `shard ${shard} is divided at frame ${divided.seq}: start two processes with PREDICTD_SHARD=${successor}, on two machines`,
    );
    return divided !== null;
  } finally {
    await engine.close();
  }
}

/** Errors: `store_corrupt`. */
async function assertNotBroken(engine: Engine, shard: number): Promise<void> {
  const own = (await readShards(engine)).find((row) => row.shard === shard);
  if (own === undefined || own.owner !== '') return;
  const broken = (await readMembers(engine)).find(
    (member) => member.shard === shard && member.state === 'broken',
  );
  if (broken !== undefined)
    throw new AppError(
      'store_corrupt',
      `shard ${shard} is broken at ${broken.name} (${broken.reason}) and has no owner: \`predictd shards\` says what to do`,
    );
}

async function untilDivided(engine: Engine, successor: number): Promise<ShardSplit | null> {
  const untilMs = performance.now() + SHARD_SPLIT.waitedMs;
  for (;;) {
    // The database may fail over meanwhile: what it does not answer is asked again.
    const splits = await readSplits(engine).catch(() => []);
    const own = splits.find((split) => split.successor === successor);
    if (own?.state === 'divided') return own;
    if (performance.now() > untilMs) return null;
    await wait(SHARD_SPLIT.readMs);
  }
}

import { setTimeout as wait } from 'node:timers/promises';
import { SHARD_SNAPSHOT } from '../../config/limits/shard-snapshot.ts';
import { SHARD_SPLIT } from '../../config/limits/shared-log.ts';
import { openEngine, type Engine, type EngineAddress } from '../adapters/postgres/engine.ts';
import { readMembers, readShards } from '../adapters/postgres/shard-members.ts';
import {
  askOwner,
  beginSplit,
  copyLog,
  dropBeforeGap,
  readSplits,
  type ShardSplit,
  type SplitPair,
} from '../adapters/postgres/split.ts';
import { DIRECTORY_TABLES, makeTables } from '../adapters/postgres/tables.ts';
import { AppError } from '../domain/errors.ts';

/**
 * Splits a shard: copies its log to a new one while it goes on, until a process of that follows it;
 * then has the owner end, so that the next one divides the shard. Given again it goes on where it
 * was cut off. True once it is divided; false where people or processes take longer than is
 * waited for. Errors: `not_found`, `conflict`, `store_corrupt`
 * where the shard is broken, `store_unavailable`.
 */
export async function splitShard(
  options: EngineAddress,
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
    await dropBeforeGap(engine, { shard, successor });
    print(
      `start two processes with PREDICTD_SHARD=${successor}, on two machines: shard ${shard} is divided once one of them follows`,
    );
    if (!(await untilFollowed(engine, { shard, successor }))) {
      print(
        `no process follows shard ${successor} yet: give this command again once one is started`,
      );
      return false;
    }
    await askOwner(engine, { shard, successor });
    print(`the owner of shard ${shard} ends in order, and the next one divides it`);
    const divided = await untilDivided(engine, successor);
    print(
      divided === null
        ? `shard ${shard} is not divided yet: whoever takes it next does that; \`predictd shards\` says how far it is`
        : `shard ${shard} is divided at frame ${divided.seq}: half of its users are those of shard ${successor}`,
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

/**
 * Copies the log until a process follows it, whose users are to wait for no start; false where none
 * does in time.
 */
async function untilFollowed(engine: Engine, pair: SplitPair): Promise<boolean> {
  const untilMs = performance.now() + SHARD_SPLIT.followedMs;
  for (;;) {
    await copyLog(engine, pair, { left: SHARD_SPLIT.framesLeft });
    const members = await readMembers(engine);
    const isFollowed = members.some(
      ({ shard, state, seenAgoMs }) =>
        shard === pair.successor &&
        state === 'following' &&
        seenAgoMs < SHARD_SNAPSHOT.memberSilentMs,
    );
    if (isFollowed || performance.now() > untilMs) return isFollowed;
    await wait(SHARD_SPLIT.copyMs);
  }
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

import type { ShardOwner } from '../../ports/shard-owner.ts';
import type { Engine } from './engine.ts';

/**
 * Returns the process that owns a shard and takes calls; null without one. Errors:
 * `store_unavailable` (retryable) where the engine does not answer.
 */
export async function readShardOwner(engine: Engine, shard: number): Promise<ShardOwner | null> {
  const { rows } = await engine.ask<{ readonly epoch: string; readonly address: string }>(
    `select epoch, address from shard where id = $1 and owner <> '' and address <> ''`,
    [shard],
  );
  const [row] = rows;
  return row === undefined ? null : { epoch: Number(row.epoch), url: row.address };
}

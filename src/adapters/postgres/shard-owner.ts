import type { ShardOwner } from '../../ports/shard-owner.ts';
import type { Engine } from './engine.ts';

/** What gateways read of all shards at once. */
export interface ShardOwners {
  /** Processes that own a shard and take calls, by the shard's number. */
  readonly owners: ReadonlyMap<number, ShardOwner>;
  /** How many shards there are: another number once one was split, and slots with it. */
  readonly shards: number;
}

/**
 * Reads who owns which shard, in one statement: whoever owns one since a split is seen with it.
 * Errors: `store_unavailable` (retryable) where the engine does not answer.
 */
export async function readShardOwners(engine: Pick<Engine, 'ask'>): Promise<ShardOwners> {
  const { rows } = await engine.ask<{
    readonly id: number;
    readonly epoch: string;
    readonly owner: string;
    readonly address: string;
  }>('select id, epoch, owner, address from shard');
  const owned = rows.filter(({ owner, address }) => owner !== '' && address !== '');
  return {
    owners: new Map(
      owned.map(({ id, epoch, address }) => [id, { epoch: Number(epoch), url: address }]),
    ),
    shards: rows.length,
  };
}

import type { ShardOwner } from '../../ports/shard-owner.ts';
import type { Engine } from './engine.ts';

/**
 * Returns the processes that own a shard and take calls, by the shard's number. Errors:
 * `store_unavailable` (retryable) where the engine does not answer.
 */
export async function readShardOwners(
  engine: Pick<Engine, 'ask'>,
): Promise<ReadonlyMap<number, ShardOwner>> {
  const { rows } = await engine.ask<{
    readonly id: number;
    readonly epoch: string;
    readonly address: string;
  }>(`select id, epoch, address from shard where owner <> '' and address <> ''`);
  return new Map(
    rows.map(({ id, epoch, address }) => [id, { epoch: Number(epoch), url: address }]),
  );
}

import type { Engine } from '../adapters/postgres/engine.ts';
import { askedSplit, divideShard } from '../adapters/postgres/split.ts';
import { AppError } from '../domain/errors.ts';

/**
 * Divides a shard that was just taken, where that is asked, before anything is read from its store:
 * whoever takes it does so, whatever has become of its owner. True where it was divided. Errors:
 * those of `divideShard`.
 */
export async function divideIfAsked(
  engine: Pick<Engine, 'ask'>,
  {
    shard,
    epoch,
    ending,
  }: { readonly shard: number; readonly epoch: number; readonly ending?: AbortSignal },
): Promise<boolean> {
  const successor = await askedSplit(engine, shard);
  if (successor === null) return false;
  await divideShard(engine, { shard, successor, epoch, ...(ending && { ending }) });
  return true;
}

/** Makes the round in which an owner finds that it is to hand its shard over to be divided. */
export function splitRound({
  engine,
  shard,
  isOwner,
  lost,
}: {
  readonly engine: Pick<Engine, 'ask'>;
  readonly shard: number;
  readonly isOwner: () => boolean;
  /** Ends this process in order. */
  readonly lost: (cause: AppError) => void;
}): () => Promise<void> {
  let isEnding = false;
  return async () => {
    if (isEnding || !isOwner() || (await askedSplit(engine, shard)) === null) return;
    isEnding = true;
    lost(
      new AppError(
        'not_owner',
        `shard ${shard} is to be split: predictd ends, and the process that takes it next divides it`,
      ),
    );
  };
}

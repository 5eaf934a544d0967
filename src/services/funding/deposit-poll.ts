import type { DepositPlace } from '../../../machines/deposit.ts';
import { asId, type DepositId } from '../../domain/ids.ts';
import type { Bridge, BridgeAsset } from '../../ports/bridge.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Runtime } from '../../ports/runtime.ts';
import { newIdBody } from '../new-id.ts';
import { problemOf } from './deposit-problem.ts';
import { changesOf, putChanges, type DepositNews } from './deposit-records.ts';

/** What a poll found. */
interface DepositPoll {
  /** Why the bridge answered nothing; null when it did. The books were read all the same. */
  readonly failure: unknown;
}

/**
 * Looks at one address: asks the bridge, joins its words with what the chain has proven, stores
 * what is new. Errors: `store_unavailable`.
 */
export type PollDeposits = (place: DepositPlace) => Promise<DepositPoll>;

/** Makes the poll. Polls of one address at the same time are one. */
export function createDepositPoll({
  bridge,
  assets,
  random,
  clock,
  ...books
}: Pick<Runtime, 'store' | 'commit' | 'random' | 'log' | 'metrics'> & {
  readonly bridge: Pick<Bridge, 'status'>;
  /** What the bridge takes. Errors: `bridge_unavailable`. */
  readonly assets: () => Promise<readonly BridgeAsset[]>;
  /** Wall time, which is also the chain's. */
  readonly clock: Clock;
}): PollDeposits {
  const running = new Map<string, Promise<DepositPoll>>();
  async function pollOnce(place: DepositPlace): Promise<DepositPoll> {
    const [reported, known] = await Promise.allSettled([bridge.status(place.address), assets()]);
    const taken = known.status === 'fulfilled' ? known.value : null;
    await store(books, place, {
      transfers: reported.status === 'fulfilled' ? reported.value : null,
      problemOf: (transfer, before) => (taken === null ? before : problemOf(taken, transfer)),
      nowMs: clock.nowMs(),
      newId: () => asId<DepositId>(`dep_${newIdBody({ clock, random })}`),
    });
    return { failure: reported.status === 'rejected' ? reported.reason : null };
  }
  return (place) => {
    const key = `${place.userId} ${place.address}`;
    const poll = running.get(key) ?? pollOnce(place).finally(() => running.delete(key));
    running.set(key, poll);
    return poll;
  };
}

/** Most polls find nothing new and write nothing. */
async function store(
  { store: reader, commit, log, metrics }: Pick<Runtime, 'store' | 'commit' | 'log' | 'metrics'>,
  place: DepositPlace,
  news: DepositNews,
): Promise<void> {
  const isNothing = ({ changed, removed, dropped }: ReturnType<typeof changesOf>) =>
    changed.length + removed.length + dropped === 0;
  if (isNothing(changesOf(reader, place, news))) return;
  const changes = await commit((tx) => {
    const found = changesOf(tx, place, news);
    putChanges(tx, found);
    return found;
  });
  if (changes.dropped > 0) {
    metrics.count('deposits_dropped_total', {}, changes.dropped);
    log.warn({ ...place, dropped: changes.dropped }, 'deposit.no_room');
  }
  for (const {
    before,
    after: { depositId, state, problem, transfer },
  } of changes.changed) {
    if (before?.state === state) continue;
    log[state === 'unproven' ? 'error' : 'info'](
      {
        userId: place.userId,
        depositId,
        from: before?.state ?? null,
        state,
        problem,
        transactionHash: transfer.transactionHash,
      },
      'deposit.changed',
    );
  }
}

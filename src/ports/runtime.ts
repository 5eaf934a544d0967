import type { Bus } from './bus.ts';
import type { Clock } from './clock.ts';
import type { Commit } from './commit.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { Random } from './random.ts';
import type { Store } from './store.ts';

/**
 * What nearly every part runs on. Each takes the members it uses, by `Pick`; one that needs another
 * time than the rest of its folder, or a narrower store, says so in a field of its own.
 */
export interface Runtime {
  readonly clock: Clock;
  readonly random: Random;
  readonly store: Store;
  readonly commit: Commit;
  readonly bus: Bus;
  readonly log: Log;
  readonly metrics: Metrics;
}

import { REWRAP } from '../../../config/limits/key.ts';
import { AppError } from '../../domain/errors.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { KeyEncryptor, WrappedKey } from '../../ports/key-encryptor.ts';
import type { Log } from '../../ports/log.ts';
import type { Key, Store, Versioned } from '../../ports/store.ts';
import { DATA_KEYS, dataKeyContext } from './key-tables.ts';

/** A change of the master key under way. */
export interface Rewrap {
  /**
   * Resolves with how many data keys were wrapped anew when none is left under a former master key;
   * earlier when stopped.
   */
  readonly done: Promise<number>;
  stop(): Promise<void>;
}

/**
 * Wraps every data key under the present master key, in small writes beside the daemon's work. Each
 * record says which master key it is under, so a crash needs no memory: the next start goes on with
 * those that are left. No wallet key is touched.
 */
export function startRewrap({
  store,
  clock,
  log,
  metrics,
  encryptor,
}: Pick<Runtime, 'store' | 'clock' | 'log' | 'metrics'> & {
  /** Knows the present and the former master key. */
  readonly encryptor: KeyEncryptor;
}): Rewrap {
  const life: { isStopped: boolean; wake: (() => void) | null } = { isStopped: false, wake: null };
  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = clock.after(ms, resolve);
      life.wake = () => {
        timer.cancel();
        resolve();
      };
    });
  const run = async (): Promise<number> => {
    let left = countStale(store, encryptor.keyId);
    metrics.gauge('data_keys_to_rewrap', left);
    let rewrapped = 0;
    let after: Key | undefined;
    while (!life.isStopped) {
      const page = pageOf(store, after);
      if (page.length === 0) return finish(log, { rewrapped, left });
      const changed = await rewrapPage({ store, log }, encryptor, page).catch((error: unknown) => {
        log.error({ left, error: String(error) }, 'keys.rewrap_failed');
        return null;
      });
      if (changed !== null) {
        after = page.at(-1)?.key;
        rewrapped += changed;
        left -= changed;
        metrics.gauge('data_keys_to_rewrap', left);
        if (changed > 0) log.info({ rewrapped, left }, 'keys.rewrapped');
      }
      await pause(changed === null ? REWRAP.retryMs : REWRAP.pauseMs);
    }
    return rewrapped;
  };
  const done = run();
  return {
    done,
    async stop() {
      life.isStopped = true;
      life.wake?.();
      await done;
    },
  };
}

function finish(
  log: Log,
  { rewrapped, left }: { readonly rewrapped: number; readonly left: number },
): number {
  if (left === 0) log.info({ rewrapped }, 'keys.former_master_key_unused');
  else log.error({ rewrapped, left }, 'keys.former_master_key_still_used');
  return rewrapped;
}

function pageOf(store: Store, after: Key | undefined): readonly Versioned<WrappedKey>[] {
  return store.range(DATA_KEYS, {
    limit: REWRAP.keysPerWrite,
    ...(after === undefined ? {} : { after }),
  });
}

function countStale(store: Store, keyId: string): number {
  let stale = 0;
  for (
    let page = pageOf(store, undefined);
    page.length > 0;
    page = pageOf(store, page.at(-1)?.key)
  ) {
    stale += page.filter(({ value }) => value.keyId !== keyId).length;
  }
  return stale;
}

/** Wraps what is stale in a page, durably, and gives how many that were. */
async function rewrapPage(
  { store, log }: Pick<Runtime, 'store' | 'log'>,
  encryptor: KeyEncryptor,
  page: readonly Versioned<WrappedKey>[],
): Promise<number> {
  const stale = page.filter(({ value }) => value.keyId !== encryptor.keyId);
  const fresh = (
    await Promise.all(stale.map((record) => rewrapOne(encryptor, log, record)))
  ).filter((record) => record !== null);
  if (fresh.length === 0) return 0;
  await store.write((tx) =>
    fresh.forEach(({ key, wrapped, version }) => tx.put(DATA_KEYS, key, wrapped, version)),
  );
  await store.flushed();
  return fresh.length;
}

/** Null for a data key that does not open: its owner's alone stays behind, and is named. */
async function rewrapOne(
  encryptor: KeyEncryptor,
  log: Log,
  { key, value, version }: Versioned<WrappedKey>,
): Promise<{ readonly key: Key; readonly wrapped: WrappedKey; readonly version: number } | null> {
  const owner = String(key[0]);
  const context = dataKeyContext(owner);
  try {
    const dataKey = await encryptor.unwrap(value, context);
    const wrapped = await encryptor.wrap(dataKey, context);
    dataKey.fill(0);
    return { key, wrapped, version };
  } catch (error) {
    if (!(error instanceof AppError) || error.retryable) throw error;
    log.error({ owner, code: error.code }, 'keys.data_key_not_rewrapped');
    return null;
  }
}

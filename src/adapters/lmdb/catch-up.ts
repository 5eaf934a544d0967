import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { STORE } from '../../../config/limits/store.ts';
import type { Following } from './follow.ts';

/**
 * Lets LMDB catch up with the log on a thread of its own, which reads the log itself: the event
 * loop neither encodes, nor writes, nor waits for the disk.
 */
export interface CatchUp {
  /**
   * Resolves when LMDB has the log's frames, on disk, and files of the log that are full and wholly
   * in LMDB were made small. Rejects when it could not be; it may then be asked again. Not while
   * another is under way.
   */
  bringIn(following: Following): Promise<void>;
  /** Ends the thread. Not while it catches up. */
  close(): Promise<void>;
}

/** What the thread answers: null when LMDB has what it was to have, else why not. */
export type CatchUpAnswer = { readonly message: string; readonly code: unknown } | null;

const ENTRY = new URL(`./catch-up-thread${extname(import.meta.url)}`, import.meta.url);

/** Makes it for the folder of a store; the thread begins when it is asked first. */
export function createCatchUp(path: string): CatchUp {
  let thread: Worker | null = null;
  const start = (): Worker => {
    const resourceLimits = {
      maxOldGenerationSizeMb: STORE.catchUpHeapMegabytes,
      maxYoungGenerationSizeMb: STORE.catchUpYoungMegabytes,
    };
    const started = new Worker(ENTRY, { workerData: path, resourceLimits });
    // However it ends, the next time begins another.
    started.once('exit', () => {
      thread = null;
    });
    started.on('error', () => undefined);
    return started;
  };
  return {
    async bringIn(following) {
      thread ??= start();
      const working = thread;
      // A process does not end over work that is under way, and does over a thread that has none.
      working.ref();
      try {
        working.postMessage(following);
        await answerOf(working);
      } finally {
        working.unref();
      }
    },
    async close() {
      if (thread === null) return;
      thread.ref();
      const ended = once(thread, 'exit');
      thread.postMessage(null);
      await ended;
    },
  };
}

function answerOf(thread: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      thread.off('message', answered).off('error', reject).off('exit', ended);
    };
    const answered = (answer: CatchUpAnswer): void => {
      settle();
      if (answer === null) resolve();
      else reject(Object.assign(new Error(answer.message), { code: answer.code }));
    };
    const ended = (): void => {
      settle();
      reject(new Error('the thread that catches up has ended'));
    };
    thread.on('message', answered).once('error', reject).once('exit', ended);
  });
}

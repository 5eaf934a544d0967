import { closeSync, openSync, readSync } from 'node:fs';

/**
 * Processor time this thread has used, ms; where the system does not tell, the time that has
 * passed.
 */
export interface ThreadClock {
  nowMs(): number;
  close(): void;
}

/**
 * Makes the clock: Linux keeps the nanoseconds a thread has run as the first number of its
 * `schedstat` (proc(5)).
 */
export function createThreadClock(): ThreadClock {
  const file = openOrNull(`/proc/self/task/${process.pid}/schedstat`);
  if (file === null) return { nowMs: () => performance.now(), close: () => undefined };
  const buffer = Buffer.alloc(64);
  return {
    nowMs() {
      const length = readSync(file, buffer, 0, buffer.length, 0);
      return Number.parseInt(buffer.toString('latin1', 0, length), 10) / 1e6;
    },
    close: () => closeSync(file),
  };
}

function openOrNull(path: string): number | null {
  try {
    return openSync(path, 'r');
  } catch {
    return null;
  }
}

import type { Clock } from '../ports/clock.ts';

/** Shares one reading of a text among all who ask while it is under way, and with those who come within `keptMs` of its end. A failed one is not kept. */
export function createKeptText(clock: Pick<Clock, 'nowMs'>, keptMs: number, read: () => Promise<string>): () => Promise<string> {
  let kept: { readonly text: string; readonly atMs: number } | null = null;
  let underWay: Promise<string> | null = null;

  async function readOnce(): Promise<string> {
    try {
      const text = await read();
      kept = { text, atMs: clock.nowMs() };
      return text;
    } finally {
      underWay = null;
    }
  }

  return () => {
    if (kept !== null && clock.nowMs() - kept.atMs < keptMs) return Promise.resolve(kept.text);
    underWay ??= readOnce();
    return underWay;
  };
}

import type { Clock } from '../../ports/clock.ts';
import { sentenceOf, type Check, type Finding } from './check.ts';

/** A check with how it came out. */
export interface CheckReport extends Finding {
  readonly name: string;
  /** Wall time it took. */
  readonly tookMs: number;
}

/** Bounds of a run. */
export interface RunBounds {
  /** Wall time. */
  readonly clock: Clock;
  readonly atOnce: number;
  readonly checkMs: number;
  /** Wall time, epoch ms, at which everything ends. */
  readonly endsAtMs: number;
}

/**
 * Runs checks, so many at a time, and gives their reports in the order of the checks. One that
 * rejects or is late is what its `otherwise` says; what could not begin in time is a warning.
 */
export async function runChecks(
  checks: readonly Check[],
  bounds: RunBounds,
): Promise<readonly CheckReport[]> {
  const reports: CheckReport[] = [];
  let next = 0;
  async function work(): Promise<void> {
    for (;;) {
      const index = next;
      next += 1;
      const check = checks[index];
      if (check === undefined) return;
      reports[index] = await runOne(check, bounds);
    }
  }
  await Promise.all(Array.from({ length: bounds.atOnce }, work));
  return reports;
}

async function runOne(
  { name, otherwise, run }: Check,
  { clock, checkMs, endsAtMs }: RunBounds,
): Promise<CheckReport> {
  const beganAtMs = clock.nowMs();
  const leftMs = Math.min(checkMs, endsAtMs - beganAtMs);
  const reported = (finding: Finding): CheckReport => ({
    name,
    ...finding,
    tookMs: Math.round(clock.nowMs() - beganAtMs),
  });
  if (leftMs <= 0)
    return reported({
      level: 'warn',
      sentence: 'there was no time left for it',
      remedy: 'mend what did not answer, then run doctor again',
    });
  return new Promise((resolve) => {
    const timer = clock.after(leftMs, () =>
      resolve(reported({ ...otherwise, sentence: `no answer within ${leftMs / 1_000} s` })),
    );
    Promise.resolve()
      .then(run)
      .catch((cause: unknown): Finding => ({ ...otherwise, sentence: sentenceOf(cause) }))
      .then((finding) => {
        timer.cancel();
        resolve(reported(finding));
      })
      .catch(() => undefined);
  });
}

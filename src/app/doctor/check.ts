/** How a check came out; `skipped` for one that does not apply, with the reason in words. */
export type CheckLevel = 'ok' | 'skipped' | 'warn' | 'fail';

/** What a check found. */
export interface Finding {
  readonly level: CheckLevel;
  /** Without a full stop at its end, and without a secret. */
  readonly sentence: string;
  /** What the operator does about it; absent where nothing is to be done. */
  readonly remedy?: string;
}

/** What a check is reported as where it rejects, or does not end in time. */
export interface Otherwise {
  readonly level: 'warn' | 'fail';
  readonly remedy: string;
}

/** One line of the report. It reads, and changes nothing that lasts. */
export interface Check {
  readonly name: string;
  readonly otherwise: Otherwise;
  run(): Promise<Finding>;
}

/** Returns a finding that all is well. */
export function ok(sentence: string): Finding {
  return { level: 'ok', sentence };
}

/** Returns that a check does not apply, and why. */
export function skipped(why: string): Finding {
  return { level: 'skipped', sentence: why };
}

/** Returns a finding that the daemon runs with. */
export function warn(sentence: string, remedy: string): Finding {
  return { level: 'warn', sentence, remedy };
}

/** Returns a finding that keeps the daemon from its work, or money at risk. */
export function fail(sentence: string, remedy: string): Finding {
  return { level: 'fail', sentence, remedy };
}

/** Makes a check. */
export function check(name: string, otherwise: Otherwise, run: () => Promise<Finding>): Check {
  return { name, otherwise, run };
}

/** Makes a check that does not apply here. */
export function skippedCheck(name: string, why: string): Check {
  return check(name, { level: 'warn', remedy: 'run doctor again' }, async () => skipped(why));
}

/** Returns a failure's sentence: an error's message alone, never its cause or stack. */
export function sentenceOf(cause: unknown): string {
  return (cause instanceof Error ? cause.message : String(cause)).replace(/\.$/, '');
}

import type { Check, CheckLevel, Finding } from '../../../src/app/doctor/check.ts';

/** Runs the check of a name. */
export async function found(checks: readonly Check[], name: string): Promise<Finding> {
  const check = checks.find((each) => each.name === name);
  if (check === undefined)
    throw new Error(
      `there is no check ${name}, only ${checks.map((each) => each.name).join(', ')}`,
    );
  return check.run();
}

/** Levels of all checks by name. */
export async function levelsOf(
  checks: readonly Check[],
): Promise<Readonly<Record<string, CheckLevel>>> {
  const levels = await Promise.all(
    checks.map(async ({ name, run }) => [name, (await run()).level] as const),
  );
  return Object.fromEntries(levels);
}

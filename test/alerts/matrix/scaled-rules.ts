/** Windows and waits take this part of their time. */
const SCALE = 12;

/**
 * A rule that is left as it is. Where others take the machine for seconds scrapes of a second fail
 * by themselves, and the service is not down for that.
 */
const AS_IT_IS = /^ *- alert: PredictdServiceDown$/m;

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/**
 * Returns rules whose windows, waits and counts of many events are a twelfth of what they are, so
 * that a fault can be seen to raise its alert in seconds. Ages are left as they are, for the
 * service neither asks nor checks more often for it.
 */
export function scaledRules(rules: string): string {
  return rules
    .split(/^(?= *- alert: )/m)
    .map((rule) => (AS_IT_IS.test(rule) ? rule : scaledRule(rule)))
    .join('');
}

function scaledRule(rule: string): string {
  const scaled = (count: string, unit: string): string =>
    `${Math.max(1, Math.round((Number(count) * (SECONDS[unit] ?? 1)) / SCALE))}s`;
  return rule
    .replace(/\[(\d+)([smhd])\]/g, (_, count: string, unit: string) => `[${scaled(count, unit)}]`)
    .replace(
      /for: (\d+)([smhd])$/gm,
      (_, count: string, unit: string) => `for: ${scaled(count, unit)}`,
    )
    .replace(
      /(\) >=? )([2-9]\d)(?= and | *$)/gm,
      (_, before: string, count: string) => `${before}${Math.round(Number(count) / SCALE)}`,
    );
}

import { DOCTOR } from '../../../config/limits/doctor.ts';
import { redactText } from '../../adapters/log/redact.ts';
import type { CheckLevel } from './check.ts';
import type { CheckReport } from './run-checks.ts';

/** The whole report: what `predictd doctor --json` prints as one line. */
export interface DoctorReport {
  readonly version: string;
  /** Null where the settings could not be read. */
  readonly profile: string | null;
  /** The data folder, whole path; null as above. */
  readonly folder: string | null;
  /** The worst of the checks; skipped ones are no failure. */
  readonly result: 'ok' | 'warn' | 'fail';
  readonly tookMs: number;
  readonly checks: readonly CheckReport[];
}

/** Exit codes by result. */
export const DOCTOR_EXIT = { ok: 0, warn: 1, fail: 2 } as const;

/** Returns the worst of some reports. */
export function resultOf(checks: readonly CheckReport[]): DoctorReport['result'] {
  const has = (level: CheckLevel): boolean => checks.some((each) => each.level === level);
  if (has('fail')) return 'fail';
  return has('warn') ? 'warn' : 'ok';
}

const LABELS: Readonly<Record<CheckLevel, string>> = {
  ok: 'ok',
  skipped: '-',
  warn: 'warn',
  fail: 'FAIL',
};

/** Returns the lines of a terminal: one a check, and how many came out how. */
export function reportLines({ checks, tookMs }: DoctorReport): readonly string[] {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const count = (level: CheckLevel): number => checks.filter((each) => each.level === level).length;
  return [
    ...checks.map(({ level, name, sentence, remedy }) => {
      const text = level === 'skipped' ? `skipped: ${sentence}` : sentence;
      return `${LABELS[level].padEnd(5)}${name.padEnd(width)}  ${text}${remedy === undefined ? '' : `; ${remedy}`}`;
    }),
    `${count('ok')} ok, ${count('warn')} warn, ${count('fail')} FAIL, ${count('skipped')} skipped, in ${(tookMs / 1_000).toFixed(1)} s`,
  ];
}

/** Settings whose values are never shown; addresses may hold a key in path or query. */
const SECRET_SETTING = /(_KEY|_KEY_OLD|_SECRET|_PASSPHRASE|_ACCOUNT)$/;
const ADDRESS_SETTING = /_URL$/;
/** What is shorter would be found in ordinary words. */
const SECRET_LEAST_CHARS = 6;

/**
 * Makes what takes every secret of the settings out of a text, and what looks like one: a server
 * may say a key back to whoever showed it.
 */
export function createSecretFilter(
  settings: Readonly<Record<string, unknown>>,
): (text: string) => string {
  const secrets = Object.entries(settings).flatMap(([name, value]): readonly string[] => {
    if (typeof value !== 'string') return [];
    if (SECRET_SETTING.test(name)) return value.split(',');
    if (!ADDRESS_SETTING.test(name) || !URL.canParse(value)) return [];
    const { username, password, pathname, searchParams } = new URL(value);
    return [username, password, ...pathname.split('/').filter(isKeyLike), ...searchParams.values()];
  });
  const kept = secrets
    .filter((secret) => secret.length >= SECRET_LEAST_CHARS)
    .sort((one, other) => other.length - one.length);
  return (text) => {
    const without = kept.reduce((left, secret) => left.replaceAll(secret, '[secret]'), text);
    return redactText(without).slice(0, DOCTOR.sentenceMaximumChars);
  };
}

/** A part of a path with a digit in it, and long: a key, and no name of an interface. */
function isKeyLike(part: string): boolean {
  return part.length >= 16 && /\d/.test(part);
}

/** Returns a report whose texts went through a filter. */
export function withoutSecrets(
  report: DoctorReport,
  filter: (text: string) => string,
): DoctorReport {
  return {
    ...report,
    checks: report.checks.map(({ sentence, remedy, ...rest }) => ({
      ...rest,
      sentence: filter(sentence),
      ...(remedy === undefined ? {} : { remedy: filter(remedy) }),
    })),
  };
}

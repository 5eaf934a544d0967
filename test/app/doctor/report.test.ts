import { describe, expect, it } from 'vitest';
import {
  createSecretFilter,
  DOCTOR_EXIT,
  reportLines,
  resultOf,
  withoutSecrets,
  type DoctorReport,
} from '../../../src/app/doctor/report.ts';
import type { CheckReport } from '../../../src/app/doctor/run-checks.ts';

const GOOD: CheckReport = { name: 'node', level: 'ok', sentence: 'it fits', tookMs: 1 };
const LEFT: CheckReport = { name: 'oracle', level: 'skipped', sentence: 'no key', tookMs: 1 };
const WARNED: CheckReport = {
  name: 'cores',
  level: 'warn',
  sentence: '1 core',
  remedy: 'give it 2',
  tookMs: 1,
};
const FAILED: CheckReport = {
  name: 'master key',
  level: 'fail',
  sentence: 'it is open to others',
  remedy: 'run chmod',
  tookMs: 1,
};

const reportOf = (checks: readonly CheckReport[]): DoctorReport => ({
  version: '0.1.0',
  profile: 'live',
  folder: '/var/lib/predictd',
  result: resultOf(checks),
  tookMs: 1_234,
  checks,
});

describe('a report', () => {
  it.each([
    [[GOOD, LEFT], 'ok', 0],
    [[GOOD, WARNED, LEFT], 'warn', 1],
    [[FAILED, WARNED, GOOD], 'fail', 2],
  ] as const)('is as bad as its worst check, and what does not apply is no failure', (...row) => {
    const [checks, result, code] = row;
    expect([resultOf(checks), DOCTOR_EXIT[resultOf(checks)]]).toEqual([result, code]);
  });

  it('has one line a check, with what to do, and says in words what does not apply', () => {
    expect(reportLines(reportOf([GOOD, LEFT, WARNED, FAILED]))).toEqual([
      'ok   node        it fits',
      '-    oracle      skipped: no key',
      'warn cores       1 core; give it 2',
      'FAIL master key  it is open to others; run chmod',
      '1 ok, 1 warn, 1 FAIL, 1 skipped, in 1.2 s',
    ]);
  });

  it('holds no secret of the settings, whoever says it back', () => {
    const filter = createSecretFilter({
      PREDICTD_MASTER_KEY: 'AB'.repeat(32),
      PREDICTD_INTERNAL_SECRET: `${'old-secret-'.repeat(3)},${'new-secret-'.repeat(3)}`,
      PREDICTD_TWILIO_SECRET: 'the token',
      PREDICTD_RELAYER_PASSPHRASE: 'open sesame',
      PREDICTD_POLYGON_RPC_URL: 'https://me:pass-word@node.example/v2/a1b2c3d4e5f6a1b2c3d4',
      PREDICTD_SOLANA_RPC_URL: 'https://node.example/?api-key=solana-key',
      PREDICTD_ROUTER_URL: 'https://li.quest/v1',
      PREDICTD_PORT: 8787,
    });
    const said = [
      'AB'.repeat(32),
      'ab'.repeat(32),
      'old-secret-'.repeat(3),
      'new-secret-'.repeat(3),
      'the token',
      'open sesame',
      'pass-word',
      'a1b2c3d4e5f6a1b2c3d4',
      'solana-key',
    ];
    const text = `refused ${said.join(' ')} at li.quest/v1`;
    const { checks } = withoutSecrets(
      reportOf([{ ...FAILED, sentence: text, remedy: text }]),
      filter,
    );
    const [{ sentence = '', remedy = '' } = {}] = checks;
    expect(said.filter((secret) => `${sentence} ${remedy}`.includes(secret))).toEqual([]);
    expect(sentence).toMatch(/^refused \[.*at li\.quest\/v1$/);
  });

  it('cuts what a server says at length', () => {
    expect(createSecretFilter({})('x'.repeat(9_000)).length).toBe(400);
  });
});

import { expect, it } from 'vitest';
import { crashReport } from '../../src/app/crash-report.ts';

const SECRET = 'b'.repeat(64);

it('L12: an error that ends the process is reported by message, stack and causes, without the request a library laid inside it', () => {
  const cause = Object.assign(new Error(`signing with 0x${SECRET} failed`), { privateKey: SECRET });
  const request = { headers: { authorization: `Bearer ${SECRET}` } };
  const words = crashReport(
    Object.assign(new Error('request failed: {"secret":"hush-hush"}', { cause }), { request }),
  );
  expect(words).toContain('request failed');
  expect(words).toContain('crash-report.test.ts');
  expect(words).toContain('caused by Error: signing with [redacted] failed');
  for (const secret of [SECRET, 'hush-hush', 'headers', 'privateKey'])
    expect(words).not.toContain(secret);
});

it('tells what is no error too, and ends with causes that go round', () => {
  expect(crashReport({ password: SECRET, code: 7 })).toBe("{ password: '[redacted]', code: 7 }");
  const round = new Error('round');
  round.cause = round;
  expect(crashReport(round).split('caused by')).toHaveLength(6);
});

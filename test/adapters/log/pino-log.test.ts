import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createPinoLog } from '../../../src/adapters/log/pino-log.ts';

const aLog = (level: 'debug' | 'info' | 'warn' | 'error' | 'silent') => {
  const lines: Record<string, unknown>[] = [];
  return {
    lines,
    log: createPinoLog({
      level,
      write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>),
    }),
  };
};

it('writes one line of JSON per fact: time, level, event, fields', () => {
  const { log, lines } = aLog('info');
  log.info({ orderId: '0x1', venue: 'venue_a' }, 'order.acknowledged');
  expect(lines).toEqual([
    {
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      level: 'info',
      event: 'order.acknowledged',
      orderId: '0x1',
      venue: 'venue_a',
    },
  ]);
});

it('keeps a line break in a value inside its line', () => {
  const { log, lines } = aLog('info');
  log.warn({ title: 'Up\n{"level":"error"}' }, 'market.odd');
  expect(lines).toHaveLength(1);
});

it('writes nothing below its level', () => {
  const { log, lines } = aLog('warn');
  log.debug({}, 'a');
  log.info({}, 'b');
  log.error({}, 'c');
  expect(lines.map(({ event }) => event)).toEqual(['c']);
  const silent = aLog('silent');
  silent.log.error({}, 'd');
  expect(silent.lines).toEqual([]);
});

it('L12: redacts before a line is made', () => {
  const { log, lines } = aLog('info');
  log.error({ apiSecret: 'abc', cause: new Error('Bearer abcdefghij') }, 'venue.refused');
  expect(JSON.stringify(lines)).not.toMatch(/abc/);
});

it('appends to a file, each line there before the call returns', () => {
  const folder = mkdtempSync(join(tmpdir(), 'predictd-log-'));
  const file = join(folder, 'logs', 'predictd.log');
  createPinoLog({ level: 'info', file }).info({ n: 1 }, 'first');
  createPinoLog({ level: 'info', file }).info({ n: 2 }, 'second');
  expect(
    readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { event: string }).event),
  ).toEqual(['first', 'second']);
  rmSync(folder, { recursive: true });
});

it('disk-full: fails no caller that logs, and counts what was lost', () => {
  let lost = 0;
  const log = createPinoLog({
    level: 'info',
    file: '/dev/full',
    onLost: (lines) => (lost += lines),
  });
  for (let lines = 0; lines < 2_000; lines += 1)
    log.error({ text: 'x'.repeat(1_000) }, 'order.updated');
  expect(lost).toBeGreaterThan(900);
});

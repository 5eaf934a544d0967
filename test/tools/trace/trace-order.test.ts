import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLmdbStore } from '../../../src/adapters/lmdb/lmdb-store.ts';
import { runTraceCommand } from '../../../src/tools/trace/trace-command.ts';
import type { DomainEvent } from '../../../src/domain/events.ts';
import { asId, type AttemptId, type IntentId, type UserId } from '../../../src/domain/ids.ts';

const USER = asId<UserId>('usr_1');
const AT_MS = Date.parse('2026-11-28T10:00:00Z');
const ATTEMPT = `0x${'ab'.repeat(32)}`;
let folder: string;
let printed: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'predictd-trace-'));
  printed = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

function signed(intentId: string, attemptId: string): DomainEvent {
  return {
    type: 'order.signed',
    userId: USER,
    atMs: AT_MS,
    intentId: asId<IntentId>(intentId),
    attemptId: asId<AttemptId>(attemptId),
  };
}

function changed(intentId: string): DomainEvent {
  return {
    type: 'order.changed',
    userId: USER,
    atMs: AT_MS + 250,
    intentId: asId<IntentId>(intentId),
    from: 'signed',
    to: 'live',
    reason: null,
  };
}

async function keep(commits: readonly (readonly DomainEvent[])[]): Promise<void> {
  const store = await openLmdbStore({ path: join(folder, 'store') });
  for (const facts of commits)
    await store.write((tx) => {
      for (const fact of facts) tx.append(fact);
    });
  await store.close();
}

const run = (...words: readonly string[]) =>
  runTraceCommand(words, folder, (line) => void printed.push(line));

describe('trace order', () => {
  beforeEach(() =>
    keep([[signed('int_1', ATTEMPT)], [signed('int_12', '0xcd')], [changed('int_1')]]),
  );

  it.each(['int_1', ATTEMPT])(
    'gives the facts and log lines of one order, asked for by %s',
    async (id) => {
      writeFileSync(
        join(folder, 'predictd.log'),
        [
          '{"event":"order.sent","intentId":"int_1"}',
          '{"event":"order.sent","intentId":"int_12"}',
          `{"event":"fill.booked","orderId":"${ATTEMPT}"}`,
          '',
        ].join('\n'),
      );
      expect(await run('order', id)).toBe(0);
      expect(printed).toEqual([
        `names     int_1, ${ATTEMPT}`,
        `fact      2026-11-28T10:00:00.000Z  entry 1, commit 1  order.signed  {"intentId":"int_1","attemptId":"${ATTEMPT}"}`,
        'fact      2026-11-28T10:00:00.250Z  entry 3, commit 3  order.changed  {"intentId":"int_1","from":"signed","to":"live","reason":null}',
        'log       {"event":"order.sent","intentId":"int_1"}',
        `log       {"event":"fill.booked","orderId":"${ATTEMPT}"}`,
      ]);
    },
  );

  it('shows the trace of one that was traced', async () => {
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    const intent = { intentId: 'int_3', traceparent: `00-${trace}-00f067aa0ba902b7-01` };
    await keep([
      // of an intent no more is read here
      [{ type: 'order.intended', userId: USER, atMs: AT_MS, intent } as unknown as DomainEvent],
    ]);
    await run('order', 'int_3');
    await run('order', 'int_1');
    expect(printed.filter((line) => line.startsWith('trace'))).toEqual([`trace     ${trace}`]);
  });

  it('does without a log, as where it goes to standard output', async () => {
    await run('order', 'int_12');
    expect(printed.map((line) => line.slice(0, 8).trim())).toEqual(['names', 'fact']);
  });

  it.each([
    [['order', 'int_2'], /no order of this data folder has the id int_2/],
    [['order', 'x'.repeat(9_000)], /has the id x{100}…$/],
    [['order'], /^an id is missing; use: predictd trace order <id>/],
    [['order', '--data', 'elsewhere'], /^an id is missing/],
    [['swap', 'int_1'], /order and an id are missing/],
    [['order', 'int_1', '--all'], /--all is not understood/],
  ])('refuses %j', async (words, sentence) => {
    await expect(run(...words)).rejects.toThrow(sentence);
  });
});

import { describe, expect, it } from 'vitest';
import { DEGRADED_REPORT } from '../../config/limits/log.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { observedLog } from '../../src/app/observed-log.ts';
import { streamReports } from '../../src/app/stream-reports.ts';
import { reportDegraded } from '../../src/app/report-degraded.ts';
import { createKeptLog, createKeptMetrics } from '../support/quiet.ts';
import { VENUE_A } from '../support/venue-ids.ts';

const NOON = Date.UTC(2026, 0, 1, 12);

function aTerminal() {
  const clock = createVirtualClock(NOON);
  const kept = createKeptLog();
  const log = observedLog(kept);
  const lines: string[] = [];
  const stop = reportDegraded({
    log,
    clock,
    marketClock: clock,
    print: (line) => void lines.push(line),
  });
  return { clock, kept, log, lines, stop };
}

describe('what is degraded, on the terminal', () => {
  it('is one line when an agent cannot decide and one when it can again, and all of it is in the log', async () => {
    const { clock, kept, log, lines } = aTerminal();
    log.warn({ agentId: 'btc_5min', enrolled: 1, codes: ['oracle_stale'] }, 'agents.degraded');
    log.warn(
      { agentId: 'btc_5min', enrolled: 1, codes: ['oracle_stale', 'book_untrusted'] },
      'agents.degraded',
    );
    await clock.advance(12_000);
    log.warn({ agentId: 'btc_5min', enrolled: 1, codes: [] }, 'agents.recovered_inputs');
    await clock.advance(DEGRADED_REPORT.overAfterMs);
    expect(lines).toEqual([
      '12:00:00  degraded  BTC 5-minute does not decide: There is no fresh oracle price.',
      '12:00:17  over      BTC 5-minute does not decide: over after 12 s, said 2 times',
    ]);
    expect(kept.lines).toHaveLength(3);
  });

  it('is one line for a connection however often it is tried, and one when it is back', async () => {
    const { clock, log, lines } = aTerminal();
    const { books, prices } = streamReports({ log, metrics: createKeptMetrics() });
    for (const attempt of [1, 2, 3]) {
      books(VENUE_A).reconnecting?.({
        cause: new Error('socket \u001b[31mlost'),
        attempt,
        waitMs: 1,
      });
      prices.reconnecting?.('exchange', { cause: new Error('silent'), attempt, waitMs: 1 });
    }
    await clock.advance(5_000);
    books(VENUE_A).reconnected?.();
    await clock.advance(DEGRADED_REPORT.overAfterMs);
    expect(lines).toEqual([
      '12:00:00  degraded  connection to the order books of venue_a lost: Error: socket [31mlost',
      '12:00:00  degraded  connection to the prices of exchange lost: Error: silent',
      '12:00:10  over      connection to the order books of venue_a lost: over after 5 s, said 3 times',
    ]);
    prices.reconnected?.('exchange');
    await clock.advance(DEGRADED_REPORT.overAfterMs);
    expect(lines).toHaveLength(4);
  });

  it('is one line while it comes and goes, over as of when it went for good', async () => {
    const { clock, log, lines, stop } = aTerminal();
    const { books } = streamReports({ log, metrics: createKeptMetrics() });
    for (let round = 0; round < 40; round += 1) {
      books(VENUE_A).reconnecting?.({ cause: new Error('no first book'), attempt: 1, waitMs: 1 });
      await clock.advance(250);
      books(VENUE_A).reconnected?.();
      await clock.advance(250);
    }
    expect(lines).toEqual([
      '12:00:00  degraded  connection to the order books of venue_a lost: Error: no first book',
    ]);
    await clock.advance(DEGRADED_REPORT.overAfterMs);
    expect(lines.slice(1)).toEqual([
      '12:00:24  over      connection to the order books of venue_a lost: over after 20 s, said 40 times',
    ]);
    books(VENUE_A).reconnecting?.({ cause: new Error('silent'), attempt: 1, waitMs: 1 });
    books(VENUE_A).reconnected?.();
    await stop();
    await clock.advance(DEGRADED_REPORT.overAfterMs);
    expect(lines).toHaveLength(3);
  });

  it('is over for money when a whole check finds nothing any more', async () => {
    const { clock, log, lines } = aTerminal();
    log.error({ userId: 'usr_a', mismatches: [] }, 'money.mismatched');
    log.info({ users: 2, unanswered: 0, mismatched: 1 }, 'money.reconciled');
    expect(lines).toEqual([
      '12:00:00  degraded  ledger and chain of usr_a differ: predictd.log says by what',
    ]);
    log.info({ users: 2, unanswered: 0, mismatched: 0 }, 'money.reconciled');
    await clock.advance(DEGRADED_REPORT.overAfterMs);
    expect(lines.slice(1)).toEqual([
      '12:00:05  over      ledger and chain of usr_a differ: over after 0 s',
    ]);
  });

  it('fills no screen: of many at once only some are shown', async () => {
    const { log, lines, stop } = aTerminal();
    for (let user = 0; user < 500; user += 1)
      log.warn({ userId: `usr_${user}`, code: 'user_stream_blind' }, 'user_stream.degraded');
    expect(lines).toHaveLength(DEGRADED_REPORT.shownMaximum);
    await stop();
    log.warn({ userId: 'usr_0', code: null }, 'user_stream.degraded');
    expect(lines).toHaveLength(DEGRADED_REPORT.shownMaximum);
  });
});

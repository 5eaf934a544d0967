import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openDataFolder } from '../../../src/tools/research/data-folder.ts';
import { readLateWindowSeries } from '../../../src/tools/research/read/late-window-series.ts';
import { readSettlementSeries } from '../../../src/tools/research/read/settlement-series.ts';
import { withEvenQuotes, type RecordedSeries } from '../../../src/tools/research/series.ts';
import { STAND_INS } from '../../../src/tools/research/stand-ins.ts';
import { STRATEGIES } from '../../../src/domain/strategy/table.ts';
import { sharedData } from '../../support/recordings/shared-data.ts';
import { hashOf, verdictsOver } from './verdict-log.ts';

const DATA = sharedData('data');
const kept: unknown = JSON.parse(
  readFileSync(fileURLToPath(new URL('./recorded-verdicts.json', import.meta.url)), 'utf8'),
);

/**
 * Two hours of the day are enough to see every strategy decide; what came before them is left out.
 */
const FROM_MS = Date.parse('2026-06-08T12:00:00Z');
const TO_MS = Date.parse('2026-06-08T14:00:00Z');

function twoHours(series: RecordedSeries): RecordedSeries {
  return {
    ...series,
    rounds: series.rounds.filter(
      ({ startsAtMs, endsAtMs }) => startsAtMs >= FROM_MS && endsAtMs <= TO_MS,
    ),
    events: series.events.filter(({ atMs }) => atMs >= FROM_MS && atMs < TO_MS),
  };
}

/**
 * Every verdict of every strategy, at every recorded moment, with the stand-in that vetoes nothing.
 */
function verdictsOfAll(root: string): Readonly<Record<string, unknown>> {
  const folder = openDataFolder(root);
  const [ticks, samples] = [readSettlementSeries(folder), readLateWindowSeries(folder)];
  const standIn = STAND_INS.find(({ id }) => id === 'always_agrees');
  const all: Record<string, unknown> = {};
  if (ticks === null || samples === null || standIn === undefined) return all;
  for (const series of [withEvenQuotes(twoHours(ticks)), samples]) {
    for (const row of STRATEGIES.of('btc_5min')) {
      const log = verdictsOver(series, row, standIn);
      all[`${row.strategy} ${series.name}`] = {
        verdicts: log.length,
        entries: log.filter(({ text }) => text.includes('"verdict":"enter"')).length,
        hash: hashOf(log),
      };
    }
  }
  return all;
}

describe.runIf(DATA !== null)('recorded rounds through the signal and every strategy', () => {
  it('L10: give the verdicts they gave when this was written, to the byte, and again in the same process', () => {
    const first = verdictsOfAll(DATA ?? '');
    expect(first).toEqual(kept);
    expect(verdictsOfAll(DATA ?? '')).toEqual(first);
  }, 600_000);
});

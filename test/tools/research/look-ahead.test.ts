import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openDataFolder } from '../../../src/tools/research/data-folder.ts';
import { forecastsOf } from '../../../src/tools/research/forecasts.ts';
import { readLateWindowSeries } from '../../../src/tools/research/read/late-window-series.ts';
import { readQuotedQuarterHours } from '../../../src/tools/research/read/quarter-hour-series.ts';
import { readSettlementSeries } from '../../../src/tools/research/read/settlement-series.ts';
import {
  inOrder,
  withEvenQuotes,
  type RecordedSeries,
  type SeriesEvent,
} from '../../../src/tools/research/series.ts';
import { STAND_INS, type StandIn } from '../../../src/tools/research/stand-ins.ts';
import { byEachView } from '../../../src/domain/strategy/round-judge.ts';
import type { StrategyRow } from '../../../src/domain/strategy/strategy-row.ts';
import { STRATEGIES } from '../../../src/domain/strategy/table.ts';
import { assetPriceE8 } from '../../../src/domain/units.ts';
import { sampled } from '../../support/sampled.ts';
import { DAY_SECONDS, writeSmallData } from './small-data.ts';
import { verdictsOver } from './verdict-log.ts';

const folder = mkdtempSync(join(tmpdir(), 'lookahead-'));
writeSmallData(folder);
const data = openDataFolder(folder);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const BLIND = STAND_INS.filter(({ knowsTheEnd }) => !knowsTheEnd);
const FORESIGHT = STAND_INS.filter(({ knowsTheEnd }) => knowsTheEnd);

/** Moments inside rounds and between them, of rounds early and late. */
const CUTS = [1_234, 2_640, 3_750, 5_470, 7_501].map((second) => (DAY_SECONDS + second) * 1_000);

function present<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('the made-up data lacks a set');
  return value;
}

const ticks = withEvenQuotes(present(readSettlementSeries(data)));
const samples = present(readLateWindowSeries(data));
const quarters = readQuotedQuarterHours(data);

/**
 * The series as it would have gone on if all that became known at the cut or later had been
 * otherwise, the winners too.
 */
function withOtherFuture(series: RecordedSeries, cutMs: number): RecordedSeries {
  return {
    ...series,
    rounds: series.rounds.map((round) =>
      round.endsAtMs > cutMs ? { ...round, winner: round.winner === 0 ? 1 : 0 } : round,
    ),
    events: series.events.map((event) => (event.atMs >= cutMs ? otherwise(event) : event)),
  };
}

function otherwise(event: SeriesEvent): SeriesEvent {
  switch (event.kind) {
    case 'oracle':
    case 'exchange':
      return { ...event, price: assetPriceE8(Math.round(event.price * 1.01)) };
    case 'opening':
      return {
        ...event,
        strike: assetPriceE8(Math.round(event.strike * 0.99)),
        exchange: assetPriceE8(Math.round(event.exchange * 0.99)),
      };
    case 'quotes': {
      const {
        tops: [up, down],
        buyPrices: [buyUp, buyDown],
      } = event.quotes;
      return { ...event, quotes: { tops: [down, up], buyPrices: [buyDown, buyUp] } };
    }
  }
}

/** Of these cuts, those at which another future changed a verdict that came before it. */
function peeks(
  series: RecordedSeries,
  row: StrategyRow,
  standIn: StandIn,
  cuts: readonly number[],
  wrong: (series: RecordedSeries) => RecordedSeries = (same) => same,
): readonly number[] {
  const usual = verdictsOver(wrong(series), row, standIn, Math.max(...cuts));
  return cuts.filter((cutMs) => {
    const other = verdictsOver(wrong(withOtherFuture(series, cutMs)), row, standIn, cutMs);
    const before = usual.filter(({ atMs }) => atMs < cutMs);
    return (
      before.length !== other.length ||
      before.some(({ atMs, text }, index) => {
        const verdict = other[index];
        return verdict?.atMs !== atMs || verdict.text !== text;
      })
    );
  });
}

const seriesOf = (row: StrategyRow): readonly RecordedSeries[] =>
  row.agentId === 'btc_5min'
    ? [ticks, samples]
    : quarters.filter(({ rounds }) => `${rounds[0]?.asset.toLowerCase()}_15min` === row.agentId);
const ROWS = STRATEGIES.rows.map((row) => [`${row.agentId} ${row.strategy}`, row] as const);

describe('the lookahead probe', () => {
  it.each(ROWS)('%s decides by nothing that has not happened', (_name, row) => {
    expect(seriesOf(row).length).toBeGreaterThan(0);
    for (const series of seriesOf(row))
      for (const standIn of BLIND) {
        const cuts = sampled(`${series.name} ${row.strategy} ${standIn.id}`, CUTS, 1);
        expect(peeks(series, row, standIn, cuts)).toEqual([]);
      }
  });

  it('looks at runs in which every strategy that can enter does, before the last cut', () => {
    const entered = ROWS.filter(([, row]) =>
      seriesOf(row).some((series) =>
        BLIND.some((standIn) =>
          verdictsOver(series, row, standIn).some(
            ({ atMs, text }) => atMs < Math.max(...CUTS) && text.includes('"enter"'),
          ),
        ),
      ),
    );
    expect(entered.map(([name]) => name)).toEqual(ROWS.map(([name]) => name));
  });

  it('holds for the scored signal as well', () => {
    const cutMs = CUTS[3] ?? 0;
    const scored = (series: RecordedSeries) =>
      forecastsOf(series, [270, 120, 30], 5_000)
        .filter(({ startsAtMs }) => startsAtMs + 300_000 <= cutMs)
        .map(({ slug, secondsLeft, ours }) => [slug, secondsLeft, ours]);
    expect(scored(withOtherFuture(ticks, cutMs))).toEqual(scored(ticks));
    expect(scored(ticks).length).toBeGreaterThan(20);
  });
});

describe('the probe finds a planted lookahead', () => {
  const upDown = present(STRATEGIES.row('btc_5min', 'up_down'));
  const agrees = present(STAND_INS.find(({ id }) => id === 'always_agrees'));

  it('of prices that are reported two seconds before they came', () => {
    const early = (series: RecordedSeries): RecordedSeries => ({
      ...series,
      events: inOrder(
        series.events.map((event) =>
          event.kind === 'oracle' || event.kind === 'exchange'
            ? { ...event, atMs: event.atMs - 2_000, sourceAtMs: event.sourceAtMs - 2_000 }
            : event,
        ),
      ),
    });
    expect(peeks(ticks, upDown, agrees, CUTS, early).length).toBeGreaterThan(0);
  });

  it('of a strategy that knows the last price of the day', () => {
    const cutMs = Math.max(...CUTS);
    const peeking = (series: RecordedSeries): StrategyRow => {
      const last =
        series.events.flatMap((event) => (event.kind === 'oracle' ? [event.price] : [])).at(-1) ??
        0;
      return {
        ...upDown,
        judgeFor: () =>
          byEachView((view) => ({
            verdict: 'skip',
            outcome: null,
            criteria: [],
            reason: last > (view.oracle?.value ?? 0) ? 'higher' : 'lower',
          })),
      };
    };
    const [usual, other] = [ticks, withOtherFuture(ticks, cutMs)].map((series) =>
      verdictsOver(series, peeking(series), agrees).filter(({ atMs }) => atMs < cutMs),
    );
    expect(other).not.toEqual(usual);
  });

  it.each(FORESIGHT)('of $title, which looks at who wins', (standIn) => {
    expect(peeks(ticks, upDown, standIn, CUTS).length).toBeGreaterThan(0);
  });
});

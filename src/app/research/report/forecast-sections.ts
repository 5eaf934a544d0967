import type { BaseRate, ForecastPart, ForecastStudy } from '../figures.ts';
import type { Scores } from '../score-forecasts.ts';
import { COIN } from '../score-forecasts.ts';
import { COLOURS, reliabilityChart, scoreByTimeChart } from './charts.ts';
import { figure, intervalText, moment, numberText, paragraph, section, shareText, sideBySide, tableOf } from './html-parts.ts';
import type { Cell } from './html-parts.ts';

const SCORE_HEADINGS = ['part', 'source', 'forecasts', 'rounds', 'Brier score', 'log loss', 'calibration error'];

/** The signal where it was computed, and the market's price where it was recorded. */
export function forecastSections(studies: readonly ForecastStudy[]): string {
  const ours = studies.filter(({ recalibration }) => recalibration !== null);
  const markets = studies.filter(({ recalibration }) => recalibration === null);
  return [
    section(
      'signal', 'Is the signal right?',
      paragraph('The signal is the probability that a round ends Up, computed by the very functions the agents call. A dot on the dashed line means: what was called 80 % came true in 80 % of cases. Bars are 95 % intervals; larger dots hold more forecasts.'),
      ...ours.map(studyOf),
    ),
    ...(markets.length === 0 ? [] : [section('market', 'Is the market’s price right?', paragraph('The same question for the price itself, on sets that hold no reference price and so no signal of ours. One price a round, or one at each stated time.'), ...markets.map(studyOf))]),
  ].join('\n');
}

function studyOf(study: ForecastStudy): string {
  const rows = study.parts.flatMap((part) => partRows(part));
  return [
    `<h3>${study.name}</h3>`,
    paragraph(`Out of sample from ${moment(study.splitMs)} UTC on.${study.standIns.length === 0 ? '' : ` Not recorded, and what stands in: ${study.standIns.join('; ')}.`}`),
    tableOf(SCORE_HEADINGS, [...rows, ['', 'coin', { number: '' }, { number: '' }, numberText(COIN.brier, 3), numberText(COIN.logLoss, 3), { number: '' }]]),
    sideBySide(...study.parts.flatMap((part) => reliabilityOf(study.name, part))),
    sideBySide(...study.parts.flatMap((part) => byTimeOf(study.name, part))),
    ...recalibrationRows(study),
  ].join('\n');
}

function partRows({ part, ours, market, difference }: ForecastPart): readonly (readonly Cell[])[] {
  return [
    ...(ours === null ? [] : [scoreRow(part, 'our signal', ours)]),
    ...(market === null ? [] : [scoreRow(part, 'market price', market)]),
    ...(difference === null ? [] : [[part, 'ours less market (below 0: ours is better)', { number: '' }, { number: '' }, intervalText(difference.brier, 3), intervalText(difference.logLoss, 3), { number: '' }]]),
  ];
}

function scoreRow(part: string, source: string, { forecasts, rounds, brier, logLoss, calibrationError }: Scores): readonly Cell[] {
  return [part, source, numberText(forecasts, 0), numberText(rounds, 0), intervalText(brier, 3), intervalText(logLoss, 3), numberText(calibrationError, 3)];
}

function reliabilityOf(name: string, { part, ours, market }: ForecastPart): readonly string[] {
  const lines = [...(ours === null ? [] : [{ name: 'our signal', colour: COLOURS.ours, bins: ours.bins }]), ...(market === null ? [] : [{ name: 'market price', colour: COLOURS.market, bins: market.bins }])];
  return lines.length === 0 ? [] : [figure(reliabilityChart(chartName(name, part, 'reliability'), lines), `Reliability on ${name}, ${part}.`)];
}

/** A course over less time than this is no course. */
const SECONDS_SHOWN = 60;

function byTimeOf(name: string, { part, byTimeLeft }: ForecastPart): readonly string[] {
  const [first, last] = [byTimeLeft[0], byTimeLeft.at(-1)];
  if (first === undefined || last === undefined || first.secondsLeft - last.secondsLeft < SECONDS_SHOWN) return [];
  const lines = [
    { name: 'our signal', colour: COLOURS.ours, values: byTimeLeft.map(({ ours }) => ours?.brier.estimate ?? null) },
    { name: 'market price', colour: COLOURS.market, values: byTimeLeft.map(({ market }) => market?.brier.estimate ?? null) },
  ].filter(({ values }) => values.some((value) => value !== null));
  return [figure(scoreByTimeChart(chartName(name, part, 'time'), { secondsLeft: byTimeLeft.map(({ secondsLeft }) => secondsLeft), lines, coin: COIN.brier }), `Brier score by the time left on ${name}, ${part}.`)];
}

function recalibrationRows({ name, recalibration }: ForecastStudy): readonly string[] {
  if (recalibration === null) return [];
  const { stretchPercent, plain, stretched } = recalibration;
  return [
    paragraph(`What in-sample data would change: the volatility times ${(stretchPercent / 100).toFixed(2)} had the smallest log loss in sample on ${name}. Out of sample, with and without it:`),
    tableOf(SCORE_HEADINGS, [scoreRow('out of sample', 'our signal, as it is', plain), scoreRow('out of sample', `volatility × ${(stretchPercent / 100).toFixed(2)}`, stretched)]),
  ];
}

/** A name that is fit for a style class, one a plot. */
function chartName(...words: readonly string[]): string {
  return words.join('-').replace(/[^a-zA-Z0-9]+/g, '-');
}

/** How often rounds end Up at all. */
export function baseRateSection(rates: readonly BaseRate[]): string {
  if (rates.length === 0) return '';
  return section(
    'base-rate', 'Is a round a fair coin?',
    paragraph('Outcomes of BTC 5-minute rounds: the share that ended Up, and the share in which the exchange’s own open and close point the same way as the venue’s word, which settles on another feed.'),
    tableOf(['part', 'rounds', 'ended Up', 'exchange agrees'], rates.map(({ part, rounds, up, exchangeAgrees }) => [part, numberText(rounds, 0), shareText(up), shareText(exchangeAgrees)])),
  );
}

import { EVIDENCE, RESEARCH } from '../../../../config/limits/research.ts';
import type { Interval } from '../../../domain/evidence/interval.ts';
import type { BaseRate, ForecastPart, ForecastStudy } from '../figures.ts';
import { COIN, type Scores } from '../score-forecasts.ts';
import { COLOURS, reliabilityChart, scoreByTimeChart } from './charts.ts';
import {
  counted,
  figure,
  intervalText,
  moment,
  numberText,
  paragraph,
  section,
  shareText,
  sideBySide,
  tableOf,
  type Cell,
} from './html-parts.ts';
import { points } from './verdicts.ts';

const SCORE_HEADINGS = [
  'part',
  'source',
  'forecasts',
  'rounds',
  'Brier score, by hour or round',
  'by day',
  'log loss, by hour or round',
  'calibration error',
];

/** The signal where it was computed, and the market's price where it was recorded. */
export function forecastSections(studies: readonly ForecastStudy[]): string {
  const ours = studies.filter(({ calibration }) => calibration !== null);
  const markets = studies.filter(({ calibration }) => calibration === null);
  return [
    section(
      'signal',
      'Is the signal right?',
      paragraph(
        'The signal’s strength that a round ends Up, by the very functions the agents call, read here as if it were a chance. A dot on the dashed line means: what was called 80 % came true in 80 % of cases. Bars are 95 % intervals; larger dots hold more forecasts.',
      ),
      ...ours.map(studyOf),
    ),
    ...(markets.length === 0
      ? []
      : [
          section(
            'market',
            'Is the market’s price right?',
            paragraph(
              'The same question for the price itself, on sets that hold no reference price and so no signal of this service. One price a round, or one at each stated time.',
            ),
            ...markets.map(studyOf),
          ),
        ]),
  ].join('\n');
}

function studyOf(study: ForecastStudy): string {
  const rows = study.parts.flatMap((part) => partRows(part));
  return [
    `<h3>${study.name}</h3>`,
    paragraph(
      `${splitText(study)}${study.standIns.length === 0 ? '' : ` Not recorded, and what takes its place: ${study.standIns.join('; ')}.`}`,
    ),
    tableOf(SCORE_HEADINGS, [
      ...rows,
      [
        '',
        'coin',
        { number: '' },
        { number: '' },
        numberText(COIN.brier, 3),
        { number: '' },
        numberText(COIN.logLoss, 3),
        { number: '' },
      ],
    ]),
    sideBySide(...study.parts.flatMap((part) => reliabilityOf(study.name, part))),
    sideBySide(...study.parts.flatMap((part) => byTimeOf(study.name, part))),
    ...gapRows(study),
    ...calibrationRows(study),
  ].join('\n');
}

function partRows({ part, ours, market, difference }: ForecastPart): readonly (readonly Cell[])[] {
  return [
    ...(ours === null ? [] : [scoreRow(part, 'our signal', ours)]),
    ...(market === null ? [] : [scoreRow(part, 'market price', market)]),
    ...(difference === null
      ? []
      : [
          [
            part,
            'ours less market (below 0: ours is better)',
            { number: '' },
            { number: '' },
            intervalText(difference.brier, 3),
            byDayText(difference.brierByDay),
            intervalText(difference.logLoss, 3),
            { number: '' },
          ],
        ]),
  ];
}

function scoreRow(
  part: string,
  source: string,
  { forecasts, rounds, brier, brierByDay, logLoss, calibrationError }: Scores,
): readonly Cell[] {
  return [
    part,
    source,
    numberText(forecasts, 0),
    numberText(rounds, 0),
    intervalText(brier, 3),
    byDayText(brierByDay),
    intervalText(logLoss, 3),
    numberText(calibrationError, 3),
  ];
}

function byDayText(byDay: Interval | null): Cell {
  return byDay === null ? { number: 'too few days' } : intervalText(byDay, 3);
}

/** From when on a set is out of sample, or that none of it is. */
function splitText({ splitMs, parts }: ForecastStudy): string {
  const isSplit = parts.some(
    ({ part, ours, market }) => part === 'out of sample' && (ours !== null || market !== null),
  );
  return isSplit
    ? `Out of sample from ${moment(splitMs)} UTC on.`
    : 'Nothing of it is out of sample: something was chosen or checked on each of its days.';
}

function reliabilityOf(name: string, { part, ours, market }: ForecastPart): readonly string[] {
  const lines = [
    ...(ours === null ? [] : [{ name: 'our signal', colour: COLOURS.ours, bins: ours.bins }]),
    ...(market === null
      ? []
      : [{ name: 'market price', colour: COLOURS.market, bins: market.bins }]),
  ];
  return lines.length === 0
    ? []
    : [
        figure(
          reliabilityChart(chartName(name, part, 'reliability'), lines),
          `Reliability on ${name}, ${part}.`,
        ),
      ];
}

/** A course over less time than this is no course. */
const SECONDS_SHOWN = 60;

function byTimeOf(name: string, { part, byTimeLeft }: ForecastPart): readonly string[] {
  const [first, last] = [byTimeLeft[0], byTimeLeft.at(-1)];
  if (
    first === undefined ||
    last === undefined ||
    first.secondsLeft - last.secondsLeft < SECONDS_SHOWN
  )
    return [];
  const lines = [
    {
      name: 'our signal',
      colour: COLOURS.ours,
      values: byTimeLeft.map(({ ours }) => ours?.brier.estimate ?? null),
    },
    {
      name: 'market price',
      colour: COLOURS.market,
      values: byTimeLeft.map(({ market }) => market?.brier.estimate ?? null),
    },
  ].filter(({ values }) => values.some((value) => value !== null));
  return [
    figure(
      scoreByTimeChart(chartName(name, part, 'time'), {
        secondsLeft: byTimeLeft.map(({ secondsLeft }) => secondsLeft),
        lines,
        coin: COIN.brier,
      }),
      `Brier score by the time left on ${name}, ${part}.`,
    ),
  ];
}

const DAY_HEADINGS = [
  'day',
  'rounds',
  'forecasts',
  'strong: stated',
  'came true',
  'log loss',
  'factor on log odds from the other days',
  'log loss with it',
];
const MARKET_HEADINGS = [
  'day',
  'forecasts',
  'log loss: ours',
  'market',
  'mean of both',
  'weight of this service from the other days',
  'log loss with it',
];

const GAP_HEADINGS = ['source', 'forecasts', 'stated', 'came true', 'came true less stated'];

function gapRows({ strongGaps }: ForecastStudy): readonly string[] {
  if (strongGaps.length === 0) return [];
  return [
    paragraph(
      `Where the likelier side was given ${RESEARCH.strongPercent} % or more, at the moments at which our signal spoke. Exits are priced by the market alone.`,
    ),
    tableOf(
      GAP_HEADINGS,
      strongGaps.map(({ source, forecasts, stated, cameTrue, gap }) => [
        source,
        numberText(forecasts, 0),
        numberText(stated, 3),
        numberText(cameTrue, 3),
        { number: points(gap) },
      ]),
    ),
  ];
}

function calibrationRows({ name, calibration }: ForecastStudy): readonly string[] {
  if (calibration === null) return [];
  const { days, isEnough } = calibration;
  const quoted = days.flatMap(({ day, market }) => (market === null ? [] : [{ day, market }]));
  return [
    paragraph(
      `Each day of ${name} judged by the others (leave one day out); strong is a strength of ${RESEARCH.strongPercent} % or more. ${isEnough ? '' : `${counted(days.length, 'day')}: below the ${EVIDENCE.daysMinimum} that the gate asks for, so nothing is fitted by it.`}`,
    ),
    tableOf(
      DAY_HEADINGS,
      days.map(({ day, rounds, forecasts, strong, logLoss, shrunk }) => [
        day,
        numberText(rounds, 0),
        numberText(forecasts, 0),
        numberText(strong?.stated ?? null, 3),
        numberText(strong?.cameTrue ?? null, 3),
        numberText(logLoss, 3),
        numberText(shrunk?.factor ?? null, 2),
        numberText(shrunk?.logLoss ?? null, 3),
      ]),
    ),
    ...(quoted.length === 0
      ? []
      : [
          tableOf(
            MARKET_HEADINGS,
            quoted.map(({ day, market }) => [
              day,
              numberText(market.forecasts, 0),
              numberText(market.oursLogLoss, 3),
              numberText(market.marketLogLoss, 3),
              numberText(market.equalLogLoss, 3),
              numberText(market.fitted?.weight ?? null, 2),
              numberText(market.fitted?.logLoss ?? null, 3),
            ]),
          ),
        ]),
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
    'base-rate',
    'Is a round a fair coin?',
    paragraph(
      'Outcomes of BTC 5-minute rounds: the share that ended Up, and the share in which the exchange’s own open and close point the same way as the venue’s word, which settles on another feed.',
    ),
    tableOf(
      ['part', 'rounds', 'ended Up', 'exchange agrees'],
      rates.map(({ part, rounds, up, exchangeAgrees }) => [
        part,
        numberText(rounds, 0),
        shareText(up),
        shareText(exchangeAgrees),
      ]),
    ),
  );
}

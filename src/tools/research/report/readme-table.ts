import type { Interval } from '../../../domain/evidence/interval.ts';
import type { ForecastStudy, ResearchFigures } from '../figures.ts';
import type { StrategyFigures } from '../strategy-study.ts';
import { percent, signed } from './html-parts.ts';
import { points } from './verdicts.ts';

/**
 * The table of figures of `src/tools/research/README.md`, as Markdown: the run writes it beside the
 * report, and a test holds the README to it.
 */
export function readmeTable(figures: ResearchFigures): string {
  const rows = [
    ...figures.forecasts.flatMap(forecastRows),
    ...figures.heldOut.map(({ what, data, unit, figure, bounds }) => [
      `${what}, measured elsewhere`,
      data,
      unit === 'score' ? scoreText(figure, bounds) : pointsText(figure, bounds),
    ]),
    ...figures.strategies.flatMap(({ name, hasQuotes, figures: all }) =>
      hasQuotes ? all.flatMap((one) => strategyRow(name, one)) : [],
    ),
    ...figures.farming.flatMap(({ name, figures: all }) =>
      all
        .filter(({ isAgent, bets, rule }) => isAgent && bets > 0 && !rule.includes('without'))
        .map(({ part, bets, events, meanAsk, hit, profitWithStopPerUsd }) => [
          `farming as the agent judges, ${part}`,
          `${name}: ${bets} bets on ${events} events`,
          `cost ${percent(meanAsk ?? 0)}, came true in ${shareOf(hit)}; with the stop ${centsOf(profitWithStopPerUsd)}`,
        ]),
    ),
  ];
  return [['what', 'data', 'figure'], ['---', '---', '---'], ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

function forecastRows({ name, parts, strongGaps }: ForecastStudy): readonly string[][] {
  return [
    ...parts.flatMap(({ part, ours, difference }) =>
      ours === null
        ? []
        : [
            [
              `Brier score of the signal, ${part}`,
              `${name}: ${ours.rounds} rounds, ${ours.hours} hours`,
              scoreText(ours.brier.estimate, ours.brier),
            ],
            ...(difference === null
              ? []
              : [
                  [
                    `… less that of the market's price, ${part}`,
                    name,
                    scoreText(difference.brier.estimate, difference.brier),
                  ],
                ]),
          ],
    ),
    ...strongGaps.map(({ source, forecasts, stated, cameTrue, gap }) => [
      `${source}, where 70 % or more: came true (${cameTrue.toFixed(3)}) less stated (${stated.toFixed(3)})`,
      `${name}: ${forecasts} forecasts`,
      points(gap),
    ]),
  ];
}

function strategyRow(name: string, one: StrategyFigures): readonly string[][] {
  const { agent, strategy, standIn, part, trades, money } = one;
  const isShown = money !== null && !one.knowsTheEnd && trades >= TRADES_SHOWN;
  const isLast = standIn === 'always_agrees' || agent !== 'btc_5min';
  return isShown && isLast && (agent === 'btc_5min' || part === 'out of sample')
    ? [
        [
          `${agent} ${strategy}, ${standIn === 'no_skill' ? 'predictions that know nothing' : "without the network's veto"}, ${part}`,
          `${name}: ${trades} trades`,
          centsOf(money.profitPerUsd),
        ],
      ]
    : [];
}

/** Fewer trades say nothing. */
const TRADES_SHOWN = 10;

type Bounds = Pick<Interval, 'low' | 'high'> | null;

function scoreText(figure: number, bounds: Bounds): string {
  const text = (value: number): string => signed(value.toFixed(3));
  return `${text(figure)}${bounds === null ? '' : ` (${text(bounds.low)} to ${text(bounds.high)})`}`;
}

function pointsText(figure: number, bounds: Bounds): string {
  return bounds === null
    ? `${signed((figure * 100).toFixed(1))} points`
    : points({ estimate: figure, ...bounds });
}

function shareOf(hit: Interval | null): string {
  return hit === null
    ? '–'
    : `${percent(hit.estimate)} (${(hit.low * 100).toFixed(1)} to ${(hit.high * 100).toFixed(1)})`;
}

function centsOf(profit: Interval | null): string {
  const text = (usd: number): string => signed((usd * 100).toFixed(1));
  return profit === null
    ? '–'
    : `${text(profit.estimate)} cents a dollar (${text(profit.low)} to ${text(profit.high)})`;
}

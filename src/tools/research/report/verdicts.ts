import { EVIDENCE, RESEARCH } from '../../../../config/limits/research.ts';
import type { Interval } from '../../../domain/evidence/interval.ts';
import type { FarmingFigures } from '../farming-study.ts';
import type { ForecastStudy, ResearchFigures, StrategyStudy } from '../figures.ts';
import type { HeldOutFigure } from '../held-out.ts';
import type { MoneyFigures, StrategyFigures } from '../strategy-study.ts';
import { counted, percent, signed } from './html-parts.ts';

/** Fewer trades than this have no interval worth the name. */
const TRADES_WORTH_A_WORD = 10;

/** What the report says of one strategy, in words. */
export interface Verdict {
  readonly agent: string;
  readonly strategy: string;
  readonly hasEdge: boolean;
  /** One sentence for each set and stand-in, the verdict first. */
  readonly sentences: readonly string[];
}

/**
 * Says of every strategy and way of farming whether an edge was shown. Only out-of-sample trades at
 * recorded prices, without foresight, speak for one.
 */
export function verdictsOf(figures: ResearchFigures): readonly Verdict[] {
  return [...strategyVerdicts(figures), ...farmingVerdicts(figures)];
}

function strategyVerdicts({ strategies }: ResearchFigures): readonly Verdict[] {
  const names = new Map(
    strategies.flatMap(({ figures }) =>
      figures.map(({ agent, strategy }) => [`${agent} ${strategy}`, { agent, strategy }]),
    ),
  );
  return [...names.values()].map(({ agent, strategy }) => {
    const sentences: string[] = [];
    let hasEdge = false;
    for (const study of strategies) {
      const figures = study.figures.filter(
        (one) =>
          one.agent === agent &&
          one.strategy === strategy &&
          one.part === 'out of sample' &&
          !one.knowsTheEnd &&
          one.standIn !== 'absent',
      );
      sentences.push(...new Set(figures.flatMap((one) => wordsOf(study, one))));
      hasEdge ||= figures.some(({ money }) => money?.evidence.passed === true);
    }
    return {
      agent,
      strategy,
      hasEdge,
      sentences: [hasEdge ? 'Edge shown.' : 'No edge shown.', ...sentences],
    };
  });
}

function farmingVerdicts({ farming }: ResearchFigures): readonly Verdict[] {
  const rules = new Map(
    farming.flatMap(({ agent, figures }) =>
      figures
        .filter(({ isAgent }) => isAgent)
        .map(({ rule }) => [`${agent} ${rule}`, { agent, rule }]),
    ),
  );
  return [...rules.values()].map(({ agent, rule }) => {
    const own = farming.filter((study) => study.agent === agent);
    const newest = own.flatMap(({ name, splitMs, figures }) =>
      figures
        .filter((one) => one.rule === rule && (splitMs === null || one.part === 'out of sample'))
        .map((one) => ({ name, one })),
    );
    const hasEdge = newest.some(({ one }) => one.evidence?.passed === true);
    return {
      agent,
      strategy: rule,
      hasEdge,
      sentences: [
        hasEdge ? 'Edge shown.' : 'No edge shown.',
        ...newest.map(({ name, one }) => farmingWords(name, one)),
      ],
    };
  });
}

function farmingWords(
  name: string,
  { bets, meanAsk, hit, profitWithStopPerUsd }: FarmingFigures,
): string {
  if (
    meanAsk === null ||
    hit === null ||
    profitWithStopPerUsd === null ||
    bets < TRADES_WORTH_A_WORD
  )
    return `On ${name}, ${counted(bets, 'bet')}: too few to say anything.`;
  const { estimate, low, high } = profitWithStopPerUsd;
  const range = `${cents(estimate)} per dollar with the stop (95 % from ${cents(low)} to ${cents(high)})`;
  const verdict =
    high < 0
      ? 'it lost'
      : low > 0
        ? 'above zero, and no evidence by itself: see the gate'
        : 'the interval holds zero';
  return `On ${name}, what cost ${percent(meanAsk)} came true in ${percent(hit.estimate)} of ${counted(bets, 'bet')}; ${range}: ${verdict}.`;
}

function wordsOf(study: StrategyStudy, figures: StrategyFigures): readonly string[] {
  const with_ = STAND_IN_WORDS[figures.standIn] ?? figures.standIn;
  if (!study.hasQuotes) {
    if (figures.hit === null) return [];
    const strength =
      figures.meanStrength === null ? '' : ` of ${percent(figures.meanStrength)} on average`;
    return [
      `On ${study.name}, ${with_}, ${counted(figures.trades, 'signal')}${strength} came true in ${percent(figures.hit.estimate)} of cases: worth it up to a price of ${(figures.breakEvenPrice ?? 0).toFixed(2)}.`,
    ];
  }
  if (figures.rounds === 0) return [`On ${study.name} nothing is out of sample.`];
  if (figures.signals === 0)
    return [`On ${study.name}, ${with_}, it never saw its conditions met.`];
  if (figures.money === null)
    return [
      `On ${study.name}, ${with_}, ${counted(figures.signals, 'signal')} found no seller at its limit.`,
    ];
  if (figures.trades < TRADES_WORTH_A_WORD)
    return [
      `On ${study.name}, ${with_}, ${counted(figures.signals, 'signal')} found ${counted(figures.trades, 'trade')}: too few to say anything.`,
    ];
  return [
    `On ${study.name}, ${with_}, ${counted(figures.signals, 'signal')} and ${counted(figures.trades, 'trade')}: ${moneyWords(figures.money)}`,
  ];
}

function moneyWords({ profitPerUsd: { estimate, low, high }, evidence }: MoneyFigures): string {
  const range = `${cents(estimate)} per dollar (95 % from ${cents(low)} to ${cents(high)})`;
  if (evidence.passed) return `${range}, which passes the gate.`;
  if (high < 0) return `${range}: it lost.`;
  const failed = evidence.criteria.filter(({ passed }) => !passed).map(({ name }) => name);
  return low <= 0
    ? `${range}: the interval holds zero.`
    : `${range}, but the gate does not count it (${failed.join(', ')}).`;
}

const STAND_IN_WORDS: Readonly<Record<string, string>> = {
  no_skill: 'with predictions that know nothing',
  always_agrees: 'without the network’s veto',
};

/** A difference of shares of 1 in points of a percent. */
export function points({ estimate, low, high }: Interval): string {
  const text = (share: number): string => signed((share * 100).toFixed(1));
  return `${text(estimate)} points (${text(low)} to ${text(high)})`;
}

function cents(usd: number): string {
  return `${signed((usd * 100).toFixed(1))} cents`;
}

/** The report in a few sentences. */
export function summaryOf(figures: ResearchFigures): readonly string[] {
  const verdicts = verdictsOf(figures);
  const shown = verdicts
    .filter(({ hasEdge }) => hasEdge)
    .map(({ agent, strategy }) => `${agent} ${strategy}`);
  return [
    verdicts.length === 0
      ? []
      : shown.length === 0
        ? [
            `None of the ${verdicts.length} strategies and ways of farming shows an edge on this data.`,
          ]
        : [`An edge was shown by: ${shown.join(', ')}.`],
    figures.forecasts.flatMap(againstMarket),
    figures.forecasts.flatMap(againstCoin),
    figures.forecasts.flatMap(strongWords),
    figures.heldOut.map(heldOutWords),
    figures.farming.flatMap(({ name, figures: bands }) => {
      const agent = bands.findLast(
        ({ hit, isAgent, rule }) => hit !== null && isAgent && !rule.includes('without'),
      );
      return agent === undefined || agent.hit === null || agent.meanAsk === null
        ? []
        : [
            `Farming as the agent on ${name}: what cost ${percent(agent.meanAsk)} came true in ${percent(agent.hit.estimate)} of ${agent.bets} cases (${percent(agent.hit.low)} to ${percent(agent.hit.high)}).${stopWords(agent)}`,
          ];
    }),
    figures.farmingGaps,
    [
      `The gate asks for ${EVIDENCE.tradesMinimum} trades, ${EVIDENCE.lossesMinimum} losses and ${EVIDENCE.winsMinimum} wins on ${EVIDENCE.daysMinimum} days, a lower bound above zero after fees, and nothing made up. The inference network was never recorded, so no record here can pass it whole.`,
    ],
  ].flat();
}

/** Whether the stop paid for itself; nothing where no quotes were recorded after the entry. */
function stopWords({ stopped, profitPerUsd, profitWithStopPerUsd }: FarmingFigures): string {
  if (stopped === 0 || profitPerUsd === null || profitWithStopPerUsd === null) return '';
  return ` Held to the end: ${cents(profitPerUsd.estimate)} per dollar; with the 10 % stop, which ${counted(stopped, 'bet')} met: ${cents(profitWithStopPerUsd.estimate)}.`;
}

function againstMarket({ name, parts, standIns }: ForecastStudy): readonly string[] {
  const part =
    parts.find(({ part, difference }) => part === 'out of sample' && difference !== null) ??
    parts.find(({ difference }) => difference !== null);
  if (
    part?.difference === null ||
    part?.difference === undefined ||
    part.ours === null ||
    part.market === null
  )
    return [];
  const { estimate, low, high } = part.difference.brier;
  const verdict =
    low > 0
      ? 'the market knows more than our signal'
      : high < 0
        ? 'our signal knows more than the market'
        : 'neither is shown to know more';
  return [
    `On ${name}, ${part.part}, ${verdict}: Brier ${part.ours.brier.estimate.toFixed(3)} against ${part.market.brier.estimate.toFixed(3)} (difference ${estimate.toFixed(3)}, ${low.toFixed(3)} to ${high.toFixed(3)}); a coin has 0.250.${standInWords(standIns)}`,
  ];
}

function againstCoin({ name, parts, standIns }: ForecastStudy): readonly string[] {
  const out = parts.find(({ part }) => part === 'out of sample');
  if (
    parts.every(({ market }) => market === null) &&
    out?.ours === null &&
    parts.some(({ ours }) => ours !== null)
  ) {
    return [
      `On ${name} nothing is out of sample, so it does not say whether our signal beats a coin: the signal’s shape was chosen or checked on its days.${standInWords(standIns)}`,
    ];
  }
  if (out?.ours === null || out?.ours === undefined || out.market !== null) return [];
  const { estimate, low, high } = out.ours.brier;
  return [
    `On ${name}, out of sample, our signal ${high < 0.25 ? 'beats a coin' : 'does not beat a coin'}: Brier ${estimate.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)}); stated and observed lie ${(out.ours.calibrationError * 100).toFixed(1)} points apart on average.${standInWords(standIns)}`,
  ];
}

/** How sure each source was where it was strong, in points: below 0 it was too sure. */
function strongWords({ name, strongGaps }: ForecastStudy): readonly string[] {
  return strongGaps.map(
    ({ source, forecasts, stated, cameTrue, gap }) =>
      `On ${name}, ${source} of ${RESEARCH.strongPercent} % or more: stated ${stated.toFixed(3)}, came true ${cameTrue.toFixed(3)} in ${forecasts} forecasts, ${points(gap)}.`,
  );
}

function heldOutWords({ what, data, unit, figure, bounds, measuredOn }: HeldOutFigure): string {
  const text = (value: number): string =>
    unit === 'score' ? value.toFixed(3) : signed((value * 100).toFixed(1));
  const range = bounds === null ? '' : ` (${text(bounds.low)} to ${text(bounds.high)})`;
  return `Elsewhere, on hours kept apart (${data}; measured on ${measuredOn}): ${what}: ${text(figure)}${unit === 'points' ? ' points' : ''}${range}.`;
}

/** What our signal had to do without there: a comparison may only be read with it. */
function standInWords(standIns: readonly string[]): string {
  return standIns.length === 0
    ? ''
    : ` Our signal stood there on stand-ins (${standIns.join('; ')}).`;
}

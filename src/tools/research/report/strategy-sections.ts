import type { Evidence } from '../../../domain/evidence/evidence-gate.ts';
import type { FarmingStudy, ResearchFigures, StrategyStudy } from '../figures.ts';
import { STAND_INS } from '../stand-ins.ts';
import type { StrategyFigures } from '../strategy-study.ts';
import { bandChart, COLOURS, forestChart } from './charts.ts';
import {
  figure,
  intervalText,
  moment,
  numberText,
  paragraph,
  percent,
  section,
  shareText,
  tableOf,
  type Cell,
} from './html-parts.ts';
import { verdictsOf } from './verdicts.ts';

/** What every strategy comes to, in words. */
export function verdictSection(figures: ResearchFigures): string {
  const rows = verdictsOf(figures).map(({ agent, strategy, sentences }): readonly Cell[] => [
    agent,
    strategy,
    { sentences },
  ]);
  return section(
    'verdicts',
    'Verdict by strategy',
    paragraph(
      'Out of sample only. What the network would have added is unknown: each sentence says what stood in for it.',
    ),
    tableOf(['agent', 'strategy', 'verdict'], rows),
  );
}

/** What every strategy did. */
export function strategySections(figures: ResearchFigures): string {
  if (figures.strategies.length === 0) return '';
  const withMoney = figures.strategies.filter(({ hasQuotes }) => hasQuotes);
  const withoutMoney = figures.strategies.filter(({ hasQuotes }) => !hasQuotes);
  return [
    section(
      'money',
      'Strategies at recorded prices',
      paragraph(
        `Each entry puts in ${figures.stakeUsd} USD at the recorded price, pays the venue’s taker fee (0.07 × p × (1 − p) a share), is judged again as the agent judges it, and is paid by the outcome. Which stand-in took the network’s place is said in every row; “perfect foresight” is a bound and proves nothing. Intervals: 95 %, resampling whole rounds; of a handful of trades they say nothing. The gate is asked out of sample only: trades, wins, losses, days, lower bound, and no stand-ins.`,
      ),
      ...withMoney.map(moneyStudy),
    ),
    section(
      'signals',
      'Strategies where no prices were recorded',
      paragraph(
        'Here only the direction can be judged: how often the side a strategy would have bought won, how sure the signal was, and the highest price at which that hit rate would pay for itself and the fee.',
      ),
      ...withoutMoney.map(signalStudy),
    ),
  ].join('\n');
}

function introOf({ name, splitMs, standIns, figures }: StrategyStudy): string {
  return `<h3>${figures[0]?.agent ?? ''} on ${name}</h3>\n${paragraph(`${figures.some(({ part, rounds }) => part === 'out of sample' && rounds > 0) ? `Out of sample from ${moment(splitMs)} UTC on.` : 'Nothing of it is out of sample: something was chosen or checked on each of its days.'} Not recorded, and what takes its place: ${standIns.join('; ')}; the prediction as each row says.`)}`;
}

function moneyStudy(study: StrategyStudy): string {
  const rows = study.figures.filter(({ standIn }) => standIn !== 'absent');
  const shown = rows
    .flatMap((one) =>
      one.money === null || one.knowsTheEnd
        ? []
        : [
            {
              name: `${one.strategy}, ${shortOf(one.standIn)}, ${one.part}`,
              colour: one.part === 'in sample' ? COLOURS.quiet : COLOURS.ours,
              interval: one.money.profitPerUsd,
              trades: one.trades,
            },
          ],
    )
    .filter(({ trades }) => trades >= LEAST_SHOWN);
  return [
    introOf(study),
    tableOf(
      [
        'strategy',
        'prediction',
        'part',
        'rounds',
        'signals',
        'trades',
        'hit rate',
        'mean price',
        'fees USD',
        'profit USD',
        'profit per USD',
        'gate',
      ],
      rows.map((one) => [
        ...namesOf(one),
        numberText(one.signals, 0),
        numberText(one.trades, 0),
        shareText(one.hit),
        numberText(one.money?.meanPrice ?? null, 3),
        numberText(one.money?.feesUsd ?? null, 2),
        numberText(one.money?.profitUsd ?? null, 2),
        intervalText(one.money?.profitPerUsd ?? null, 3),
        gateOf(one),
      ]),
    ),
    shown.length === 0
      ? ''
      : figure(
          forestChart(`forest-${study.name.replace(/[^a-zA-Z0-9]+/g, '-')}`, {
            axis: 'profit per USD put in, after fees',
            rows: shown,
          }),
          `Profit per USD on ${study.name}, ${LEAST_SHOWN} trades or more; grey is in sample.`,
        ),
  ].join('\n');
}

/** Fewer trades make an interval that says nothing and stretches the plot. */
const LEAST_SHOWN = 10;

function signalStudy(study: StrategyStudy): string {
  return [
    introOf(study),
    tableOf(
      [
        'strategy',
        'prediction',
        'part',
        'rounds',
        'signals',
        'mean strength',
        'came true',
        'pays up to a price of',
      ],
      study.figures
        .filter(({ standIn }) => standIn !== 'absent')
        .map((one) => [
          ...namesOf(one),
          numberText(one.signals, 0),
          { number: one.meanStrength === null ? '–' : percent(one.meanStrength) },
          shareText(one.hit),
          numberText(one.breakEvenPrice, 3),
        ]),
    ),
  ].join('\n');
}

function namesOf({ strategy, standIn, part, rounds }: StrategyFigures): readonly Cell[] {
  return [strategy, shortOf(standIn), part, numberText(rounds, 0)];
}

function shortOf(standIn: string): string {
  return STAND_INS.find(({ id }) => id === standIn)?.short ?? standIn;
}

function gateOf({ money, knowsTheEnd, part }: StrategyFigures): string {
  if (money === null) return '–';
  if (knowsTheEnd) return 'a bound';
  if (part === 'in sample') return 'not asked';
  return failedOf(money.evidence);
}

function failedOf(evidence: Evidence | null): string {
  if (evidence === null) return '–';
  const failed = evidence.criteria
    .filter(({ passed }) => !passed)
    .map(({ name }) => SHORT_NAMES[name] ?? name);
  return failed.length === 0 ? 'passed' : `fails: ${failed.join(', ')}`;
}

const SHORT_NAMES: Readonly<Record<string, string>> = { 'lower bound of profit per USD': 'bound' };

/** How often likely outcomes came. */
export function farmingSection({ farming, farmingGaps }: ResearchFigures): string {
  if (farming.length === 0) return '';
  return section(
    'farming',
    'Farming: does 95 to 98 % come true as often?',
    paragraph(
      'Each side of each market is bought once, at the ask of the first quote whose middle lies in the band, when volume (and liquidity, where it was recorded) are enough; the two last rows are the agent’s own judgement, spread and end included. Crypto and sports are left out of the sets of venue_a, and no fee is charged there: the other categories had none then. What there is of venue_b is crypto alone, and pays that venue’s fee. The stop sells at the first bid 10 % under the entry; quotes stand two minutes, so that is the agent’s three looks, and one minute on venue_b. Intervals: hit rate Wilson 95 %; profit 95 %, resampling whole events. An interval of bets without a loss knows of none: it is too narrow, and the gate does not count it.',
    ),
    ...farmingGaps.map(paragraph),
    ...farming.map(farmingStudy),
  );
}

function farmingStudy({ name, splitMs, standIns, figures }: FarmingStudy): string {
  const isWhole = splitMs === null;
  const newest = figures.filter(
    ({ part, isAgent }) => (isWhole || part === 'out of sample') && !isAgent,
  );
  return [
    `<h3>${name}</h3>`,
    paragraph(
      `${isWhole ? 'One moment, which cannot be split by time; what is undecided five weeks later is left out, which favours the likely side.' : `Out of sample from ${moment(splitMs)} UTC on. Outcomes are the venue’s own.`} What takes the place of records: ${standIns.join('; ')}.`,
    ),
    tableOf(
      [
        'probability',
        'part',
        'bets',
        'events',
        'mean ask',
        'hit rate',
        'profit per USD, held',
        'profit per USD, with stop',
        'stopped',
        'gate',
      ],
      figures.map((one) => [
        one.rule,
        isWhole ? 'whole' : one.part,
        numberText(one.bets, 0),
        numberText(one.events, 0),
        numberText(one.meanAsk, 3),
        shareText(one.hit),
        intervalText(one.profitPerUsd, 3),
        intervalText(isWhole ? null : one.profitWithStopPerUsd, 3),
        numberText(isWhole ? null : one.stopped, 0),
        failedOf(one.evidence),
      ]),
    ),
    figure(
      bandChart(
        `bands-${name}`,
        newest.flatMap(({ rule, hit, meanAsk }) =>
          hit === null || meanAsk === null ? [] : [{ band: rule, hit, paid: meanAsk }],
        ),
      ),
      `Hit rate against price on ${name}${isWhole ? '' : ', out of sample'}. Dots below the diamonds lose.`,
    ),
  ].join('\n');
}

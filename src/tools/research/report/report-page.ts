import { RESEARCH } from '../../../../config/limits/research.ts';
import { DATA_SETS } from '../data-catalogue.ts';
import type { FileRead } from '../data-folder.ts';
import type { ResearchFigures } from '../figures.ts';
import { REGISTER } from '../register.ts';
import { STAND_INS } from '../stand-ins.ts';
import { baseRateSection, forecastSections } from './forecast-sections.ts';
import { listOf, numberText, paragraph, section, tableOf } from './html-parts.ts';
import { farmingSection, strategySections, verdictSection } from './strategy-sections.ts';
import { summaryOf } from './verdicts.ts';

const STYLE = `
:root { color-scheme: light; }
body { font: 15px/1.5 system-ui, sans-serif; color: #222; background: #fff; margin: 0 auto; max-width: 1320px; padding: 24px; }
h1 { font-size: 28px; margin: 0 0 4px; } h2 { font-size: 21px; margin: 40px 0 8px; padding-top: 12px; border-top: 1px solid #ddd; } h3 { font-size: 16px; margin: 28px 0 4px; font-family: ui-monospace, monospace; }
p, ul { max-width: 90ch; } .wide { overflow-x: auto; margin: 12px 0; } nav a { margin-right: 14px; }
table { border-collapse: collapse; font-size: 13px; } th, td { padding: 4px 10px 4px 0; text-align: left; vertical-align: top; border-bottom: 1px solid #eee; } th { border-bottom: 1px solid #999; white-space: nowrap; }
td { white-space: nowrap; } td:last-child { white-space: normal; min-width: 130px; } td.sentences, #method td, #data td { white-space: normal; } td.sentences div + div { margin-top: 3px; }
td.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.plots { display: flex; flex-wrap: wrap; gap: 12px; } figure { margin: 12px 0; } figure svg { max-width: 100%; height: auto; } figcaption { font-size: 13px; color: #555; }
.answer { background: #f4f6f9; border-left: 4px solid #0072b2; padding: 4px 18px; margin: 18px 0; }
`;

const NOT_MEASURED = [
  'The inference network: no history of its predictions exists here for BTC, ETH or SOL. Every strategy asks for its agreement, so every figure of a strategy depends on a stand-in.',
  'Profit of the inference-network strike and the part of Max that rests on it at recorded prices: the sampled books lie 10 to 30 s apart, and the strike looks for conditions that hold through three windows of 10 s.',
  'Touches between two samples: a bid at 60 cents may have been filled in between. Queue and own effect on the book are not modelled.',
  'ETH and SOL rounds of venue_a, and prices of its 15-minute rounds at their start: not recorded. Quotes of venue_b stand in for them.',
  'Farming of venue_b’s other markets: nothing recorded holds quotes and results of the same ones. Its 15-minute snapshots have no results, its 15-minute trades no quotes.',
  'Rounds after 2026-08-07 settle on averaged feeds; all recorded ones are from before.',
  'The two recorded sessions with everything together (2026-04-25, 2026-05-16): two rounds say nothing about an edge. `npm run replay` runs the whole service over them.',
];

/**
 * The report as one HTML file that needs nothing beside it. The same figures and files give the
 * same bytes.
 */
export function reportPage(figures: ResearchFigures, read: readonly FileRead[]): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>predictd research: is the edge real?</title><style>${STYLE}</style></head><body>
<h1>Is the edge real?</h1>
${paragraph('predictd’s signal and strategies over recorded markets, by the code that trades.')}
<div class="answer">${listOf(summaryOf(figures))}</div>
<nav><a href="#verdicts">Verdicts</a><a href="#method">Method</a><a href="#signal">Signal</a><a href="#market">Market</a><a href="#money">Strategies</a><a href="#farming">Farming</a><a href="#limits">Not measured</a><a href="#data">Data</a></nav>
${verdictSection(figures)}
${methodSection(figures)}
${baseRateSection(figures.baseRate)}
${forecastSections(figures.forecasts)}
${strategySections(figures)}
${farmingSection(figures)}
${section('limits', 'What was not measured', listOf(NOT_MEASURED))}
${dataSection(read)}
</body></html>
`;
}

function methodSection({ inSamplePercent, bootstrapDraws, seed }: ResearchFigures): string {
  return section(
    'method',
    'How it was measured',
    listOf([
      `Split: each set by time alone. The first ${inSamplePercent} % of its rounds are in sample, the later ones out of sample. Whatever begins on a day on which something was chosen or checked is in sample, wherever it lies: the table below says what was fixed when.`,
      'Signal: a round’s view is put together from what had been received by that moment, with the agents’ limits of age; volatility comes from the stream the service uses. A test changes the future and finds every decision before it unchanged.',
      `Intervals: 95 %, by drawing whole hours of forecasts (rounds, where there are fewer than ${RESEARCH.hoursMinimum} hours), whole rounds of trades or whole events again ${bootstrapDraws} times with seed ${seed}; shares by Wilson’s score.`,
      `Latency: ${RESEARCH.latencyMs} ms from decision to fill. What is bought or sold at once is charged ${(RESEARCH.latencyTicks / 10_000).toFixed(2)} USD a share for it, what rests nothing; farming pays the ask of the quote after, two minutes later (one on venue_b), where that is worse.`,
      'Brier score: mean squared distance of stated probability and outcome. Log loss: mean negative logarithm of the probability given to what came, probabilities held at least 0.01 away from 0 and 1. Calibration error: mean distance of stated and observed over tenths of probability.',
    ]),
    tableOf(
      ['choice', 'fixed on', 'by', 'days it was chosen or checked on'],
      REGISTER.map(({ what, fixedOn, by, days }) => [what, fixedOn, by, days.join(', ')]),
    ),
    tableOf(
      ['stand-in for the inference network', 'what it is'],
      STAND_INS.map(({ title, meaning }) => [title, meaning]),
    ),
  );
}

function dataSection(read: readonly FileRead[]): string {
  const rows = DATA_SETS.flatMap(({ folder, file, what, licence, credit, use }) => {
    const files = read.filter(
      ({ path }) => path.startsWith(`${folder}/`) && file.test(path.slice(folder.length + 1)),
    );
    return files.length === 0
      ? []
      : [
          [
            folder,
            what,
            use,
            licence,
            credit,
            numberText(files.length, 0),
            numberText(
              files.reduce((sum, { rows }) => sum + rows, 0),
              0,
            ),
            numberText(
              files.reduce((sum, { leftOut }) => sum + leftOut, 0),
              0,
            ),
          ],
        ];
  });
  return section(
    'data',
    'Data, licences, credit',
    tableOf(
      ['set', 'what', 'used for', 'licence', 'source and credit', 'files', 'rows', 'left out'],
      rows,
    ),
  );
}

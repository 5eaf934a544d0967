import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runResearchCommand } from '../../../src/tools/research/research-command.ts';
import { STRATEGIES } from '../../../src/domain/strategy/table.ts';
import { writeSmallData } from './small-data.ts';

let folder = '';
const codes: number[] = [];
const at = (...parts: readonly string[]): string => join(folder, ...parts);
const reported = (...words: readonly string[]): readonly [number, readonly string[]] => {
  const lines: string[] = [];
  return [runResearchCommand(words, (line) => void lines.push(line)), lines];
};

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'research-'));
  writeSmallData(at('data'));
  codes.push(
    reported('--data', at('data'), '--out', at('one'))[0],
    reported('--data', at('data'), '--out', at('two'))[0],
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the research command', () => {
  it('L10: writes the same bytes for the same data, twice in one process', () => {
    expect(codes).toEqual([0, 0]);
    for (const file of ['report.html', 'figures.json'])
      expect(readFileSync(at('two', file), 'utf8')).toBe(readFileSync(at('one', file), 'utf8'));
  });

  it('judges every strategy of the agents whose rounds are there, and says of none that it has an edge', () => {
    const report = readFileSync(at('one', 'report.html'), 'utf8');
    for (const { strategy } of STRATEGIES.of('btc_5min'))
      expect(report).toContain(
        `<td>btc_5min</td><td>${strategy}</td><td class="sentences"><div>No edge shown.</div>`,
      );
  });

  it('names in its first sentences what stood in for the inputs of the signal, wherever it is compared', () => {
    const [, lines] = reported('--data', at('data'), '--out', at('three'));
    const compared = lines.filter((line) =>
      / (?:knows? more|beats? a coin|beat a coin)/.test(line),
    );
    expect(
      compared.map((line) =>
        /^On (\S+),.* Our signal stood there on stand-ins \((.*)\)\.$/.exec(line)?.slice(1),
      ),
    ).toEqual([
      [
        'btc-5m-late-window-books',
        'oracle and exchange price: one recorded spot price for both; price to beat: that spot price at the start; volatility: from seven samples a round',
      ],
      [
        'venue_a-btc5m-settlement',
        'exchange price: the settlement feed itself; books: none recorded',
      ],
    ]);
  });

  it('leaves out rows that it cannot use, counts them and goes on', () => {
    writeSmallData(at('gaps'));
    appendFileSync(
      at('gaps', 'venue_a-btc5m-settlement', 'markets-small.jsonl.gz'),
      gzipSync(
        '{"slug":"btc-updown-5m-0","start_sec":0,"end_sec":300,"resolved":false,"outcome_prices":null}\nnot json\n',
      ),
    );
    const [code, lines] = reported('--data', at('gaps'), '--out', at('four'));
    expect([code, lines.filter((line) => line.startsWith('left out'))]).toEqual([
      0,
      [
        expect.stringMatching(
          /^left out of venue_a-btc5m-settlement\/markets-small\.jsonl\.gz: 2 of 32 rows; the first: line 31 of .* is not understood: resolved .*\.$/,
        ),
      ],
    ]);
    expect(JSON.parse(readFileSync(at('four', 'figures.json'), 'utf8'))).toEqual(
      JSON.parse(readFileSync(at('one', 'figures.json'), 'utf8')),
    );
  });

  it('finds every set of the folder fit for what it is read for: each study has signals', () => {
    const figures = JSON.parse(readFileSync(at('one', 'figures.json'), 'utf8')) as {
      readonly strategies: readonly {
        readonly name: string;
        readonly figures: readonly { readonly signals: number }[];
      }[];
    }; // written by the command itself
    expect(
      figures.strategies.map(({ name, figures }) => [
        name,
        figures.some(({ signals }) => signals > 0),
      ]),
    ).toEqual([
      ['btc-5m-late-window-books', true],
      ['venue_a-btc5m-settlement', true],
      ['btc-15m-outcomes', true],
      ['venue_b BTC 15m', true],
      ['venue_b ETH 15m', true],
      ['venue_b SOL 15m', true],
    ]);
  });

  it('writes a page that needs nothing beside it', () => {
    const report = readFileSync(at('one', 'report.html'), 'utf8');
    expect(report).not.toMatch(/<script|<link|<img|src=|url\(["']?http|@import/i);
    expect(report.match(/<svg/g)?.length).toBeGreaterThan(4);
  });

  it.each<readonly [string, () => readonly string[], RegExp]>([
    [
      'an unknown option',
      () => ['--fast', '1'],
      /--fast is not understood; use: predictd research/,
    ],
    ['an option without a value', () => ['--data'], /--data is not understood/],
    ['an option twice', () => ['--out', 'a', '--out', 'b'], /--out is not understood/],
    [
      'data that is not there',
      () => ['--data', at('nowhere')],
      /there is no recorded data at .*nowhere; name its folder with --data/,
    ],
    [
      'a file in place of a folder',
      () => {
        writeFileSync(at('file'), '');
        return ['--data', at('file')];
      },
      /is not a folder of recorded data/,
    ],
    [
      'a folder without any set',
      () => {
        mkdirSync(at('empty'), { recursive: true });
        return ['--data', at('empty'), '--out', at('none')];
      },
      /holds none of the sets/,
    ],
    [
      'a file of which no row can be used',
      () => {
        mkdirSync(at('torn', 'prices'), { recursive: true });
        writeFileSync(at('torn', 'prices', 'btc-usd-5m-x.csv'), 'ts,close\n1780963200,high\n');
        return ['--data', at('torn'), '--out', at('none')];
      },
      /^line 2 of prices\/btc-usd-5m-x\.csv is not understood: close is not a price\.$/,
    ],
  ])('answers %s with one sentence and exit code 2', (_what, words, sentence) => {
    const [code, lines] = reported(...words());
    expect([code, lines]).toEqual([2, [expect.stringMatching(sentence)]]);
  });
});

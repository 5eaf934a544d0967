import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRecording } from '../../../src/tools/replay/recording-file.ts';
import { runReplayCommand } from '../../../src/tools/replay/replay-command.ts';

const START_MS = 1_777_108_200_000;
const SLUG = 'btc-updown-5m-1777108200';
const CONDITION = `0x${'ab'.repeat(32)}`;

const at = (ms: number, row: object): string => JSON.stringify({ ts: START_MS + ms, ...row });
const session = [
  at(-10_000, { type: 'slot', action: 'start', slug: SLUG }),
  at(-9_000, { type: 'orderbook_snapshot', up: null, down: null }),
  at(-8_000, {
    type: 'orderbook_snapshot',
    up: { bids: [[0.5, 143.22]], asks: [[0.51, 7]] },
    down: { bids: [], asks: [] },
  }),
  at(-8_000, { type: 'ticker', assetPrice: 77_638.28888, binancePrice: 77_614.98 }),
  at(5_000, { type: 'market_price', priceToBeat: 77_643.36752 }),
  at(370_000, { type: 'resolution', direction: 'DOWN', closePrice: 77_600.5 }),
];
const ticks =
  'feed_ts_ms,value_e18,server_ts_ms,recv_ms\n1777108200000,65048078902260626000000,1777108201160,1777108201377\n1777108201000,65051920000000000000000,1,2\n';
const market = {
  slug: SLUG,
  condition_id: CONDITION,
  token_ids: ['11', '22'],
  start_sec: START_MS / 1_000,
  end_sec: START_MS / 1_000 + 300,
  resolved: true,
  outcome_prices: ['0', '1'],
  strike_value: '65048078902260626000000',
};

let folder = '';
const file = (name: string, text: string | Buffer): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'recordings-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a recording', () => {
  it('is read from a session: its round, its books, and prices with all their digits', () => {
    const recording = openRecording(file('session.jsonl.gz', gzipSync(session.join('\n'))));
    expect(recording.rounds).toEqual([
      {
        slug: SLUG,
        startsAtMs: START_MS,
        endsAtMs: START_MS + 300_000,
        ids: null,
        payoutTicks: [0, 10_000],
        resolvedAfterMs: 70_000,
      },
    ]);
    expect(recording.books).toEqual([
      {
        atMs: START_MS - 8_000,
        bids: [{ price: 5_000, size: 143_220_000 }],
        asks: [{ price: 5_100, size: 7_000_000 }],
      },
    ]);
    expect(recording.settlement.at('BTC', START_MS / 1_000)).toBe(77_643_367_520_000_000_000_000n);
    expect(recording.settlement.at('BTC', START_MS / 1_000 + 300)).toBe(
      77_600_500_000_000_000_000_000n,
    );
    expect(recording.settlement.at('BTC', START_MS / 1_000 - 10)).toBe(
      77_638_288_880_000_000_000_000n,
    );
    expect(recording.exchange?.quote('BTC', (START_MS - 7_000) / 250)).toMatchObject({
      bidCents: 7_761_497,
      askCents: 7_761_499,
    });
    expect(recording.exchange?.quote('BTC', (START_MS - 4_000) / 250)).toBeNull();
  });

  it.each(['chainlink-btcusd-here.csv', 'markets-here.jsonl'])(
    'is read from either half of a settlement pair: %s',
    (name) => {
      file('chainlink-btcusd-here.csv', ticks);
      file('markets-here.jsonl', JSON.stringify(market));
      const recording = openRecording(join(folder, name));
      expect(
        recording.rounds.map(({ slug, payoutTicks, ids }) => [slug, payoutTicks, ids?.tokens]),
      ).toEqual([[SLUG, [0, 10_000], ['11', '22']]]);
      expect(recording.settlement.at('BTC', START_MS / 1_000 + 1)).toBe(
        65_051_920_000_000_000_000_000n,
      );
      expect([recording.books, recording.exchange]).toEqual([null, null]);
    },
  );
});

describe('a window of full-depth books', () => {
  const header = JSON.stringify({
    slug: SLUG,
    market: CONDITION,
    assets: ['11', '22'],
    start: START_MS / 1_000,
    end: START_MS / 1_000 + 300,
    messages: 3,
  });
  const change = (
    ms: number,
    token: 0 | 1,
    kind: 's' | 'd',
    bids: readonly string[][],
    asks: readonly string[][],
  ) => JSON.stringify({ t: START_MS + ms, r: START_MS + ms, a: token, k: kind, b: bids, s: asks });
  const changes = [
    header,
    change(
      5_000,
      0,
      's',
      [
        ['0.48', '100'],
        ['0.4', '7.25'],
      ],
      [['0.52', '30']],
    ),
    change(
      6_000,
      0,
      'd',
      [
        ['0.48', '0'],
        ['0.47', '5'],
      ],
      [],
    ),
    change(7_000, 1, 's', [['0.05', '9']], [['0.1', '8']]),
  ].join('\n');
  const raw = (ms: number, asset: string, bids: object[], asks: object[]) =>
    JSON.stringify({
      recv_ms: START_MS + ms - 17,
      msg: {
        market: CONDITION,
        asset_id: asset,
        timestamp: String(START_MS + ms),
        hash: 'ab',
        bids,
        asks,
        event_type: 'book',
      },
    });
  const books = [
    {
      atMs: START_MS + 5_000,
      bids: [
        { price: 4_800, size: 100_000_000 },
        { price: 4_000, size: 7_250_000 },
      ],
      asks: [{ price: 5_200, size: 30_000_000 }],
    },
    {
      atMs: START_MS + 6_000,
      bids: [
        { price: 4_700, size: 5_000_000 },
        { price: 4_000, size: 7_250_000 },
      ],
      asks: [{ price: 5_200, size: 30_000_000 }],
    },
    {
      atMs: START_MS + 7_000,
      bids: [{ price: 9_000, size: 8_000_000 }],
      asks: [{ price: 9_500, size: 9_000_000 }],
    },
  ];

  it('is read from changes: each message is the whole book of the first token, or the mirror of the other one', () => {
    expect(openRecording(file(`${SLUG}.jsonl.gz`, gzipSync(changes))).books).toEqual(books);
  });

  it('is read as it was received, its round by its name', () => {
    const recording = openRecording(
      file(
        `${SLUG}.jsonl`,
        [
          raw(
            5_000,
            '11',
            [
              { price: '0.48', size: '100' },
              { price: '0.4', size: '7.25' },
            ],
            [{ price: '0.52', size: '30' }],
          ),
          raw(7_000, '22', [{ price: '0.05', size: '9' }], [{ price: '0.1', size: '8' }]),
        ].join('\n'),
      ),
    );
    expect([recording.books, recording.rounds[0]?.slug]).toEqual([[books[0], books[2]], SLUG]);
  });

  it('has prices of which the book is the fair value: at the price to beat before it, beyond it as the book says, and on that side at the end', () => {
    const { settlement } = openRecording(file(`${SLUG}.jsonl`, changes));
    const at = (second: number) =>
      Number((settlement.at('BTC', START_MS / 1_000 + second) ?? 0n) / 10n ** 10n) / 1e8;
    expect([at(-60), at(0), at(5)]).toEqual([70_000, 70_000, 70_000]);
    expect(at(7)).toBeCloseTo(70_000 * Math.exp(0.000_03 * Math.sqrt(293) * 1.439_531), 3);
    expect([at(300) > 70_000, at(300) < at(7), at(900) === at(300)]).toEqual([true, true, true]);
  });

  it('is refused with the line that cannot be read', () => {
    expect(() =>
      openRecording(file('torn.jsonl', `${header}\n${change(5_000, 0, 's', [['1.2', '1']], [])}`)),
    ).toThrow(/line 2 of torn\.jsonl is not a message of books\./);
    expect(() =>
      openRecording(file('back.jsonl', `${changes}\n${change(1_000, 0, 'd', [], [])}`)),
    ).toThrow(/line 5 of back\.jsonl is not a message of books: its time steps back/);
    expect(() => openRecording(file('unnamed.jsonl', raw(5_000, '11', [], [])))).toThrow(
      /unnamed\.jsonl does not say which round/,
    );
  });
});

describe('the replay command', () => {
  const reported = async (
    ...words: readonly string[]
  ): Promise<readonly [number, readonly string[]]> => {
    const lines: string[] = [];
    return [await runReplayCommand(words, (line) => void lines.push(line)), lines];
  };

  it.each<readonly [string, () => readonly string[], RegExp]>([
    ['no file', () => [], /one recording is needed; use: predictd replay/],
    ['two files', () => ['a', 'b'], /one recording is needed/],
    ['an unknown option', () => ['a', '--fast', '1'], /--fast is not understood/],
    [
      'a moment without its zone',
      () => ['a', '--from', '2026-06-08T00:00'],
      /is not a moment like/,
    ],
    [
      'a strategy of another agent',
      () => ['a', '--strategy', 'up_only'],
      /--strategy up_only is unknown: expected one of up_down, confirmed_lead/,
    ],
    ['a seed that is no number', () => ['a', '--seed', '0x1'], /is not a whole number/],
    ['a missing file', () => [join(folder, 'nowhere.jsonl')], /nowhere\.jsonl cannot be read/],
    ['a folder', () => [folder], /cannot be read/],
    [
      'something else',
      () => [file('else.txt', 'hello\n')],
      /is neither a session, nor full-depth books, nor settlement ticks/,
    ],
    [
      'a broken archive',
      () => [file('broken.gz', Buffer.from([0x1f, 0x8b, 1, 2, 3]))],
      /cannot be read/,
    ],
    [
      'a malformed row',
      () => [
        file(
          'bad.jsonl',
          [...session.slice(0, 2), at(-8_500, { type: 'ticker', assetPrice: 'high' })].join('\n'),
        ),
      ],
      /^line 3 of bad\.jsonl is not a row of a session\.$/,
    ],
    [
      'rows out of order',
      () => [file('back.jsonl', [session[3], session[0]].join('\n'))],
      /line 2 of back\.jsonl is not a row of a session: its time steps back/,
    ],
    [
      'a pair without its other half',
      () => [file('markets-alone.jsonl', JSON.stringify(market))],
      /the other half of .*markets-alone\.jsonl, .* is missing/,
    ],
    [
      'malformed ticks',
      () => {
        file('markets-torn.jsonl', JSON.stringify(market));
        return [file('chainlink-btcusd-torn.csv', `${ticks}x,y\n`)];
      },
      /the ticks of chainlink-btcusd-torn\.csv are unreadable: line 4/,
    ],
    [
      'a window without a round',
      () => [file('empty.jsonl', session.join('\n')), '--from', '2030-01-01T00:00Z'],
      /holds no whole round of the window; it lasts from 2026-04-25/,
    ],
  ])('answers %s with one sentence and exit code 2', async (_what, words, sentence) => {
    const [code, lines] = await reported(...words());
    expect([code, lines.at(-1)]).toEqual([2, expect.stringMatching(sentence)]);
  });
});

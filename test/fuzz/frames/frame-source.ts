import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../../../src/ports/random.ts';
import { sharedData } from '../../support/recordings/shared-data.ts';

/** Outcome tokens whose books the reader under test watches. */
export const WATCHED = [
  '71321045679252212594626385532706912750332728571942532289631379312455583992563',
  '52114319501245915516055106046884209969926127482827954674443846427813813222426',
] as const;

/** One it does not watch that shares their first nine digits, and one that shares none. */
const OTHERS = ['713210456790', '1'];
const MARKET = `0x${'5f'.repeat(32)}`;
const PRICES = [
  '0.47',
  '0.5',
  '0.001',
  '0.9999',
  '.47',
  '0.470',
  '0.4700',
  '0.47000',
  '0',
  '1',
  '0.0',
  '1.0',
  '00.5',
  '0.00001',
  '',
  '1.5',
  '-0.5',
  '5e-1',
  '0x1',
  ' 0.5',
  '0.5 ',
  '.',
  '0.',
];
const SIZES = [
  '120',
  '35.5',
  '0',
  '0.000001',
  '999999999',
  '999999999.999999',
  '1000000000',
  '9007199254.740991',
  '9007199254.740993',
  '1.0000000',
  '1.0000001',
  '007',
  '.5',
  '5.',
  '',
  '.',
  '1e3',
  '-1',
  '+1',
];

/**
 * Frames of the market channel as recorded, where the recordings are there: `price_change` in its
 * present form.
 */
export function recordedFrames(): readonly Buffer[] {
  const folder = sharedData('data/venue_a-fixtures');
  if (folder === null) return [];
  const files = [
    'lgpl/unit/ws_quotes.json',
    'lgpl/unit/ws_market_price_change_msg.json',
    'lgpl/ws/price_change_v2.json',
  ];
  return files.flatMap((file) => {
    const content: unknown = JSON.parse(readFileSync(join(folder, file), 'utf8'));
    return (Array.isArray(content) ? content : [content]).map((frame) =>
      Buffer.from(JSON.stringify(frame)),
    );
  });
}

/**
 * Makes a frame: mostly as the venue writes them, with figures from the edges of what may stand
 * there, members in any order.
 */
export function makeFrame(random: Random): Buffer {
  const changes = Array.from(
    { length: 1 + random.integer(random.integer(10) === 0 ? 12 : 3) },
    () => makeChange(random),
  );
  const members: readonly (readonly [string, unknown])[] = [
    ['market', MARKET],
    ['price_changes', changes],
    ['timestamp', timestamp(random)],
    [
      'event_type',
      random.integer(20) === 0
        ? oneOf(random, ['book', 'last_trade_price', 'price_changes', 'new_market', ''])
        : 'price_change',
    ],
  ];
  return Buffer.from(JSON.stringify(Object.fromEntries(ordered(random, members))));
}

/** One of some values. */
export function oneOf<T>(random: Random, values: readonly T[]): T {
  const value = values[random.integer(values.length)];
  if (value === undefined) throw new Error('there is something to choose from');
  return value;
}

function makeChange(random: Random): object {
  const members: (readonly [string, unknown])[] = [
    ['asset_id', random.integer(8) === 0 ? oneOf(random, OTHERS) : oneOf(random, WATCHED)],
    ['price', figure(random, PRICES, 4)],
    ['size', figure(random, SIZES, 2)],
    [
      'side',
      random.integer(40) === 0
        ? oneOf(random, ['buy', 'SELLS', '', 'B'])
        : oneOf(random, ['BUY', 'SELL']),
    ],
  ];
  if (random.integer(10) > 0) members.push(['hash', 'bf32b3746fff40c76c98021b7f3f07261169dd26']);
  if (random.integer(10) > 0)
    members.push(['best_bid', figure(random, PRICES, 4)], ['best_ask', figure(random, PRICES, 4)]);
  if (random.integer(40) === 0)
    members.push(['new_member', oneOf<unknown>(random, [null, 1, 'text', {}, []])]);
  return Object.fromEntries(ordered(random, members));
}

/** Mostly a figure drawn anew, else one of the odd ones. */
function figure(random: Random, odd: readonly string[], decimals: number): string {
  if (random.integer(12) === 0) return oneOf(random, odd);
  return `0.${String(1 + random.integer(10 ** decimals - 1)).padStart(decimals, '0')}`;
}

function timestamp(random: Random): unknown {
  return random.integer(20) === 0
    ? oneOf<unknown>(random, [
        '1',
        '999999999',
        '1000000000',
        '999999999999999',
        '1000000000000000',
        '',
        '17600000000a0',
        1_760_000_000_000,
        null,
      ])
    : String(1_760_000_000_000 + random.integer(1_000_000));
}

/** Mostly in the venue's order, sometimes in another. */
function ordered<T>(random: Random, values: readonly T[]): readonly T[] {
  if (random.integer(6) > 0) return values;
  return values
    .map((value) => ({ value, place: random.integer(1_000) }))
    .sort((one, other) => one.place - other.place)
    .map(({ value }) => value);
}

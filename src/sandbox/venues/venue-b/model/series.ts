import type { Asset } from '../../../../domain/ids.ts';
import type { Series } from './listing.ts';

/**
 * A market of an event of a series: what is asked, and between which values of the event's walk it
 * is answered Yes.
 */
export interface Strike {
  /** Last part of the ticker. */
  readonly code: string;
  readonly title: string;
  readonly yesSubTitle: string;
  readonly low: number | null;
  readonly high: number | null;
}

/** How the events of a series come about. All questions are made up. */
export interface SeriesRule extends Series {
  /** An event ends each period, `offsetMs` after its begin (UTC). */
  readonly periodMs: number;
  readonly offsetMs: number;
  /** Trading lasts this long; the event is listed a while before. */
  readonly lifeMs: number;
  readonly listedBeforeMs: number;
  /** Ended events are listed this long. */
  readonly keptMs: number;
  readonly dateTo: 'day' | 'hour' | 'minute';
  readonly eventTitle: string;
  readonly depth: number;
  readonly contractsPerHour: number;
  /** An asset whose price decides, or strikes on the event's walk. */
  readonly decidedBy: Asset | readonly Strike[];
  readonly mutuallyExclusive?: boolean;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Every series of the venue. */
export const SERIES: readonly SeriesRule[] = [
  quarterHours('BTC', 'Bitcoin', 40),
  quarterHours('ETH', 'Ethereum', 12),
  quarterHours('SOL', 'Solana', 5),
  temperatures('KXTEMPNYCH', 'New York'),
  temperatures('KXTEMPCHIH', 'Chicago'),
  temperatures('KXTEMPMIAH', 'Miami'),
  {
    ...daily('KXHIGHNY', 'Highest temperature in New York', 'Climate and Weather', ['Daily highs']),
    decidedBy: strikes('Will the high in New York be', [
      ['T38', '38° or above', -1.7],
      ['T41', '41° or above', -0.9],
      ['T44', '44° or above', -0.1],
      ['T47', '47° or above', 0.8],
      ['T50', '50° or above', 1.8],
    ]),
  },
  {
    ...daily('KXRAINSEA', 'Rain in Seattle', 'Climate and Weather', ['Rain']),
    decidedBy: strikes('Will Seattle have', [
      ['T0', 'any rain', -1.6],
      ['T1', 'an inch of rain', 1.1],
    ]),
  },
  {
    ...daily('KXLIBRARYLOANS', 'Loans of the city library', 'Culture', ['Books']),
    decidedBy: strikes('Will the city library lend', [
      ['T4000', 'at least 4,000 books', -1.75],
      ['T5000', 'at least 5,000 books', -0.3],
      ['T6000', 'at least 6,000 books', 1.2],
    ]),
  },
  {
    ...daily('KXRIVERGAME', 'River league', 'Sports', ['Rowing']),
    contractsPerHour: 4_000,
    decidedBy: [sports('HER', 'Herons', -0.35, null), sports('OTT', 'Otters', null, -0.35)],
    mutuallyExclusive: true,
  },
  {
    ...monthly('KXRATESTEP', 'Next step of the lending rate', 'Economics', ['Rates']),
    decidedBy: [
      between('CUT', 'The rate is cut', null, -0.9),
      between('HOLD', 'The rate is held', -0.9, 1.3),
      between('RAISE', 'The rate is raised', 1.3, null),
    ],
    mutuallyExclusive: true,
  },
  {
    ...monthly('KXCOMETNAME', 'Name of the next comet', 'Science and Technology', ['Space']),
    decidedBy: [
      between('A', 'Its name begins with A to H', null, -0.2),
      between('I', 'Its name begins with I to P', -0.2, 0.7),
      between('Q', 'Its name begins with Q to Z', 0.7, null),
    ],
    mutuallyExclusive: true,
  },
  {
    ...monthly('KXBRIDGEOPEN', 'Opening of the north bridge', 'Politics', ['Cities']),
    decidedBy: strikes('Will the north bridge open', [['M', 'this month', 1.5]]),
  },
];

function quarterHours(asset: Asset, name: string, scale: number): SeriesRule {
  return {
    ticker: `KX${asset}15M`,
    title: `${name} price up in next 15 minutes`,
    category: 'Crypto',
    tags: [asset, '15 min'],
    frequency: 'fifteen_min',
    feeMultiplier: 1,
    sources: [{ name: 'Settlement index', url: 'https://index.example/crypto' }],
    periodMs: 15 * MINUTE_MS,
    offsetMs: 0,
    lifeMs: 15 * MINUTE_MS,
    listedBeforeMs: 15 * MINUTE_MS,
    keptMs: 6 * HOUR_MS,
    dateTo: 'minute',
    eventTitle: `${name} price up in next 15 mins?`,
    depth: 0.6,
    contractsPerHour: 3_000 * scale,
    decidedBy: asset,
  };
}

function temperatures(ticker: string, city: string): SeriesRule {
  return {
    ticker,
    title: `Hourly temperature in ${city}`,
    category: 'Climate and Weather',
    tags: ['Hourly temperature'],
    frequency: 'hourly',
    feeMultiplier: 1,
    sources: [{ name: 'Weather service', url: 'https://weather.example' }],
    periodMs: HOUR_MS,
    offsetMs: 0,
    lifeMs: 4 * HOUR_MS,
    listedBeforeMs: 10 * MINUTE_MS,
    keptMs: 3 * HOUR_MS,
    dateTo: 'hour',
    eventTitle: `Temperature in ${city} at the hour`,
    depth: 0.5,
    contractsPerHour: 900,
    decidedBy: strikes(`Will ${city} have`, [
      ['T48', '48° or above', -1.9],
      ['T52', '52° or above', -1],
      ['T56', '56° or above', -0.1],
      ['T60', '60° or above', 0.8],
      ['T64', '64° or above', 1.7],
    ]),
  };
}

function daily(
  ticker: string,
  title: string,
  category: string,
  tags: readonly string[],
): Omit<SeriesRule, 'decidedBy'> {
  return {
    ticker,
    title,
    category,
    tags,
    frequency: 'daily',
    feeMultiplier: 1,
    sources: [{ name: 'City records', url: 'https://records.example' }],
    periodMs: DAY_MS,
    offsetMs: 4 * HOUR_MS,
    lifeMs: 3 * DAY_MS,
    listedBeforeMs: HOUR_MS,
    keptMs: 2 * DAY_MS,
    dateTo: 'day',
    eventTitle: `${title} on the day`,
    depth: 1,
    contractsPerHour: 700,
  };
}

function monthly(
  ticker: string,
  title: string,
  category: string,
  tags: readonly string[],
): Omit<SeriesRule, 'decidedBy'> {
  return {
    ...daily(ticker, title, category, tags),
    frequency: 'monthly',
    periodMs: 30 * DAY_MS,
    offsetMs: 19 * DAY_MS,
    lifeMs: 40 * DAY_MS,
    listedBeforeMs: DAY_MS,
    keptMs: 15 * DAY_MS,
    eventTitle: title,
    depth: 2,
    contractsPerHour: 250,
  };
}

function strikes(
  asks: string,
  list: readonly (readonly [code: string, what: string, low: number])[],
): readonly Strike[] {
  return list.map(([code, what, low]) => ({
    code,
    title: `${asks} ${what}?`,
    yesSubTitle: what,
    low,
    high: null,
  }));
}

function between(code: string, what: string, low: number | null, high: number | null): Strike {
  return { code, title: `${what}?`, yesSubTitle: what, low, high };
}

function sports(code: string, team: string, low: number | null, high: number | null): Strike {
  return { code, title: `Will the ${team} win?`, yesSubTitle: team, low, high };
}

import { keccak256, stringToHex } from 'viem';
import { POOL_VENUE } from '../../../../../config/limits/sandbox-pools.ts';
import type { Asset } from '../../../../domain/ids.ts';
import { BASE_CHAIN } from '../../../chains/evm/chain-addresses.ts';
import { chainAccount } from '../../../chains/evm/chain-keys.ts';
import { chainIds } from '../../../chains/evm/outcome-ids.ts';
import { VENUE_C_CHAIN } from '../chain-addresses.ts';
import type { MarketGroup, VenueMarket } from './market.ts';
import { GROUPS, QUESTIONS, type GroupQuestion, type Question } from './questions.ts';

/** A recurring market: one window after the other. */
interface Series {
  readonly number: number;
  readonly asset: Asset;
  readonly minutes: number;
  readonly name: string;
  readonly title: string;
  readonly category: string;
  readonly tradeType: VenueMarket['tradeType'];
  readonly takerDelayMs: number;
}

const SERIES: readonly Series[] = [
  series({ number: 1, asset: 'BTC', minutes: 5, takerDelayMs: POOL_VENUE.takerDelayMs }),
  series({ number: 2, asset: 'BTC', minutes: 15 }),
  series({ number: 3, asset: 'ETH', minutes: 60 }),
  series({ number: 4, asset: 'SOL', minutes: 60 }),
  series({ number: 5, asset: 'ETH', minutes: 5, tradeType: 'amm' }),
  series({ number: 6, asset: 'BTC', minutes: 60, tradeType: 'amm' }),
];

/** Names of the categories, in the order of their numbers from 1. */
export const CATEGORIES: readonly string[] = [
  ...new Set([...SERIES, ...QUESTIONS, ...GROUPS].map(({ category }) => category)),
];

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** The venue's numbers of questions begin here, those of windows at their series' own. */
const FIRST_QUESTION = 1_000;
const FIRST_GROUP = 2_000;
const ANSWERS_MAXIMUM = 100;
const FIRST_WINDOW = 100_000_000;

/** Every market the venue has or had: all follow from seed, founding and time. */
export interface Catalogue {
  /** Those that are listed and not over at a moment, the next to end first. */
  listedAt(nowMs: number): readonly VenueMarket[];
  /** The markets of a group by its slug, open or ended; empty for none of that name. */
  group(slug: string): readonly VenueMarket[];
  /** A market by its slug, listed by then; null for none of that name. */
  find(slug: string, nowMs: number): VenueMarket | null;
  /** Chance of YES that the quotes of a question wander around; null for a window. */
  chanceOf(market: VenueMarket): number | null;
  /** The part of a draw from 0 to 1 in which a market of a group wins; null for any other. */
  winsWithin(market: VenueMarket): readonly [from: number, to: number] | null;
}

/** Creates the catalogue of a world; one without chains has no pools. */
export function createCatalogue({
  seed,
  foundedAtMs,
  hasPools,
}: {
  readonly seed: number;
  readonly foundedAtMs: number;
  readonly hasPools: boolean;
}): Catalogue {
  const isPlayed = ({ tradeType }: Pick<VenueMarket, 'tradeType'>): boolean =>
    hasPools || tradeType !== 'amm';
  const allSeries = SERIES.filter(isPlayed);
  const terms = {
    seed,
    oracle: chainAccount(seed, 'oracle').address,
    collateral: BASE_CHAIN.usdc,
  };
  const known = new Map<string, VenueMarket>();
  const idsOf = (slug: string, oracle: string = terms.oracle) => {
    const { marketId, questionId, tokens } = chainIds(
      (bytes) => keccak256(bytes, 'bytes'),
      { ...terms, oracle },
      slug,
    );
    return { conditionId: marketId as string, questionId, tokens };
  };
  const remember = (market: VenueMarket): VenueMarket => {
    known.set(market.slug, market);
    // the first are the oldest; ids are dear, and made again when they are asked for
    if (known.size > POOL_VENUE.endedKept)
      for (const slug of known.keys()) {
        known.delete(slug);
        break;
      }
    return market;
  };

  function windowOf(of: Series, startsAtMs: number): VenueMarket {
    const slug = `${of.name}-${startsAtMs}`;
    return (
      known.get(slug) ??
      remember({
        ...idsOf(slug),
        tradeType: of.tradeType,
        id: FIRST_WINDOW * of.number + startsAtMs / MINUTE_MS,
        slug,
        title: of.title,
        description: windowText(of, startsAtMs),
        categories: [of.category],
        tags: ['Recurring', of.category],
        window: { asset: of.asset, minutes: of.minutes },
        group: null,
        createdAtMs: startsAtMs - of.minutes * MINUTE_MS,
        startsAtMs,
        endsAtMs: startsAtMs + of.minutes * MINUTE_MS,
        takerDelayMs: of.takerDelayMs,
      })
    );
  }

  function questionOf(question: Question, index: number): VenueMarket {
    const slug = `${question.name}-${foundedAtMs}`;
    return (
      known.get(slug) ??
      remember({
        ...idsOf(slug),
        tradeType: question.tradeType,
        id: FIRST_QUESTION + index,
        slug,
        title: question.title,
        description: `<p>${question.rule}</p>`,
        categories: [question.category],
        tags: [question.category],
        window: null,
        group: null,
        createdAtMs: foundedAtMs,
        startsAtMs: foundedAtMs,
        endsAtMs: foundedAtMs + question.days * DAY_MS,
        takerDelayMs: 0,
      })
    );
  }

  function answersOf(question: GroupQuestion, index: number): readonly VenueMarket[] {
    const slug = `${question.name}-${foundedAtMs}`;
    const id = FIRST_GROUP + index * ANSWERS_MAXIMUM;
    const { title, category } = question;
    const shared = { categories: [category], description: `<p>${question.rule}</p>` };
    const groupId = keccak256(stringToHex(slug));
    const group: MarketGroup = { ...shared, id, slug, title, groupId };
    return question.answers.map((answer, place) => {
      const name = `${answer.name}-${foundedAtMs}`;
      return (
        known.get(name) ??
        remember({
          ...shared,
          ...idsOf(name, VENUE_C_CHAIN.groupAdapter),
          tradeType: 'clob',
          id: id + 1 + place,
          slug: name,
          title: answer.title,
          tags: [category],
          window: null,
          group,
          createdAtMs: foundedAtMs,
          startsAtMs: foundedAtMs,
          endsAtMs: foundedAtMs + question.days * DAY_MS,
          takerDelayMs: 0,
        })
      );
    });
  }

  const allQuestions = (): readonly VenueMarket[] => [
    ...QUESTIONS.map(questionOf).filter(isPlayed),
    ...GROUPS.flatMap(answersOf),
  ];

  return {
    listedAt(nowMs) {
      const windows = allSeries.flatMap((of) => {
        const lengthMs = of.minutes * MINUTE_MS;
        const startsAtMs = Math.floor(nowMs / lengthMs) * lengthMs;
        return [windowOf(of, startsAtMs), windowOf(of, startsAtMs + lengthMs)];
      });
      const questions = allQuestions().filter(({ endsAtMs }) => nowMs < endsAtMs);
      return [...windows, ...questions].sort((a, b) => a.endsAtMs - b.endsAtMs);
    },
    group: (slug) => GROUPS.flatMap(answersOf).filter(({ group }) => group?.slug === slug),
    find(slug, nowMs) {
      const question = allQuestions().find((market) => market.slug === slug);
      if (question !== undefined) return question;
      const [, name = '', digits = ''] = /^(.+)-(\d{10,15})$/.exec(slug) ?? [];
      const of = allSeries.find((each) => each.name === name);
      const startsAtMs = Number(digits);
      if (of === undefined || startsAtMs % (of.minutes * MINUTE_MS) !== 0) return null;
      const isListed = startsAtMs - of.minutes * MINUTE_MS <= nowMs;
      const endsAtMs = startsAtMs + of.minutes * MINUTE_MS;
      const isKept = endsAtMs > Math.max(foundedAtMs, nowMs - POOL_VENUE.endedReadableMs);
      return isListed && isKept ? windowOf(of, startsAtMs) : null;
    },
    chanceOf: (market) =>
      answerOf(market)?.answer.chance ?? QUESTIONS[market.id - FIRST_QUESTION]?.chance ?? null,
    winsWithin(market) {
      const found = answerOf(market);
      if (found === null) return null;
      const from = found.before.reduce((sum, { chance }) => sum + chance, 0);
      return [from, from + found.answer.chance];
    },
  };
}

function answerOf({ id, group }: VenueMarket) {
  if (group === null) return null;
  const answers = GROUPS[(group.id - FIRST_GROUP) / ANSWERS_MAXIMUM]?.answers ?? [];
  const place = id - group.id - 1;
  const answer = answers[place];
  return answer === undefined ? null : { answer, before: answers.slice(0, place) };
}

function series({
  number,
  asset,
  minutes,
  tradeType = 'clob',
  takerDelayMs = 0,
}: Pick<Series, 'number' | 'asset' | 'minutes'> &
  Partial<Pick<Series, 'tradeType' | 'takerDelayMs'>>): Series {
  const isHourly = minutes === 60;
  return {
    number,
    asset,
    minutes,
    name: `${asset.toLowerCase()}-up-or-down-${isHourly ? 'hourly' : `${minutes}-min`}`,
    title: `${asset} Up or Down - ${isHourly ? 'Hourly' : `${minutes} Min`}`,
    category: isHourly ? 'Hourly' : 'Minutely',
    tradeType,
    takerDelayMs,
  };
}

function windowText({ asset, minutes }: Series, startsAtMs: number): string {
  const at = (ms: number) => new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
  return `<p>This market resolves to YES if the price of ${asset} at ${at(startsAtMs + minutes * MINUTE_MS)} UTC is greater than or equal to that at ${at(startsAtMs)} UTC, and to NO otherwise.</p>`;
}

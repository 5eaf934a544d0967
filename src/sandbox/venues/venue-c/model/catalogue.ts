import { keccak256 } from 'viem';
import { POOL_VENUE } from '../../../../../config/limits/sandbox-pools.ts';
import type { Asset } from '../../../../domain/ids.ts';
import { BASE_CHAIN } from '../../../chains/evm/chain-addresses.ts';
import { chainAccount } from '../../../chains/evm/chain-keys.ts';
import { chainIds } from '../../../chains/evm/outcome-ids.ts';
import type { BookMarket } from './market.ts';
import { QUESTIONS, type Question } from './questions.ts';

/** A recurring market: one window after the other. */
interface Series {
  readonly number: number;
  readonly asset: Asset;
  readonly minutes: number;
  readonly name: string;
  readonly title: string;
  readonly category: string;
  readonly takerDelayMs: number;
}

const SERIES: readonly Series[] = [
  series(1, 'BTC', 5, 'Minutely', POOL_VENUE.takerDelayMs),
  series(2, 'BTC', 15, 'Minutely', 0),
  series(3, 'ETH', 60, 'Hourly', 0),
  series(4, 'SOL', 60, 'Hourly', 0),
];

/** Names of the categories, in the order of their numbers from 1. */
export const CATEGORIES: readonly string[] = [
  ...new Set([...SERIES, ...QUESTIONS].map(({ category }) => category)),
];

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** The venue's numbers of questions begin here, those of windows at their series' own. */
const FIRST_QUESTION = 1_000;
const FIRST_WINDOW = 100_000_000;

/** Every market the venue has or had: all follow from seed, founding and time. */
export interface Catalogue {
  /** Those that are listed and not over at a moment, the next to end first. */
  listedAt(nowMs: number): readonly BookMarket[];
  /** A market by its slug, listed by then; null for none of that name. */
  find(slug: string, nowMs: number): BookMarket | null;
  /** Chance of YES that the quotes of a question wander around; null for a window. */
  chanceOf(market: BookMarket): number | null;
}

/** Creates the catalogue of a world. */
export function createCatalogue(seed: number, foundedAtMs: number): Catalogue {
  const terms = {
    seed,
    oracle: chainAccount(seed, 'oracle').address,
    collateral: BASE_CHAIN.usdc,
  };
  const known = new Map<string, BookMarket>();
  const idsOf = (slug: string) => {
    const { marketId, questionId, tokens } = chainIds(
      (bytes) => keccak256(bytes, 'bytes'),
      terms,
      slug,
    );
    return { conditionId: marketId as string, questionId, tokens };
  };
  const remember = (market: BookMarket): BookMarket => {
    known.set(market.slug, market);
    // the first are the oldest; ids are dear, and made again when they are asked for
    if (known.size > POOL_VENUE.endedKept)
      for (const slug of known.keys()) {
        known.delete(slug);
        break;
      }
    return market;
  };

  function windowOf(of: Series, startsAtMs: number): BookMarket {
    const slug = `${of.name}-${startsAtMs}`;
    return (
      known.get(slug) ??
      remember({
        ...idsOf(slug),
        id: FIRST_WINDOW * of.number + startsAtMs / MINUTE_MS,
        slug,
        title: of.title,
        description: windowText(of, startsAtMs),
        categories: [of.category],
        tags: ['Recurring', of.category],
        window: { asset: of.asset, minutes: of.minutes },
        createdAtMs: startsAtMs - of.minutes * MINUTE_MS,
        startsAtMs,
        endsAtMs: startsAtMs + of.minutes * MINUTE_MS,
        takerDelayMs: of.takerDelayMs,
      })
    );
  }

  function questionOf(question: Question, index: number): BookMarket {
    const slug = `${question.name}-${foundedAtMs}`;
    return (
      known.get(slug) ??
      remember({
        ...idsOf(slug),
        id: FIRST_QUESTION + index,
        slug,
        title: question.title,
        description: `<p>${question.rule}</p>`,
        categories: [question.category],
        tags: [question.category],
        window: null,
        createdAtMs: foundedAtMs,
        startsAtMs: foundedAtMs,
        endsAtMs: foundedAtMs + question.days * DAY_MS,
        takerDelayMs: 0,
      })
    );
  }

  return {
    listedAt(nowMs) {
      const windows = SERIES.flatMap((of) => {
        const lengthMs = of.minutes * MINUTE_MS;
        const startsAtMs = Math.floor(nowMs / lengthMs) * lengthMs;
        return [windowOf(of, startsAtMs), windowOf(of, startsAtMs + lengthMs)];
      });
      const questions = QUESTIONS.map(questionOf).filter(({ endsAtMs }) => nowMs < endsAtMs);
      return [...windows, ...questions].sort((a, b) => a.endsAtMs - b.endsAtMs);
    },
    find(slug, nowMs) {
      const question = QUESTIONS.map(questionOf).find((market) => market.slug === slug);
      if (question !== undefined) return question;
      const [, name = '', digits = ''] = /^(.+)-(\d{10,15})$/.exec(slug) ?? [];
      const of = SERIES.find((each) => each.name === name);
      const startsAtMs = Number(digits);
      if (of === undefined || startsAtMs % (of.minutes * MINUTE_MS) !== 0) return null;
      const isListed = startsAtMs - of.minutes * MINUTE_MS <= nowMs;
      const endsAtMs = startsAtMs + of.minutes * MINUTE_MS;
      const isKept = endsAtMs > Math.max(foundedAtMs, nowMs - POOL_VENUE.endedReadableMs);
      return isListed && isKept ? windowOf(of, startsAtMs) : null;
    },
    chanceOf: ({ id }) => QUESTIONS[id - FIRST_QUESTION]?.chance ?? null,
  };
}

function series(
  number: number,
  asset: Asset,
  minutes: number,
  category: string,
  takerDelayMs: number,
): Series {
  const length = minutes === 60 ? 'hourly' : `${minutes}-min`;
  return {
    number,
    asset,
    minutes,
    name: `${asset.toLowerCase()}-up-or-down-${length}`,
    title: `${asset} Up or Down - ${minutes === 60 ? 'Hourly' : `${minutes} Min`}`,
    category,
    takerDelayMs,
  };
}

function windowText({ asset, minutes }: Series, startsAtMs: number): string {
  const at = (ms: number) => new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
  return `<p>This market resolves to YES if the price of ${asset} at ${at(startsAtMs + minutes * MINUTE_MS)} UTC is greater than or equal to that at ${at(startsAtMs)} UTC, and to NO otherwise.</p>`;
}

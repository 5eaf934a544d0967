import type { MarketId } from '../../../../domain/ids.ts';
import { priceTicks, shareMicros } from '../../../../domain/units.ts';
import type { Clock, Timer } from '../../../../ports/clock.ts';
import type { VenueModel } from '../../../engine/exchange.ts';
import { hashedNormal, hashedUniform, streamOf } from '../../../hashed-chance.ts';
import { TAGS, type ListedEvent, type Listing } from '../../../engine/listing.ts';
import { furtherRules } from '../../../engine/rules-text.ts';
import type { ChainIds } from '../../../chains/evm/outcome-ids.ts';

/** A long-running question of the world. All of them are made up. */
interface Question {
  readonly slug: string;
  readonly question: string;
  readonly groupTitle: string | null;
  readonly event: ListedEvent;
  /** Chance of Yes about which the market wanders. */
  readonly chance: number;
  readonly days: number;
  readonly negRisk: boolean;
}

const COMET: ListedEvent = {
  eventId: '700101',
  slug: 'brightest-comet-of-the-season',
  title: 'Which comet will be the brightest of the season?',
  tags: [TAGS.science],
};

const QUESTIONS: readonly Question[] = [
  single(
    '700201',
    'snow-in-lisbon-this-season',
    'Will it snow in Lisbon this season?',
    TAGS.weather,
    0.06,
    45,
  ),
  single(
    '700202',
    'hottest-month-on-record',
    'Will this month be the hottest of its name on record?',
    TAGS.weather,
    0.41,
    30,
  ),
  single(
    '700203',
    'chess-champion-draws-first-game',
    'Will the first game of the chess championship be drawn?',
    TAGS.culture,
    0.63,
    20,
  ),
  single(
    '700204',
    'silent-film-wins-grand-prize',
    'Will a silent film win the grand prize?',
    TAGS.culture,
    0.12,
    60,
  ),
  comet('a', 'Comet A', 0.55),
  comet('b', 'Comet B', 0.3),
  comet('c', 'Comet C', 0.15),
];

/** Long-running markets, so that browsing shows more than rounds. */
export interface StandingMarkets {
  listings(): readonly Listing[];
  /** What its makers think Yes is worth, 0 to 1. */
  chanceOf(listing: Listing): number;
  stop(): void;
}

const DAY_MS = 86_400_000;

/**
 * Lists the standing markets and ends each on its day, by the seed and its chance, unless a caller
 * has resolved it before.
 */
export function startStandingMarkets({
  clock,
  exchange,
  seed,
  idsOf,
  foundedAtMs,
}: {
  readonly clock: Clock;
  readonly exchange: Pick<VenueModel, 'listMarket' | 'market' | 'payout' | 'resolve' | 'subscribe'>;
  readonly seed: number;
  readonly idsOf: (slug: string) => ChainIds;
  /** When the world was made: the markets' ends count from here. */
  readonly foundedAtMs: number;
}): StandingMarkets {
  const foundedOnMs = Math.floor(foundedAtMs / DAY_MS) * DAY_MS;
  const listings = QUESTIONS.map((question) => {
    const ids = idsOf(question.slug);
    const payoutTicks = exchange.payout(ids.marketId);
    return listingOf(question, ids, { foundedOnMs, payoutTicks });
  });
  const timers = new Map<MarketId, Timer>();
  listings.forEach(({ market, ending }, index) => {
    if (exchange.market(market.marketId) === null) exchange.listMarket(market);
    if (ending === null)
      timers.set(
        market.marketId,
        clock.after(market.endsAtMs - clock.nowMs(), () =>
          exchange.resolve(market.marketId, isYes(seed, index) ? [10_000, 0] : [0, 10_000]),
        ),
      );
  });
  const unsubscribe = exchange.subscribe((event) => {
    if (event.kind !== 'market_resolved') return;
    const index = listings.findIndex(({ market }) => market.marketId === event.marketId);
    const listing = listings[index];
    if (listing === undefined) return;
    timers.get(event.marketId)?.cancel();
    listings[index] = {
      ...listing,
      ending: { atMs: clock.nowMs(), payoutTicks: event.payoutTicks },
    };
  });
  return {
    listings: () => listings,
    chanceOf: ({ market }) => wandered(seed, market.slug, clock.nowMs()),
    stop() {
      unsubscribe();
      for (const timer of timers.values()) timer.cancel();
    },
  };
}

/**
 * Drawn by the event: in an event of several markets exactly one wins, for their chances add up to
 * one.
 */
function isYes(seed: number, index: number): boolean {
  const asked = QUESTIONS[index];
  if (asked === undefined) return false;
  const drawn = hashedUniform(seed, streamOf(asked.event.slug), 0);
  let below = 0;
  for (const other of QUESTIONS.slice(0, index))
    if (other.event === asked.event) below += other.chance;
  return drawn >= below && drawn < below + asked.chance;
}

/** The chance wanders by a fresh half step each hour, always between 2 % and 98 %. */
function wandered(seed: number, slug: string, atMs: number): number {
  const chance = QUESTIONS.find((question) => question.slug === slug)?.chance ?? 0.5;
  const hours = atMs / 3_600_000;
  const stream = streamOf(slug);
  const from = hashedNormal(seed, stream, Math.floor(hours));
  const to = hashedNormal(seed, stream, Math.floor(hours) + 1);
  const step = 0.1 * (from + (to - from) * (hours - Math.floor(hours)));
  const odds = Math.log(chance / (1 - chance)) + step;
  return Math.min(0.98, Math.max(0.02, 1 / (1 + Math.exp(-odds))));
}

function listingOf(
  asked: Question,
  ids: ChainIds,
  {
    foundedOnMs,
    payoutTicks,
  }: { readonly foundedOnMs: number; readonly payoutTicks: readonly [number, number] | null },
): Listing {
  const endsAtMs = foundedOnMs + asked.days * DAY_MS;
  const listedAtMs = foundedOnMs - 7 * DAY_MS;
  return {
    market: {
      marketId: ids.marketId,
      tokens: ids.tokens,
      labels: ['Yes', 'No'],
      slug: asked.slug,
      eventSlug: asked.event.slug,
      question: asked.question,
      tickSize: priceTicks(100),
      minSize: shareMicros(5_000_000),
      negRisk: asked.negRisk,
      fee: null,
      takerDelayMs: 0,
      opensForOrdersAtMs: listedAtMs,
      endsAtMs,
    },
    questionId: ids.questionId,
    listingId: String(600_000 + QUESTIONS.indexOf(asked)),
    event: asked.event,
    groupTitle: asked.groupTitle,
    description: `${asked.question} Resolves to "Yes" or "No" on its last day.\n${furtherRules(asked.slug)}`,
    resolutionSource: '',
    listedAtMs,
    hydratedAtMs: listedAtMs,
    window: null,
    ending: payoutTicks === null ? null : { atMs: endsAtMs, payoutTicks },
  };
}

function single(
  eventId: string,
  slug: string,
  question: string,
  tag: ListedEvent['tags'][number],
  chance: number,
  days: number,
): Question {
  return {
    slug,
    question,
    groupTitle: null,
    event: { eventId, slug, title: question, tags: [tag] },
    chance,
    days,
    negRisk: false,
  };
}

function comet(letter: string, groupTitle: string, chance: number): Question {
  return {
    slug: `brightest-comet-${letter}`,
    question: `Will ${groupTitle} be the brightest of the season?`,
    groupTitle,
    event: COMET,
    chance,
    days: 40,
    negRisk: true,
  };
}

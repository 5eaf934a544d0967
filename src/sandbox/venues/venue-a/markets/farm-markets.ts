import { SANDBOX_FARMING } from '../../../../../config/limits/sandbox.ts';
import { priceTicks, shareMicros } from '../../../../domain/units.ts';
import type { Clock } from '../../../../ports/clock.ts';
import { everyTick } from '../../../ticks.ts';
import type { VenueModel } from '../../../engine/exchange.ts';
import { FARM_QUESTIONS, type FarmQuestion } from './farm-questions.ts';
import { hashedNormal, streamOf } from '../../../hashed-chance.ts';
import type { Listing } from '../../../engine/listing.ts';
import { furtherRules } from '../../../engine/rules-text.ts';
import type { ChainIds } from '../../../chains/evm/outcome-ids.ts';

/** Markets that are all but decided, a new generation of them every half hour. */
export interface FarmMarkets {
  listings(): readonly Listing[];
  /** What makers think Yes is worth, 0 to 1; null for any other market. */
  chanceOf(listing: Listing): number | null;
  stop(): void;
}

interface Farmed {
  readonly question: FarmQuestion;
  readonly startsAtMs: number;
  listing: Listing;
}

/** A twitch lasts for one reading of makers, seen by whoever reads just then. */
const TWITCH_MS = 6_000;
/** Standard deviation of the drift, in log odds: a tenth of a cent at 97. */
const DRIFT = 0.04;
const DRIFT_LIFE_MS = 120_000;

/**
 * Lists generations by the clock, resolves each market after its end, and takes up those of before
 * a stop: all of it follows from the time.
 */
export function startFarmMarkets({
  clock,
  exchange,
  seed,
  idsOf,
  isWanted = () => true,
}: {
  readonly clock: Clock;
  readonly exchange: Pick<VenueModel, 'listMarket' | 'market' | 'payout' | 'resolve'>;
  readonly seed: number;
  readonly idsOf: (slug: string) => ChainIds;
  /** Which generations there are, by their start; all unless stated. */
  readonly isWanted?: (startsAtMs: number) => boolean;
}): FarmMarkets {
  const known = new Map<string, Farmed>();
  /** Start of the newest generation that was looked at: ids are points of a curve, and dear. */
  let seen: number | null = null;

  function listGenerations(nowMs: number): void {
    const newest = Math.floor(nowMs / SANDBOX_FARMING.generationMs) * SANDBOX_FARMING.generationMs;
    const first =
      seen === null ? newest - SANDBOX_FARMING.keptMs : seen + SANDBOX_FARMING.generationMs;
    for (let startsAtMs = first; startsAtMs <= newest; startsAtMs += SANDBOX_FARMING.generationMs) {
      if (isWanted(startsAtMs))
        for (const question of FARM_QUESTIONS) take(question, startsAtMs, nowMs);
    }
    seen = newest;
  }

  /**
   * Lists what is open now; of what has ended only those the exchange remembers, for they may still
   * owe a user.
   */
  function take(question: FarmQuestion, startsAtMs: number, nowMs: number): void {
    const slug = slugOf(question, startsAtMs);
    if (known.has(slug)) return;
    const ids = idsOf(slug);
    const isListed = exchange.market(ids.marketId) !== null;
    if (!isListed && nowMs >= startsAtMs + SANDBOX_FARMING.lifeMs) return;
    const listing = listingOf(question, { ids, slug, startsAtMs }, exchange.payout(ids.marketId));
    if (!isListed) exchange.listMarket(listing.market);
    known.set(slug, { question, startsAtMs, listing });
  }

  function endAndForget(nowMs: number): void {
    for (const [slug, farmed] of known) {
      const { question, listing } = farmed;
      const { marketId, endsAtMs } = listing.market;
      if (nowMs > endsAtMs + SANDBOX_FARMING.keptMs) known.delete(slug);
      if (listing.ending !== null || nowMs < endsAtMs + SANDBOX_FARMING.resolutionDelayMs) continue;
      const payoutTicks =
        exchange.payout(marketId) ??
        (question.endsYes ? ([10_000, 0] as const) : ([0, 10_000] as const));
      farmed.listing = { ...listing, ending: { atMs: nowMs, payoutTicks } };
      if (exchange.payout(marketId) === null) exchange.resolve(marketId, payoutTicks);
    }
  }

  function turn(): void {
    const nowMs = clock.nowMs();
    listGenerations(nowMs);
    endAndForget(nowMs);
  }

  turn();
  const tick = everyTick(clock, { stepMs: 5_000, delayMs: 0 }, turn);
  return {
    listings: () => [...known.values()].map(({ listing }) => listing),
    chanceOf(listing) {
      const farmed = known.get(listing.market.slug);
      return farmed === undefined ? null : chanceAt(seed, farmed, clock.nowMs());
    },
    stop: () => tick.cancel(),
  };
}

function chanceAt(seed: number, { question, startsAtMs, listing }: Farmed, nowMs: number): number {
  const { chance, course } = question;
  const atMs = startsAtMs + (course.kind === 'drifts' ? 0 : course.at * SANDBOX_FARMING.lifeMs);
  const isOff =
    course.kind !== 'drifts' &&
    nowMs >= atMs &&
    (course.kind === 'crashes' || nowMs < atMs + TWITCH_MS);
  if (isOff) return course.to;
  const stream = streamOf(listing.market.slug);
  const knots = nowMs / DRIFT_LIFE_MS;
  const [from, to] = [
    hashedNormal(seed, stream, Math.floor(knots)),
    hashedNormal(seed, stream, Math.floor(knots) + 1),
  ];
  const odds =
    Math.log(chance / (1 - chance)) + DRIFT * (from + (to - from) * (knots - Math.floor(knots)));
  return 1 / (1 + Math.exp(-odds));
}

function slugOf({ slug }: FarmQuestion, startsAtMs: number): string {
  return `${slug}-${startsAtMs / 60_000}`;
}

function listingOf(
  question: FarmQuestion,
  {
    ids,
    slug,
    startsAtMs,
  }: { readonly ids: ChainIds; readonly slug: string; readonly startsAtMs: number },
  payoutTicks: readonly [number, number] | null,
): Listing {
  const endsAtMs = startsAtMs + SANDBOX_FARMING.lifeMs;
  const id = (startsAtMs / SANDBOX_FARMING.generationMs) * 100 + FARM_QUESTIONS.indexOf(question);
  return {
    market: {
      marketId: ids.marketId,
      tokens: ids.tokens,
      labels: ['Yes', 'No'],
      slug,
      question: question.question,
      tickSize: priceTicks(100),
      minSize: shareMicros(5_000_000),
      negRisk: false,
      fee: { rateMicros: 50_000, exponent: 1, takerOnly: true },
      takerDelayMs: 0,
      opensForOrdersAtMs: startsAtMs,
      endsAtMs,
    },
    questionId: ids.questionId,
    listingId: String(id),
    event: { eventId: String(id + 50), slug, title: question.question, tags: question.tags },
    groupTitle: null,
    description: `${question.description}\n${furtherRules(question.slug)}`,
    resolutionSource: '',
    listedAtMs: startsAtMs,
    hydratedAtMs: startsAtMs,
    window: null,
    ending:
      payoutTicks === null
        ? null
        : { atMs: endsAtMs + SANDBOX_FARMING.resolutionDelayMs, payoutTicks },
    priorVolumeUsd: question.priorVolumeUsd,
    depth: question.depth,
  };
}

import { SANDBOX } from '../../../../config/limits/sandbox.ts';
import { createSeededRandom } from '../../../adapters/random/seeded-random.ts';
import { loadKeccak } from '../../../adapters/wire/keccak.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Random } from '../../../ports/random.ts';
import type { Allowances } from '../../engine/allowances.ts';
import type { DurableRecord, ExchangeSnapshot } from '../../engine/durable.ts';
import { createExchange, type VenueModel } from '../../engine/exchange.ts';
import type { ExchangeMarket } from '../../engine/exchange-types.ts';
import type { Listing, RoundSeries } from '../../engine/listing.ts';
import { startMarketStats, type MarketStats } from '../../engine/market-stats.ts';
import type { Settler } from '../../engine/settler.ts';
import { startMarketMaker } from '../../engine/traders/market-maker.ts';
import { startNoiseTraders } from '../../engine/traders/noise-traders.ts';
import { createFairValue } from '../../feeds/prices/fair-value.ts';
import type { SettlementPrices, SettlementRule } from '../../feeds/prices/settlement-prices.ts';
import { streamOf } from '../../hashed-chance.ts';
import { createSharedModel, type SharedModel } from '../../shared-model.ts';
import type { WorldDelays, WorldRules } from '../../world-settings.ts';
import { startFarmMarkets } from './markets/farm-markets.ts';
import { chainIds, type ChainIds } from '../../chains/evm/outcome-ids.ts';
import { conditionTerms } from './markets/market-ids.ts';
import { startRounds, type Rounds } from './markets/rounds.ts';
import { startStandingMarkets } from './markets/standing-markets.ts';

/**
 * What the venue was seen to do (venue_a.md sections 6.4, 9.3 and 11); the listing horizon is
 * shorter than its day.
 */
export const USUAL_DELAYS: WorldDelays = {
  listingHorizonMs: 7_200_000,
  hydrationDelayMs: 60_000,
  strikeDelayMs: 8_000,
  resolutionDelayMs: 120_000,
  minedAfterMs: 2_000,
  confirmedAfterMs: 5_000,
};

/** Recurring markets as they were recorded; there are no others then, and no long-running ones. */
interface RecordedRounds {
  readonly series: readonly RoundSeries[];
  /** Null for a window that was not recorded. */
  idsOf(slug: string): ChainIds | null;
  knownPayout(slug: string): readonly [number, number] | null;
}

/**
 * The outside world of this venue without its servers: the models, alive on a clock. Replays read
 * it directly.
 */
export interface WorldModel extends SharedModel {
  readonly random: Random;
  readonly exchange: VenueModel;
  readonly rounds: Rounds;
  readonly stats: MarketStats;
  readonly delays: WorldDelays;
  readonly rule: SettlementRule;
  /** Every market that is remembered. */
  listings(): readonly Listing[];
  /** The question a market's condition is about. */
  questionIdOf(market: ExchangeMarket): string;
  stop(): void;
}

/** Before the start nothing is known: Up and Down are worth the same. */
const EVEN = 0.5;

/**
 * Brings the venue to life, in a world of its own unless it is given one. Throws a RangeError for
 * an unknown fault.
 */
export async function startWorldModel(
  options: WorldRules & {
    readonly clock: Clock;
    readonly prices: SettlementPrices;
    /** When the world was first made: long-running markets end counted from here. */
    readonly foundedAtMs: number;
    /** Settles users' trades; absent: the delays do. */
    readonly settler?: Settler;
    /** What users let the venue take; absent: all they have. */
    readonly allowances?: Allowances;
    /** What an earlier run kept of the venue. */
    readonly snapshot?: ExchangeSnapshot;
    onDurableChange?(records: readonly DurableRecord[]): void;
    /**
     * Which recurring markets there are, where not all of them: a replay has those that were
     * recorded.
     */
    readonly recorded?: RecordedRounds;
    /**
     * Lists markets to farm beside recorded recurring ones; a world that is not recorded lists them
     * anyway.
     */
    readonly farmed?: boolean;
    /** Which generations of markets to farm there are, by their start; all unless stated. */
    readonly isFarmListed?: (startsAtMs: number) => boolean;
    /** Called when the venue exists and before anything happens in it. */
    onVenue?(exchange: VenueModel): void;
  },
  shared: SharedModel = createSharedModel(options),
): Promise<WorldModel> {
  const { clock, seed, prices, rule = 'spot', makers = true } = options;
  const { faults, quotes } = shared;
  const delays = { ...USUAL_DELAYS, ...options.delays };
  // A restarted world must not draw the ids of its former run again.
  const random = createSeededRandom(`${seed}:venue:${clock.nowMs()}`);
  const exchange = createExchange({
    clock,
    random,
    faults,
    settlement: { minedAfterMs: delays.minedAfterMs, confirmedAfterMs: delays.confirmedAfterMs },
    ...(options.settler === undefined ? {} : { settler: options.settler }),
    ...(options.allowances === undefined ? {} : { allowances: options.allowances }),
    ...(options.snapshot === undefined ? {} : { snapshot: options.snapshot }),
    ...(options.onDurableChange === undefined ? {} : { onDurableChange: options.onDurableChange }),
  });
  options.onVenue?.(exchange);
  const keccak = await loadKeccak();
  const terms = conditionTerms(seed);
  const idsOf = (slug: string) => chainIds(keccak, terms, slug);
  const rounds = startRounds({
    clock,
    exchange,
    prices,
    idsOf,
    rule,
    ...delays,
    ...options.recorded,
  });
  const standing =
    options.recorded === undefined
      ? startStandingMarkets({ clock, exchange, seed, idsOf, foundedAtMs: options.foundedAtMs })
      : null;
  const farmed =
    options.recorded === undefined || options.farmed === true
      ? startFarmMarkets({
          clock,
          exchange,
          seed,
          idsOf,
          ...(options.isFarmListed === undefined ? {} : { isWanted: options.isFarmListed }),
        })
      : null;
  const stats = startMarketStats(clock, exchange, SANDBOX.listingCacheMs);
  const listings = () => [
    ...rounds.listings(),
    ...(standing?.listings() ?? []),
    ...(farmed?.listings() ?? []),
  ];
  const fair = createFairValue({ seed, prices, exchange: quotes, rule });
  const fairOf = (listing: Listing): number | null => {
    const { window, market } = listing;
    if (window === null) return farmed?.chanceOf(listing) ?? standing?.chanceOf(listing) ?? null;
    const strikeE18 = clock.nowMs() < window.startsAtMs ? null : rounds.strikeE18(window);
    return strikeE18 === null
      ? EVEN
      : fair({
          asset: window.series.asset,
          strikeE18,
          endsAtMs: window.endsAtMs,
          nowMs: clock.nowMs(),
          stream: streamOf(market.slug),
        });
  };
  const builtInMakers = makers
    ? [
        startMarketMaker({ clock, exchange, seed, listings, fairOf }),
        startNoiseTraders({ clock, exchange, seed, listings }),
      ]
    : [];
  return {
    ...shared,
    random,
    exchange,
    rounds,
    stats,
    delays,
    rule,
    listings,
    questionIdOf: ({ slug }) => idsOf(slug).questionId,
    stop() {
      for (const part of [...builtInMakers, rounds, standing, farmed, stats]) part?.stop();
    },
  };
}

import type { OutcomeIndex } from '../../../../domain/market.ts';
import { createFairValue } from '../../../feeds/prices/fair-value.ts';
import { hashedNormal, hashedUniform, streamOf } from '../../../hashed-chance.ts';
import type { SharedModel } from '../../../shared-model.ts';
import type { Catalogue } from './catalogue.ts';
import type { VenueMarket, Ending } from './market.ts';

/** What markets are worth, and how they end. */
export interface Values {
  /** Chance of YES at a moment, between 0.01 and 0.99; null while prices are missing. */
  fairAt(market: VenueMarket, nowMs: number): number | null;
  /** The price a window is measured against, USD with 18 decimals; null before it begins. */
  openingOf(market: VenueMarket, nowMs: number): bigint | null;
  /** How a market that is over ended: by the prices of a window, by seeded chance otherwise. */
  endingOf(market: VenueMarket): Omit<Ending, 'atMs'>;
}

/** A question's chance wanders by about so many logits, over so long. */
const WANDER = 0.35;
const WANDER_LIFE_MS = 6 * 3_600_000;

/** Creates the values of a world. */
export function createValues(
  { prices, quotes }: Pick<SharedModel, 'prices' | 'quotes'>,
  seed: number,
  { chanceOf, winsWithin }: Pick<Catalogue, 'chanceOf' | 'winsWithin'>,
): Values {
  const windowValue = createFairValue({ seed, prices, exchange: quotes, rule: 'spot' });
  const openingOf = ({ window, startsAtMs }: VenueMarket, nowMs: number): bigint | null =>
    window === null || nowMs < startsAtMs ? null : prices.at(window.asset, startsAtMs / 1000);

  function fairAt(market: VenueMarket, nowMs: number): number | null {
    const stream = streamOf(market.slug);
    const { window } = market;
    if (window === null) return bounded(wandered(chanceOf(market) ?? 0.5, stream, nowMs));
    // a window that has not begun is a coin
    if (nowMs < market.startsAtMs) return 0.5;
    const strikeE18 = openingOf(market, nowMs);
    if (strikeE18 === null) return null;
    const { asset } = window;
    const chance = windowValue({ asset, strikeE18, endsAtMs: market.endsAtMs, nowMs, stream });
    return chance === null ? null : bounded(chance);
  }

  function wandered(chance: number, stream: number, nowMs: number): number {
    const knots = nowMs / WANDER_LIFE_MS;
    const before = Math.floor(knots);
    const [from, to] = [hashedNormal(seed, stream, before), hashedNormal(seed, stream, before + 1)];
    const logit =
      Math.log(chance / (1 - chance)) + WANDER * (from + (to - from) * (knots - before));
    return 1 / (1 + Math.exp(-logit));
  }

  return {
    fairAt,
    openingOf,
    endingOf(market) {
      const { slug, window, startsAtMs, endsAtMs } = market;
      const won = (isYes: boolean): OutcomeIndex => (isYes ? 0 : 1);
      const part = winsWithin(market);
      if (part !== null) {
        const drawn = hashedUniform(seed, streamOf(market.group?.slug ?? slug) + 9, 0);
        return { slug, winner: won(drawn >= part[0] && drawn < part[1]) };
      }
      if (window === null) {
        const drawn = hashedUniform(seed, streamOf(slug) + 9, 0);
        return { slug, winner: won(drawn < (chanceOf(market) ?? 0.5)) };
      }
      const [open, close] = [startsAtMs, endsAtMs].map((ms) => prices.at(window.asset, ms / 1000));
      if (open === undefined || close === undefined || open === null || close === null)
        return { slug, winner: null };
      return { slug, winner: won(close >= open) };
    },
  };
}

function bounded(chance: number): number {
  return Math.min(0.99, Math.max(0.01, chance));
}

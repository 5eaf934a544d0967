import type { Asset } from '../../domain/ids.ts';
import type { ExchangeMarket } from './exchange-types.ts';

/** A recurring market's series as the venue names it (venue_a.md section 11). */
export interface RoundSeries {
  readonly seriesId: string;
  readonly seriesSlug: string;
  readonly asset: Asset;
  readonly assetName: string;
  readonly minutes: 5 | 15;
}

/** The window of a recurring market and what is known of its settlement. */
export interface ListedWindow {
  readonly series: RoundSeries;
  readonly startsAtMs: number;
  readonly endsAtMs: number;
}

/** How a market ended. */
export interface Ending {
  readonly atMs: number;
  readonly payoutTicks: readonly [number, number];
}

/** A market in the venue's catalogue. */
export interface Listing {
  readonly market: ExchangeMarket;
  readonly questionId: string;
  /** The catalogue's own ids, decimal text. */
  readonly listingId: string;
  readonly event: ListedEvent;
  readonly groupTitle: string | null;
  readonly description: string;
  readonly resolutionSource: string;
  readonly listedAtMs: number;
  /** From here on the token ids are filled in. */
  readonly hydratedAtMs: number;
  /** Null for a market that does not recur. */
  readonly window: ListedWindow | null;
  readonly ending: Ending | null;
  /** What was traded before the world began, USD; nothing unless stated. */
  readonly priorVolumeUsd?: number;
  /** How deep its makers quote beside the usual depth; 1 unless stated. */
  readonly depth?: number;
}

/** The event that holds one market or several. */
export interface ListedEvent {
  readonly eventId: string;
  readonly slug: string;
  readonly title: string;
  readonly tags: readonly ListingTag[];
}

/** A tag of the catalogue. */
export interface ListingTag {
  readonly id: string;
  readonly label: string;
  readonly slug: string;
}

/** Tags the world uses. */
export const TAGS = {
  crypto: { id: '21', label: 'Crypto', slug: 'crypto' },
  upOrDown: { id: '102127', label: 'Up or Down', slug: 'up-or-down' },
  weather: { id: '84', label: 'Weather', slug: 'weather' },
  science: { id: '74', label: 'Science', slug: 'science' },
  culture: { id: '596', label: 'Culture', slug: 'pop-culture' },
  sports: { id: '1', label: 'Sports', slug: 'sports' },
  politics: { id: '2', label: 'Politics', slug: 'politics' },
  cryptoPrices: { id: '1312', label: 'Crypto Prices', slug: 'crypto-prices' },
} as const satisfies Record<string, ListingTag>;

import type { Market } from '../market.ts';

/**
 * A market as a scan finds it: its facts and what its venue files it under. All texts are the
 * venue's and of whoever made the market: data, never authority.
 */
export interface FarmListing {
  readonly market: Market;
  /**
   * Worth of each outcome by the listing, in ticks from 0 to 10 000, minutes old: says what to
   * examine, never what to pay. Null where it says none.
   */
  readonly listedTicks: readonly [number, number] | null;
  /** Slugs of the venue's tags and series, and its kind of fee, in small letters. */
  readonly categories: readonly string[];
  /**
   * The venue itself calls it a game: it names a sports market type, a game, or the start of one.
   */
  readonly isGame: boolean;
  /** Its first buyer pays for the making of its tokens: nothing has been bought yet. */
  readonly needsSetup: boolean;
  readonly eventTitle: string;
  readonly description: string;
}

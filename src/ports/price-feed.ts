import type { Asset } from '../domain/ids.ts';
import type { AssetPriceE8 } from '../domain/units.ts';
import type { Listener } from './listener.ts';

/**
 * Which kind of price: the moment's (null), or the average of the 60 s before, where the market
 * settles on that.
 */
export type TwapSeconds = 60 | null;

/** One price of one asset. */
export interface PriceTick {
  readonly asset: Asset;
  readonly price: AssetPriceE8;
  /** The moment the value speaks of, epoch ms. */
  readonly sourceAtMs: number;
  /** Averaged over the 60 s before, where the market settles on that; null for spot. */
  readonly twapSeconds: TwapSeconds;
}

/**
 * A live price source for the given assets: an oracle, the venue's mirror of it, or an exchange.
 */
export interface PriceFeed {
  readonly name: 'oracle' | 'venue_oracle' | 'exchange';
  /**
   * Gives ticks of every kind the source has, distinguished by `twapSeconds`. Errors:
   * `venue_unavailable` (retryable).
   */
  watch(assets: readonly Asset[], listener: Listener<PriceTick>): () => void;
  /**
   * Repairs a missed moment: the first price at or after `atMs`; null when the source keeps no
   * history of that kind, or has none there yet, within two seconds. Errors: `venue_unavailable`,
   * `venue_protocol`.
   */
  priceAt(asset: Asset, atMs: number, twapSeconds: TwapSeconds): Promise<PriceTick | null>;
}

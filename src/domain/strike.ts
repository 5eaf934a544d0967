import type { AssetPriceE8 } from './units.ts';

/**
 * The price to beat as far as it is known. A contradiction is no price: it is unknown what the
 * round decides on.
 */
export type StrikeFinding =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'known'; readonly price: AssetPriceE8; readonly source: 'captured' | 'venue' }
  | {
      readonly kind: 'contradiction';
      readonly captured: AssetPriceE8;
      readonly stated: AssetPriceE8;
    };

/**
 * Weighs our own capture of the settlement feed against the price the venue states. The venue may
 * round; beyond `toleranceE8` (USD times 10^8) the two contradict each other.
 */
export function findStrike({
  captured,
  stated,
  toleranceE8,
}: {
  readonly captured: AssetPriceE8 | null;
  readonly stated: AssetPriceE8 | null;
  readonly toleranceE8: number;
}): StrikeFinding {
  if (captured === null)
    return stated === null
      ? { kind: 'unknown' }
      : { kind: 'known', price: stated, source: 'venue' };
  if (stated !== null && Math.abs(captured - stated) > toleranceE8)
    return { kind: 'contradiction', captured, stated };
  return { kind: 'known', price: captured, source: 'captured' };
}

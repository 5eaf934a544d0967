import { assetPriceE8, type AssetPriceE8 } from './units.ts';

const WINDOW_SECONDS = 60;
/** An average that misses more seconds than this says too little about the window. */
const MISSING_MAXIMUM = 5;

/** One price a second, oldest first, of at most the last minute. */
export type SecondPrices = readonly { readonly second: number; readonly price: AssetPriceE8 }[];

/**
 * Adds a price to the seconds; a second keeps its first price, and prices from the past change
 * nothing.
 */
export function addSecond(seconds: SecondPrices, price: AssetPriceE8, atMs: number): SecondPrices {
  const second = Math.floor(atMs / 1_000);
  const newest = seconds.at(-1);
  if (newest !== undefined && second <= newest.second) return seconds;
  return [...seconds.filter((kept) => kept.second > second - WINDOW_SECONDS), { second, price }];
}

/** Average of the last minute's whole seconds, cut to 10^-8 USD; null when too many are missing. */
export function minuteAverage(seconds: SecondPrices): AssetPriceE8 | null {
  if (seconds.length < WINDOW_SECONDS - MISSING_MAXIMUM) return null;
  const sum = seconds.reduce((total, { price }) => total + BigInt(price), 0n);
  return assetPriceE8(Number(sum / BigInt(seconds.length)));
}

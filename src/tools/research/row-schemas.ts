import { z } from 'zod';
import { assetPriceFromDecimal, assetPriceFromScaled } from '../../adapters/wire/asset-price.ts';
import type { OutcomeIndex } from '../../domain/market.ts';
import {
  priceTicks,
  TICKS_PER_USD,
  type AssetPriceE8,
  type PriceTicks,
} from '../../domain/units.ts';

/** Whole unix seconds of this century. */
export const unixSeconds = z.coerce.number().int().min(1_000_000_000).max(9_999_999_999);
/** Epoch milliseconds of this century. */
export const epochMs = z.coerce.number().int().min(1_000_000_000_000).max(9_999_999_999_999);
/** A finite number written as text. */
export const decimal = z.string().min(1).pipe(z.coerce.number());
/** A finite number, or null where the cell is empty. */
export const decimalOrNull = z
  .string()
  .transform((text) => (text === '' ? null : Number(text)))
  .pipe(z.number().nullable());

/** A price of an asset in USD. */
export const assetPrice = z.string().transform((text, context): AssetPriceE8 => {
  const price = assetPriceFromDecimal(text);
  if (price !== null) return price;
  context.addIssue('is not a price');
  return z.NEVER;
});

/** A price of an asset in USD times 10^18. */
export const assetPriceE18 = z
  .string()
  .regex(/^\d{1,30}$/)
  .transform((text, context): AssetPriceE8 => {
    const price = assetPriceFromScaled(BigInt(text), 18);
    if (price !== null) return price;
    context.addIssue('is not a price');
    return z.NEVER;
  });

/**
 * Price of an outcome in ticks from decimal text, rounded up to a whole tick; null where empty, or
 * where nothing is left to trade.
 */
export const outcomePrice = z
  .string()
  .transform((text) => ticksOf(text))
  .nullable();

/** `up`/`yes` is outcome 0, `down`/`no` outcome 1, in any case. */
export const winner = z.string().transform((text, context): OutcomeIndex => {
  if (/^(up|yes)$/i.test(text)) return 0;
  if (/^(down|no)$/i.test(text)) return 1;
  context.addIssue('is not a winner');
  return z.NEVER;
});

function ticksOf(text: string): PriceTicks | null {
  // The slack takes away what binary fractions add: 0.29 times 10 000 is 2 900.0000000000005.
  const ticks = text === '' ? Number.NaN : Math.ceil(Number(text) * TICKS_PER_USD - 1e-6);
  return ticks >= 1 && ticks < TICKS_PER_USD ? priceTicks(ticks) : null;
}

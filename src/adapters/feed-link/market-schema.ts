import { z } from 'zod';
import type { FarmListing } from '../../domain/farming/listing.ts';
import type { Market, Resolution } from '../../domain/market.ts';
import { TICKS_PER_USD } from '../../domain/units.ts';

const text = z.string();
const whole = z.int();
const ticks = whole.min(1).max(TICKS_PER_USD - 1);
const payout = whole.min(0).max(TICKS_PER_USD);

const roundWindow = z.strictObject({
  asset: z.enum(['BTC', 'ETH', 'SOL']),
  minutes: z.union([z.literal(5), z.literal(15)]),
  startsAtMs: whole,
  endsAtMs: whole,
  strike: whole.positive().nullable(),
  twap: z.boolean(),
});
const outcome = z.strictObject({ tokenId: text, label: text });

/** A market as it is carried: strict, so that a member that one side adds is not lost unseen. */
const market = z.strictObject({
  venue: text,
  mechanism: text.exactOptional(),
  marketId: text,
  listingId: text,
  eventId: text,
  slug: text,
  question: text,
  eventTitle: text.exactOptional(),
  outcomes: z.tuple([outcome, outcome]),
  own: z.json().exactOptional(),
  tickSize: ticks,
  minSize: whole.nonnegative(),
  fee: z
    .strictObject({
      rateMicros: z.number(),
      exponent: z.number(),
      takerOnly: z.boolean(),
    })
    .nullable(),
  separateBooks: z.literal(true).exactOptional(),
  takerDelay: z.boolean(),
  acceptingOrders: z.boolean(),
  notTradeable: text.exactOptional(),
  closed: z.boolean(),
  window: roundWindow.nullable(),
  endsAtMs: whole,
  volumeUsd: z.number(),
  liquidityUsd: z.number().nullable(),
});

const marketAnswer = market.nullable();
const resolutionAnswer = z
  .strictObject({ marketId: text, payoutTicks: z.tuple([payout, payout]), resolvedAtMs: whole })
  .nullable();
const scanAnswer = z.strictObject({
  data: z.array(
    z.strictObject({
      market,
      listedTicks: z.tuple([payout, payout]).nullable(),
      categories: z.array(text),
      isGame: z.boolean(),
      needsSetup: z.boolean(),
      eventTitle: text,
      description: text,
    }),
  ),
  nextCursor: text.nullable(),
});

/** What is checked has the shape of the domain's type, but for the brands of texts and numbers. */
type Read<T> = { readonly ok: true; readonly value: T } | { readonly ok: false };

function read<Shape, T>(schema: z.ZodType<Shape>, value: unknown): Read<T> {
  const parsed = schema.safeParse(value);
  // ids and units are brands of the texts and whole numbers that the schema has checked
  return parsed.success ? { ok: true, value: parsed.data as unknown as T } : { ok: false };
}

export const readMarket = (value: unknown): Read<Market | null> => read(marketAnswer, value);
export const readResolution = (value: unknown): Read<Resolution | null> =>
  read(resolutionAnswer, value);
export const readScanPage = (
  value: unknown,
): Read<{ readonly data: readonly FarmListing[]; readonly nextCursor: string | null }> =>
  read(scanAnswer, value);

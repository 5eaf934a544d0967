import { z } from 'zod';
import { OPEN_END_MS } from '../../domain/market.ts';
import type { MarketTime } from '../../ports/market-time.ts';
import type { ListingPage, MarketQuery } from '../../ports/catalogue.ts';
import { pageFields, pageOut, titleSearchField, wholeField } from './fields.ts';

const endField = wholeField(15, 'epoch milliseconds').pipe(
  z.int().max(OPEN_END_MS, 'epoch milliseconds before the year 10000'),
);

/** What lists of markets and events take at every venue. */
export const browseFields = {
  ...pageFields,
  search: titleSearchField,
  endsAfterAtMs: endField.optional().meta({ description: 'Epoch milliseconds.' }),
  endsBeforeAtMs: endField.optional().meta({ description: 'Epoch milliseconds.' }),
  sort: z.enum(['volume', 'volume24h', 'ending', 'newest']).optional().meta({
    description:
      'Largest volume first, in all or of the last day, next to end first (closed ones: last to have ended first), or newest first.',
  }),
};
/** As it is read. */
export type BrowseInput = z.output<z.ZodObject<typeof browseFields>>;

/** Refuses a span of ends that holds nothing. */
export function checkEnds(
  { endsAfterAtMs, endsBeforeAtMs }: Pick<BrowseInput, 'endsAfterAtMs' | 'endsBeforeAtMs'>,
  context: z.RefinementCtx,
): void {
  if (endsAfterAtMs !== undefined && endsBeforeAtMs !== undefined && endsAfterAtMs > endsBeforeAtMs)
    context.addIssue({
      code: 'custom',
      path: ['endsBeforeAtMs'],
      message: 'not before endsAfterAtMs',
    });
}

/** Callers say when markets end in wall time; the listing is asked in the markets'. */
export function inMarketTime<Query extends BrowseInput>(
  { endsAfterAtMs, endsBeforeAtMs, ...query }: Query,
  time: MarketTime,
): Omit<Query, 'endsAfterAtMs' | 'endsBeforeAtMs'> &
  Pick<MarketQuery, 'endsAfterMs' | 'endsBeforeMs'> {
  return {
    ...query,
    ...(endsAfterAtMs === undefined ? {} : { endsAfterMs: time.toMarketMs(endsAfterAtMs) }),
    ...(endsBeforeAtMs === undefined ? {} : { endsBeforeMs: time.toMarketMs(endsBeforeAtMs) }),
  };
}

/** Says of a list which pages it has. */
export const FULL_PAGES = 'A page is full, or the list is over, or it is `incomplete`.';

const incompleteOut = z.boolean().meta({
  description:
    'True where the venue lists more than one call looks through: go on with the cursor, or ask for less. ' +
    'What is ordered here and not by the venue is then ordered among what has most volume.',
});

/** A page of a venue's list. */
export function listingPageOut<Item extends z.ZodType>(
  item: Item,
): z.ZodObject<{
  data: z.ZodArray<Item>;
  nextCursor: z.ZodNullable<z.ZodString>;
  incomplete: z.ZodBoolean;
}> {
  return pageOut(item).extend({ incomplete: incompleteOut });
}

/** Writes a page of a venue's list. */
export function viewListingPage<From, To>(
  { data, nextCursor, incomplete = false }: ListingPage<From>,
  view: (row: From) => To,
): { readonly data: To[]; readonly nextCursor: string | null; readonly incomplete: boolean } {
  return { data: data.map(view), nextCursor, incomplete };
}

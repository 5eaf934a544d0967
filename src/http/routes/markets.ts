import { z } from 'zod';
import { asId, type VenueId } from '../../domain/ids.ts';
import { ERROR_RESPONSES } from '../errors.ts';
import { userRoute } from '../route.ts';
import { marketOut, viewMarket } from '../views/market.ts';
import { FULL_PAGES, listingPageOut, viewListingPage } from './browse-fields.ts';
import { pageFields, pageOf, titleSearchField } from './fields.ts';

/** No venue's name is longer. */
const VENUE_MAXIMUM_CHARS = 40;
/** Cursors of several venues in one. */
const CURSOR_MAXIMUM_CHARS = 4_096;

const missingOut = z
  .object({
    venue: z.string(),
    code: z.enum(Object.keys(ERROR_RESPONSES)),
    detail: z.string(),
  })
  .meta({ id: 'MissingVenue' });

/** Markets of all venues. */
export const marketSearchRoutes = [
  userRoute({
    family: 'markets',
    method: 'GET',
    path: '/api/markets/',
    budget: 'reads',
    operationId: 'searchMarkets',
    summary: 'Browse or search the markets of all venues, in one shape',
    description:
      'Every venue that has more gives its share to a page, in turn, unless `sort` orders them; where one has less, the others fill it. ' +
      `${FULL_PAGES} One that does not answer is named in \`missing\`, and asked again by the next page.`,
    query: z.strictObject({
      search: titleSearchField,
      state: z
        .enum(['active', 'closed'])
        .optional()
        .meta({ description: 'Open ones or closed ones.', default: 'active' }),
      venue: z
        .string()
        .min(1)
        .max(VENUE_MAXIMUM_CHARS)
        .transform((text) => asId<VenueId>(text))
        .optional()
        .meta({ description: 'Of one venue, by its name as in `venue`; of all where left out.' }),
      sort: z.enum(['ending']).optional().meta({
        description:
          'Over all venues: next to end first, of those still to end; of closed ones, last to have ended first.',
      }),
      limit: pageFields.limit,
      cursor: z
        .string()
        .min(1)
        .max(CURSOR_MAXIMUM_CHARS)
        .optional()
        .meta({ description: '`nextCursor` of the page before.' }),
    }),
    output: listingPageOut(marketOut).extend({ missing: z.array(missingOut) }),
    errors: ['venue_protocol'],
    run: async ({ services, userId }, { query: { search, state, venue, sort, ...query } }) => {
      const found = await services.marketSearch.find(userId, {
        search,
        state,
        venue,
        sort,
        ...pageOf(query),
      });
      return { ...viewListingPage(found, viewMarket), missing: [...found.missing] };
    },
  }),
];

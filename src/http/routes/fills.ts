import { z } from 'zod';
import type { MarketId, VenueId } from '../../domain/ids.ts';
import { userRoute } from '../route.ts';
import type { VenueIds } from '../venue-api.ts';
import { fillOut, viewFill } from '../views/fill.ts';
import { idField, pageFields, pageOf, pageOut } from './fields.ts';

/** The list of a user's fills at a venue; `suffix` ends the name of the call. */
export function fillsRoute<const Path extends string>({
  venue,
  ids,
  suffix,
  path,
}: {
  readonly venue: VenueId;
  readonly ids: VenueIds;
  readonly suffix: string;
  readonly path: Path;
}) {
  return userRoute({
    family: venue,
    method: 'GET',
    path,
    budget: 'reads',
    operationId: `listFills${suffix}`,
    summary: 'List your fills, newest first',
    description:
      'Every trade of your orders, placed manually and by agents, in the order in which they were booked: what was ' +
      'matched, and what became of its settlement.',
    query: z.strictObject({
      marketId: idField<MarketId>(ids.market)
        .optional()
        .meta({ description: 'Those of one market.' }),
      ...pageFields,
    }),
    output: pageOut(fillOut),
    run: ({ services, userId }, { query: { marketId, ...query } }) => {
      const page = services.history.fills(userId, {
        venue,
        ...pageOf(query),
        ...(marketId === undefined ? {} : { marketId }),
      });
      return {
        data: page.data.map((view) => viewFill(view, services.coinPrice)),
        nextCursor: page.nextCursor,
      };
    },
  });
}

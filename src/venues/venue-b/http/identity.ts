import { z } from 'zod';
import { userRoute } from '../../../http/route.ts';
import { VENUE_B_ID } from '../id.ts';

const identityOut = z
  .object({
    verified: z.boolean(),
    link: z
      .url()
      .nullable()
      .meta({
        description:
          'Where you show who you are, in a browser; made afresh for each call, for it ages. Null once you have.',
        examples: ['https://dflow.net/proof?wallet=…'],
      }),
  })
  .meta({ id: 'VenueIdentity' });

/** Who a user is, as the venue wants it shown before they buy. */
export const identityRoutes = [
  userRoute({
    family: VENUE_B_ID,
    method: 'GET',
    path: '/api/venue_b/identity/',
    budget: 'reads',
    scope: 'session',
    operationId: 'getIdentityVenueB',
    summary: 'See whether the venue knows who you are, and where to show it',
    description:
      'The venue sells only to people who have shown who they are; sales and redemptions never ask. Whoever opens `link` shows it for your wallet.',
    output: identityOut,
    errors: ['venue_unavailable', 'venue_protocol'],
    run: async ({ services, userId }) => {
      const identity = services.identityAt(VENUE_B_ID);
      const verified = identity === null || (await identity.isVerified(userId));
      return { verified, link: verified ? null : await identity.link(userId) };
    },
  }),
];

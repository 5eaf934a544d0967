import { z } from 'zod';
import { createLiveDocument } from '../live-examples.ts';
import { openApiDocument } from '../openapi.ts';
import { publicRoute, type Route } from '../route.ts';
import type { VenueApi } from '../venue-api.ts';
import { agentRoutes } from './agents.ts';
import { authRoutes } from './auth.ts';
import { signInAgainRoutes } from './sign-in-again.ts';
import { sessionRoutes } from './sessions.ts';
import { confirmationRoutes } from './confirmations.ts';
import { bscRoutes } from './bsc.ts';
import { docsRoutes } from './docs.ts';
import { errorRoutes } from './errors.ts';
import { eventRoutes } from './events.ts';
import { exchangeRoutes } from './exchange.ts';
import { internalAdoptRoutes } from './internal-adopt.ts';
import { internalStopRoutes } from './internal-stops.ts';
import { keyExportRoutes } from './key-export.ts';
import { keyRoutes } from './keys.ts';
import { launchRoutes } from './launches.ts';
import { marketSearchRoutes } from './markets.ts';
import { notificationRoutes } from './notifications.ts';
import { portfolioRoutes } from './portfolio.ts';
import { pushRoutes } from './push.ts';
import { realtimeRoutes } from './realtime.ts';
import { registryRoutes } from './registry.ts';
import { systemRoutes } from './system.ts';
import { tokenRoutes } from './tokens.ts';
import { userLimitRoutes } from './user-limits.ts';
import { userStopRoutes } from './user-stop.ts';
import { profileRemovalRoutes } from './profile-removal.ts';
import { userRoutes } from './user.ts';
import { web3ArrivalRoutes } from './web3-arrivals.ts';
import { web3SendRoutes } from './web3-send.ts';
import { web3Routes } from './web3.ts';
import { web3TransferRoutes } from './web3-transfer.ts';

/**
 * Returns every route of a service with these venues: HTTP, OpenAPI, MCP and the table of
 * src/http/README.md read this one list.
 */
export function createRouteTable(venues: readonly VenueApi[]): readonly Route[] {
  const routes: Route[] = [
    ...authRoutes,
    ...signInAgainRoutes,
    ...sessionRoutes,
    ...userRoutes,
    ...profileRemovalRoutes,
    ...userLimitRoutes,
    ...userStopRoutes,
    ...keyRoutes,
    ...confirmationRoutes,
    ...internalStopRoutes,
    ...internalAdoptRoutes,
    ...notificationRoutes,
    ...eventRoutes,
    ...pushRoutes,
    ...marketSearchRoutes,
    ...portfolioRoutes(venues),
    ...venues.flatMap((venue) => venue.routes),
    ...web3Routes,
    ...tokenRoutes,
    ...exchangeRoutes,
    ...launchRoutes,
    ...registryRoutes,
    ...bscRoutes,
    ...realtimeRoutes,
    ...keyExportRoutes,
    ...web3TransferRoutes,
    ...web3SendRoutes,
    ...web3ArrivalRoutes,
    ...agentRoutes,
    ...systemRoutes,
    ...errorRoutes,
    ...docsRoutes,
  ];
  let version = '';
  const document = createLiveDocument(venues, (shown) =>
    Object.freeze(openApiDocument({ routes, venues: shown, version })),
  );
  routes.push(
    publicRoute({
      family: 'system',
      method: 'GET',
      path: '/openapi.json',
      budget: 'reads',
      cacheControl: 'no-cache',
      operationId: 'getOpenApiDocument',
      summary: 'This interface as an OpenAPI 3.1 document',
      description: 'This document: every call, what it takes, what it answers and how it fails.',
      output: z.looseObject({ openapi: z.string() }),
      run: ({ services, wallNowMs }) => {
        ({ version } = services.system);
        return document(services, wallNowMs);
      },
    }),
  );
  return routes;
}

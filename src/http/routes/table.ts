import { z } from 'zod';
import { openApiDocument } from '../openapi.ts';
import { publicRoute } from '../route.ts';
import type { Route } from '../route.ts';
import { agentRoutes } from './agents.ts';
import { authRoutes } from './auth.ts';
import { docsRoutes } from './docs.ts';
import { errorRoutes } from './errors.ts';
import { internalStopRoutes } from './internal-stops.ts';
import { keyExportRoutes } from './key-export.ts';
import { keyRoutes } from './keys.ts';
import { notificationRoutes } from './notifications.ts';
import { pushRoutes } from './push.ts';
import { systemRoutes } from './system.ts';
import { userLimitRoutes } from './user-limits.ts';
import { userStopRoutes } from './user-stop.ts';
import { userRoutes } from './user.ts';
import { venueAMarketRoutes } from './venue-a-markets.ts';
import { venueABridgeRoutes } from './venue-a-bridge.ts';
import { venueAMoneyRoutes } from './venue-a-money.ts';
import { venueAOrderRoutes } from './venue-a-orders.ts';
import { venueAPortfolioRoutes } from './venue-a-portfolio.ts';
import { web3Routes } from './web3.ts';
import { web3TransferRoutes } from './web3-transfer.ts';

const openApiRoute = publicRoute({
  family: 'system',
  method: 'GET',
  path: '/openapi.json',
  budget: 'reads',
  operationId: 'getOpenApiDocument',
  summary: 'This interface as an OpenAPI 3.1 document',
  description: 'This document: every call, what it takes, what it answers and how it fails.',
  output: z.looseObject({ openapi: z.string() }),
  run: ({ services }) => openApiDocument(routeTable, services.system.version),
});

/** Every route of the service: HTTP, OpenAPI, MCP and the table of src/http/README.md read this one list. */
export const routeTable: readonly Route[] = [
  ...authRoutes,
  ...userRoutes,
  ...userLimitRoutes,
  ...userStopRoutes,
  ...keyRoutes,
  ...internalStopRoutes,
  ...notificationRoutes,
  ...pushRoutes,
  ...venueAOrderRoutes,
  ...venueAPortfolioRoutes,
  ...venueAMoneyRoutes,
  ...venueABridgeRoutes,
  ...venueAMarketRoutes,
  ...web3Routes,
  ...keyExportRoutes,
  ...web3TransferRoutes,
  ...agentRoutes,
  ...systemRoutes,
  ...errorRoutes,
  ...docsRoutes,
  openApiRoute,
];

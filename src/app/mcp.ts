import type { Environment } from '../../config/schema.ts';
import type { DirectCalls } from '../http/direct-calls.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { createLocalBackend } from '../mcp/local-backend.ts';
import { createMcp } from '../mcp/mcp.ts';
import { RESOURCES } from '../mcp/resource-table.ts';
import { TOOLS } from '../mcp/tool-table.ts';
import type { RateLimits } from '../services/rate-limits.ts';
import { PAGES } from '../web/routes.ts';
import type { Identity } from './identity.ts';
import { routeTable, VENUE_APIS } from './route-table.ts';
import type { OpenRuntime } from './runtime.ts';

/** Opens `/mcp` over the routes of this process. */
export function openMcp({
  environment,
  runtime: { wallClock: clock, log, metrics },
  identity: { apiKeys, keyActivity },
  ...parts
}: {
  readonly environment: Environment;
  readonly runtime: OpenRuntime;
  readonly identity: Identity;
  readonly rateLimits: RateLimits;
  readonly version: string;
  readonly direct: DirectCalls;
}): Endpoint {
  return createMcp({
    ...parts,
    backend: createLocalBackend({ direct: parts.direct, apiKeys, keyActivity }),
    tools: TOOLS,
    resources: RESOURCES,
    routes: routeTable,
    venues: VENUE_APIS,
    hosts: mcpHosts(environment),
    origins: environment.PREDICTD_CORS_ORIGINS,
    confirmPath: PAGES.confirm,
    clock,
    log,
    metrics,
  });
}

/**
 * Names under which clients reach `/mcp`: this machine's, the one it listens at, and the configured
 * ones.
 */
export function mcpHosts({
  PREDICTD_HOST,
  PREDICTD_MCP_HOSTS,
}: Pick<Environment, 'PREDICTD_HOST' | 'PREDICTD_MCP_HOSTS'>): readonly string[] {
  const bound = PREDICTD_HOST.includes(':') ? `[${PREDICTD_HOST}]` : PREDICTD_HOST;
  return ['localhost', '127.0.0.1', '[::1]', bound.toLowerCase(), ...PREDICTD_MCP_HOSTS];
}

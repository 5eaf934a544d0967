import type { Runtime } from '../ports/runtime.ts';
import type { RateLimits } from '../services/rate-limits.ts';
import type { Route } from '../http/route.ts';
import type { Backend } from './backend.ts';
import { createMcpEndpoint, type McpEndpoint } from './endpoint.ts';
import { prepareTools, type ToolVenue } from './prepared-tools.ts';
import { createProtocol } from './protocol.ts';
import { createToolCalls } from './tool-call.ts';
import type { Resource } from './resource-table.ts';
import { prepareResources } from './resources.ts';
import type { Tool } from './tool.ts';

/**
 * Makes the MCP server: the tools over their routes, the protocol over the tools, `/mcp` over the
 * protocol.
 */
export function createMcp(
  parts: Pick<Runtime, 'clock' | 'log' | 'metrics'> & {
    readonly backend: Backend;
    readonly tools: readonly Tool[];
    readonly resources: readonly Resource[];
    /** The one table the tools point into. */
    readonly routes: readonly Route[];
    readonly venues: readonly ToolVenue[];
    readonly version: string;
    readonly hosts: readonly string[];
    /** Whole origins of pages that may call. */
    readonly origins: readonly string[];
    /** Null where the page is served elsewhere. */
    readonly confirmPath: string | null;
    readonly rateLimits: RateLimits;
  },
): McpEndpoint {
  const { log } = parts;
  return createMcpEndpoint({
    ...parts,
    stopTools: new Set(
      parts.tools.flatMap(({ name, budget }) => (budget === 'stops' ? [name] : [])),
    ),
    protocol: createProtocol({
      version: parts.version,
      tools: prepareTools(parts.tools, parts.routes),
      resources: prepareResources(parts.resources, parts.routes),
      call: createToolCalls(parts),
      onError: (error) => log.info({ error: error.message }, 'mcp.message_refused'),
    }),
  });
}

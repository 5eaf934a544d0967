import { fileURLToPath } from 'node:url';
import type { Endpoint } from '../http/endpoint.ts';
import { createWebApp } from '../http/web-app.ts';
import { routeTable } from './route-table.ts';

/** Taken beside the routes: sockets and the endpoint of assistants. */
const OTHER_CALLS = ['ws', 'mcp'];

/**
 * Opens the pages that were built beside the compiled daemon; sources that run as they are have
 * none.
 */
export function openWebApp(): Endpoint {
  const calls = new Set([
    ...routeTable.map(({ path }) => path.split('/')[1] ?? ''),
    ...OTHER_CALLS,
  ]);
  return createWebApp(fileURLToPath(new URL('../../web', import.meta.url)), calls);
}

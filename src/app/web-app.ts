import { fileURLToPath } from 'node:url';
import type { Endpoint } from '../http/endpoint.ts';
import { createWebApp } from '../http/web-app.ts';

/**
 * Opens the pages that were built beside the compiled daemon; sources that run as they are have
 * none.
 */
export function openWebApp(): Endpoint {
  return createWebApp(fileURLToPath(new URL('../../web', import.meta.url)));
}

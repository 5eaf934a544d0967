import { AppError } from '../../domain/errors.ts';
import { createCallerAddresses } from '../caller-address.ts';
import type { Listener, ServerKind } from './listener.ts';
import { createNodeListener } from './node-listener.ts';
import { createUwsListener } from './uws-listener.ts';

/**
 * Creates the server that is asked for; `auto` takes uWebSockets.js where its native build loads,
 * and the one of Node.js elsewhere. Errors: `config_invalid` when `uws` is asked for and does not
 * load.
 * `trustedProxies` may hold as many connections as they like.
 */
export async function openListener(
  choice: ServerKind | 'auto',
  trustedProxies: readonly string[] = [],
): Promise<Listener> {
  const addresses = createCallerAddresses(trustedProxies);
  if (choice === 'node') return createNodeListener(addresses);
  const native = await createUwsListener();
  if (native !== null) return native;
  if (choice === 'uws')
    throw new AppError(
      'config_invalid',
      `uWebSockets.js has no build that loads on Node ${process.version}, ${process.platform}-${process.arch}; set PREDICTD_HTTP_SERVER=auto, or install a build as config/README.md says.`,
    );
  return createNodeListener(addresses);
}

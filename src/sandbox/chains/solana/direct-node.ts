import type { VenueRoute } from '../../wire/http-server.ts';
import { answerText } from './rpc-envelope.ts';
import type { RpcWorld } from './rpc-method.ts';

/**
 * A node for callers in the same process, as routes: its JSON-RPC by POST, and nothing of the
 * network.
 */
export function nodeRoutes(world: RpcWorld): readonly VenueRoute[] {
  return [
    {
      method: 'POST',
      path: '/',
      run({ body }) {
        const text = answerText(world, body);
        if (world.losesAnswer()) return { kind: 'cut' };
        return { kind: 'json', status: 200, body: text === null ? null : JSON.parse(text) };
      },
    },
  ];
}

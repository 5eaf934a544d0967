import type { Transport } from '../../../../adapters/wire/transport.ts';
import { assert } from '../../../../domain/errors.ts';
import type { VenueParts } from '../../contract.ts';
import { callRoutes, type DirectLine } from '../../../wire/direct-calls.ts';
import { directSockets } from '../../../wire/direct-sockets.ts';
import { openModel, type VenueModel } from '../venue-model.ts';
import { gateReply } from '../wire/gate.ts';

/** Where the venue's interfaces are found by its transport. */
const DIRECT_URLS = {
  poolRest: 'http://pools.direct',
  poolSocket: 'ws://pools.direct',
  poolIdentityUrl: 'http://pools.direct/sandbox/identity',
  poolEndowmentUrl: 'http://pools.direct/sandbox/endowment',
} as const;

/**
 * The venue for callers in the same process: its interfaces, and none of the network. It is without
 * chains: it holds the money itself, and time settles. No one quotes.
 */
export interface DirectVenue {
  readonly urls: Readonly<Record<keyof typeof DIRECT_URLS, string>>;
  readonly transport: Transport;
  readonly model: VenueModel;
  close(): Promise<void>;
}

/** Puts the venue's routes and its socket in reach: the same refusals as behind the servers. */
export function createDirectVenue({
  seed,
  shared,
  foundedAtMs,
  latencyMs,
}: Pick<DirectLine, 'latencyMs'> &
  Pick<VenueParts, 'shared' | 'foundedAtMs'> & {
    readonly seed: number;
  }): DirectVenue {
  const model = openModel({
    shared,
    foundedAtMs,
    chains: null,
    options: {
      seed,
      dataDir: null,
      wallClock: shared.clock,
      makers: false,
      settlement: 'model',
    },
  });
  const line = { clock: shared.clock, latencyMs };
  const openSocket = directSockets(line, model.channel);
  return {
    urls: DIRECT_URLS,
    model,
    transport: {
      calls({ baseUrl }) {
        assert(baseUrl === DIRECT_URLS.poolRest, `${baseUrl} is the venue's interface`);
        return callRoutes(line, {
          routes: model.routes,
          before: (request) => gateReply(shared.faults, request),
        });
      },
      openSocket(options, listener) {
        assert(options.url.startsWith(DIRECT_URLS.poolSocket), `${options.url} is its socket`);
        return openSocket(options, listener);
      },
    },
    close: () => model.stop(),
  };
}

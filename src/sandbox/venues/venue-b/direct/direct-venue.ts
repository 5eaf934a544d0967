import type { Transport } from '../../../../adapters/wire/transport.ts';
import { assert } from '../../../../domain/errors.ts';
import type { Clock } from '../../../../ports/clock.ts';
import { openSolanaChain, type SolanaChain } from '../../../chains/solana/chain.ts';
import { nodeRoutes } from '../../../chains/solana/direct-node.ts';
import {
  createSolanaFaucet,
  faucetGenesis,
  type SolanaFaucet,
} from '../../../chains/solana/faucet.ts';
import { forksBy, rpcWorld } from '../../../chains/solana/rpc-method.ts';
import { USDC_MINT } from '../../../chains/solana/addresses.ts';
import type { SharedModel } from '../../../shared-model.ts';
import { openRecordStore } from '../../../storage/record-store.ts';
import { callRoutes, type DirectLine } from '../../../wire/direct-calls.ts';
import { directSockets } from '../../../wire/direct-sockets.ts';
import type { VenueRoute } from '../../../wire/http-server.ts';
import {
  openContractVenue,
  type ContractVenue,
  type ContractVenueParts,
} from '../contract-venue.ts';
import { gateReply } from '../wire/gate.ts';

/** Where the venue's interfaces and its chain are found by its transport. */
const DIRECT_URLS = {
  metadataUrl: 'http://metadata.direct',
  metadataSocketUrl: 'ws://metadata.direct/api/v1/ws',
  tradeUrl: 'http://trade.direct',
  proofUrl: 'http://proof.direct',
  proofPageUrl: 'http://proof.direct/proof',
  endowmentUrl: 'http://proof.direct/endowment',
  rpcUrl: 'http://solana.direct',
  usdcMint: USDC_MINT as string,
} as const;

/**
 * The venue with a chain of its own, for callers in the same process: all of its interfaces, and
 * none of the network.
 */
export interface DirectVenue {
  readonly id: 'venue_b';
  readonly urls: Readonly<Record<keyof typeof DIRECT_URLS, string>>;
  readonly transport: Transport;
  readonly venue: ContractVenue;
  readonly chain: SolanaChain;
  readonly faucet: SolanaFaucet;
  close(): void;
}

/**
 * Puts the venue's routes, its socket and its chain in reach. The same model, programs and refusals
 * as behind the servers.
 */
export function createDirectVenue(
  parts: Pick<DirectLine, 'latencyMs'> &
    Pick<ContractVenueParts, 'seed' | 'shared' | 'feeScale' | 'weeklyMaintenance'> & {
      readonly shared: SharedModel;
      /** The chain's time; that of the markets unless stated. */
      readonly wallClock?: Clock;
    },
): DirectVenue {
  const { seed, shared, latencyMs, wallClock = shared.clock } = parts;
  const chain = openSolanaChain({
    clock: wallClock,
    seed,
    folder: null,
    genesis: faucetGenesis(seed),
    forks: forksBy(shared.faults),
  });
  const faucet = createSolanaFaucet(chain, seed);
  const venue = openContractVenue({
    ...parts,
    wallClock,
    solana: { chain, faucet },
    records: {
      orders: openRecordStore(null, 1),
      markets: openRecordStore(null, 1),
      verified: openRecordStore(null, 1),
    },
    proofPageUrl: () => DIRECT_URLS.proofPageUrl,
  });
  const line = { clock: shared.clock, latencyMs };
  const { faults } = shared;
  const hosts: Readonly<Record<string, readonly VenueRoute[]>> = {
    [DIRECT_URLS.metadataUrl]: venue.routes.metadata,
    [DIRECT_URLS.tradeUrl]: venue.routes.trade,
    [DIRECT_URLS.proofUrl]: venue.routes.proof,
    [DIRECT_URLS.rpcUrl]: nodeRoutes(rpcWorld({ chain, faucet, faults })),
  };
  const openSocket = directSockets(line, venue.channel);
  return {
    id: 'venue_b',
    urls: DIRECT_URLS,
    venue,
    chain,
    faucet,
    transport: {
      calls({ baseUrl }) {
        const { origin, pathname } = new URL(baseUrl);
        const routes = hosts[origin];
        assert(routes !== undefined, `${baseUrl} is an interface of the model venue`);
        const calls = callRoutes(line, {
          routes,
          before: (request) => (origin === DIRECT_URLS.rpcUrl ? null : gateReply(faults, request)),
        });
        const prefix = pathname.replace(/\/$/, '');
        return {
          close: () => calls.close(),
          send: (call) => calls.send({ ...call, path: `${prefix}${call.path}` }),
        };
      },
      openSocket(options, listener) {
        assert(
          options.url === DIRECT_URLS.metadataSocketUrl,
          `${options.url} is the venue's socket`,
        );
        return openSocket(options, listener);
      },
    },
    close() {
      venue.stop();
      chain.close();
    },
  };
}

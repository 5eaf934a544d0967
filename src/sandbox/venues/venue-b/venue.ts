import { serveHttp } from '../../wire/http-server.ts';
import { serveSockets } from '../../wire/socket-server.ts';
import type { OpenVenue, SandboxVenue, VenueParts } from '../contract.ts';
import { createRails } from './chain/rails.ts';
import { createMarketModel, type MarketModel } from './model/market-model.ts';
import { gateReply } from './wire/gate.ts';
import { createMetadataChannel } from './wire/metadata-socket.ts';
import { metadataRoutes } from './wire/metadata.ts';

/** Addresses of the venue's servers, without trailing slashes. */
export type VenueBUrls = Readonly<Record<'metadataUrl' | 'metadataSocketUrl', string>>;

/** The venue as it runs, with its model. */
export interface OpenVenueB extends OpenVenue<VenueBUrls> {
  readonly model: MarketModel;
}

/** The venue: contracts of an exchange, as tokens on Solana. */
export const venueB: SandboxVenue<VenueBUrls, OpenVenueB> = { contracts: {}, open: openVenue };

async function openVenue({ options, shared }: VenueParts): Promise<OpenVenueB> {
  const { clock, faults } = shared;
  const model = createMarketModel({ ...shared, seed: options.seed });
  const rails = createRails(model);
  const before = (request: { readonly method: string; readonly path: string }) =>
    gateReply(faults, request);
  const metadata = await serveHttp({
    clock,
    routes: metadataRoutes({ model, rails, isInitialized: ({ isInitialized }) => isInitialized }),
    before,
  });
  const sockets = await serveSockets({ '/api/v1/ws': createMetadataChannel(model, faults) });
  return {
    urls: {
      metadataUrl: metadata.url,
      metadataSocketUrl: `${sockets.url}/api/v1/ws`,
    },
    model,
    async close() {
      model.stop();
      await Promise.all([metadata.close(), sockets.close()]);
    },
  };
}

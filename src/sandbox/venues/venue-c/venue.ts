import { serveHttp } from '../../wire/http-server.ts';
import { serveSockets } from '../../wire/socket-server.ts';
import type { OpenVenue, SandboxVenue, VenueParts } from '../contract.ts';
import { deployContracts } from './chain/deploy-contracts.ts';
import { openModel, type VenueModel } from './venue-model.ts';
import { gateReply } from './wire/gate.ts';

/** Addresses of the venue's servers, without trailing slashes, and the sandbox's own endowment. */
export type VenueCUrls = Readonly<
  Record<'poolRest' | 'poolSocket' | 'poolIdentityUrl' | 'poolEndowmentUrl', string>
>;

/** The venue as it runs, with its order books. */
export interface OpenVenueC extends OpenVenue<VenueCUrls>, Pick<VenueModel, 'exchange' | 'amm'> {}

/** The venue: order books in dollars of Base. */
export const venueC: SandboxVenue<VenueCUrls, OpenVenueC> = {
  contracts: { base: deployContracts },
  open: openVenue,
};

async function openVenue(parts: VenueParts): Promise<OpenVenueC> {
  const { clock, faults } = parts.shared;
  const model = openModel(parts);
  const { exchange, amm, beforeTransaction } = model;
  const rest = await serveHttp({
    clock,
    before: (request) => gateReply(faults, request),
    routes: model.routes,
  });
  const sockets = await serveSockets({ '/socket.io/': model.channel });
  return {
    urls: {
      poolRest: rest.url,
      poolSocket: sockets.url,
      poolIdentityUrl: `${rest.url}/sandbox/identity`,
      poolEndowmentUrl: `${rest.url}/sandbox/endowment`,
    },
    exchange,
    amm,
    ...(beforeTransaction === undefined ? {} : { beforeTransaction }),
    async close() {
      await model.stop();
      await Promise.all([rest.close(), sockets.close()]);
    },
  };
}

import { join } from 'node:path';
import { ONE_TIME } from '../../../ports/market-time.ts';
import { openRecordStore } from '../../storage/record-store.ts';
import { callerTimes } from '../../wire/caller-times.ts';
import { serveHttp, type VenueRoute } from '../../wire/http-server.ts';
import { serveSockets } from '../../wire/socket-server.ts';
import type { OpenVenue, SandboxVenue, VenueParts } from '../contract.ts';
import type { OrderTerms } from './chain/orders.ts';
import { openContractVenue, type ContractVenue } from './contract-venue.ts';
import type { KeptMarket } from './model/market-model.ts';
import { createExchangeKeys } from './wire/exchange-auth.ts';
import { exchangeRoutes } from './wire/exchange.ts';
import { gateReply } from './wire/gate.ts';
import type { VerifiedWallet } from './wire/proof.ts';

/**
 * Addresses of the venue's servers, without trailing slashes; the page of Proof, the sandbox's own
 * endowment of a wallet, and the exchange behind.
 */
export type VenueBUrls = Readonly<
  Record<
    | 'metadataUrl'
    | 'metadataSocketUrl'
    | 'tradeUrl'
    | 'proofUrl'
    | 'proofPageUrl'
    | 'endowmentUrl'
    | 'contractExchangeUrl',
    string
  >
>;

/** The venue as it runs, with its parts. */
export interface OpenVenueB extends OpenVenue<VenueBUrls> {
  readonly venue: ContractVenue;
}

/** The venue: contracts of an exchange, as tokens on Solana. */
export const venueB: SandboxVenue<VenueBUrls, OpenVenueB> = { contracts: {}, open: openVenue };

async function openVenue({ options, shared, solana }: VenueParts): Promise<OpenVenueB> {
  const { seed, dataDir, wallClock } = options;
  const { clock, faults } = shared;
  const records = <T>(name: string) =>
    openRecordStore<T>(dataDir === null ? null : join(dataDir, `contracts-${name}.jsonl`), 1);
  const stores = {
    orders: records<OrderTerms>('orders'),
    markets: records<KeptMarket>('markets'),
    verified: records<VerifiedWallet>('verified'),
  };
  let proofUrl = '';
  const venue = openContractVenue({
    seed,
    shared,
    wallClock,
    solana,
    records: stores,
    proofPageUrl: () => `${proofUrl}/proof`,
    weeklyMaintenance: options.weeklyMaintenance ?? false,
  });
  const serve = (routes: readonly VenueRoute[]) =>
    serveHttp({ clock, routes, before: (request) => gateReply(faults, request) });
  const metadata = await serve(venue.routes.metadata);
  const trade = await serve(venue.routes.trade);
  const proof = await serve(venue.routes.proof);
  proofUrl = proof.url;
  const times = callerTimes(clock, {
    clock: wallClock,
    marketTime: options.marketTime ?? ONE_TIME,
  });
  const exchange = await serve(
    exchangeRoutes(venue.model, { keys: createExchangeKeys(times), isClosed: venue.isClosed }),
  );
  const sockets = await serveSockets({ '/api/v1/ws': venue.channel });
  return {
    urls: {
      metadataUrl: metadata.url,
      metadataSocketUrl: `${sockets.url}/api/v1/ws`,
      tradeUrl: trade.url,
      proofUrl: proof.url,
      proofPageUrl: `${proof.url}/proof`,
      endowmentUrl: `${proof.url}/endowment`,
      contractExchangeUrl: `${exchange.url}/trade-api/v2`,
    },
    venue,
    async close() {
      venue.stop();
      await Promise.all(
        [metadata, trade, proof, exchange, sockets].map((server) => server.close()),
      );
      for (const store of Object.values(stores)) store.close();
    },
  };
}

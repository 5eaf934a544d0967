import type { OpenVenue, SandboxVenue, VenueParts } from '../contract.ts';
import { startPortfolioServer } from './server.ts';

/** Address of the venue's server, without a trailing slash. */
export type VenueDUrls = Readonly<Record<'viewRest', string>>;

/** The view-only venue: nothing is traded, so it has no model to keep. */
export const venueD: SandboxVenue<VenueDUrls> = { contracts: {}, open: openVenue };

async function openVenue({ options, shared }: VenueParts): Promise<OpenVenue<VenueDUrls>> {
  const server = await startPortfolioServer({ clock: options.wallClock, faults: shared.faults });
  return { urls: { viewRest: server.url }, close: () => server.close() };
}

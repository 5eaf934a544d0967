import { VENUE_B_SPONSOR } from '../limits/venue-b.ts';
import { SOLANA_USDC } from './profile.ts';
import type { VenueEnvironment, VenuePlan, VenueProfile } from './venue-profile.ts';

/**
 * Programs that orders are known to call: the network's own, tokens, notes, and the router
 * (venue_b.md sections 6 and 21).
 */
const PROGRAMS = [
  '11111111111111111111111111111111',
  'ComputeBudget111111111111111111111111111111',
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'DF1ow4tspfHX9JwWJsAb9epbkA8hmpSEAtxXy1V27QBH',
];

/** venue_b: published addresses of venue_b.md section 2. */
export const venueBProfile: VenueProfile = {
  addresses: (environment) => ({
    metadataUrl:
      environment.PREDICTD_VENUE_B_METADATA_URL ?? 'https://prediction-markets-api.dflow.net',
    metadataSocketUrl:
      environment.PREDICTD_VENUE_B_METADATA_SOCKET_URL ??
      'wss://prediction-markets-api.dflow.net/api/v1/ws',
    tradeUrl: environment.PREDICTD_VENUE_B_TRADE_URL ?? 'https://quote-api.dflow.net',
    proofUrl: environment.PREDICTD_VENUE_B_PROOF_URL ?? 'https://proof.dflow.net',
    proofPageUrl: environment.PREDICTD_VENUE_B_PROOF_PAGE_URL ?? 'https://dflow.net/proof',
    endowmentUrl: null,
  }),
  isServed: ({ PREDICTD_VENUE_B_METADATA_URL }) => PREDICTD_VENUE_B_METADATA_URL !== undefined,
  settings: (environment, plan) => ({
    returnUrl: returnUrlOf(environment, plan),
    usdcMint: SOLANA_USDC,
    programs: [...PROGRAMS, ...(environment.PREDICTD_VENUE_B_PROGRAMS ?? [])],
    region: environment.PREDICTD_VENUE_B_REGION ?? null,
    restrictedRegions: environment.PREDICTD_VENUE_B_RESTRICTED_REGIONS ?? [],
    apiKey: keyOf(environment, plan),
    keepsMaintenance: plan.runs === 'live',
    sponsor: sponsorOf(environment),
  }),
};

/** The real venue gives nothing without a key: undefined, and the venue stays closed. */
function keyOf(
  { PREDICTD_VENUE_B_KEY }: VenueEnvironment,
  { runs }: VenuePlan,
): string | null | undefined {
  if (runs === 'sandbox') return null;
  return runs === 'live' ? PREDICTD_VENUE_B_KEY : (PREDICTD_VENUE_B_KEY ?? null);
}

/** Where people come back to who have shown who they are. */
function returnUrlOf(
  { PREDICTD_VENUE_B_RETURN_URL }: VenueEnvironment,
  { runs, ownPage }: VenuePlan,
): string | null {
  return runs === 'test' ? null : (PREDICTD_VENUE_B_RETURN_URL ?? ownPage ?? null);
}

/** Who pays the network for orders; null where each user does. */
function sponsorOf({
  PREDICTD_VENUE_B_SPONSOR_KEY: key,
  PREDICTD_VENUE_B_SPONSOR_DAILY_LAMPORTS: dailyLamports = VENUE_B_SPONSOR.dailyLamportsDefault,
  PREDICTD_VENUE_B_SPONSOR_EXEC: exec,
}: VenueEnvironment): Readonly<Record<string, unknown>> | null {
  if (key === undefined) return null;
  return { key, dailyLamports, exec: exec === undefined ? null : exec === 'true' };
}

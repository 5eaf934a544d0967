import { VENUE_B_SPONSOR } from '../limits/venue-b.ts';
import type { Environment } from '../schema.ts';
import { POLYGON_CHAIN, SOLANA_USDC, type Endpoints } from './profile.ts';

/** Addresses that venues are reached at. */
type VenueEndpoints = Pick<
  Endpoints,
  | 'clobRest'
  | 'clobMarketSocket'
  | 'clobUserSocket'
  | 'gamma'
  | 'dataApi'
  | 'site'
  | 'rtds'
  | 'faucet'
  | 'metadataUrl'
  | 'metadataSocketUrl'
  | 'tradeUrl'
  | 'proofUrl'
  | 'proofPageUrl'
  | 'endowmentUrl'
> &
  Partial<Pick<Endpoints, 'solanaRpc'>>;

/** What of the environment is about venues. */
type VenueEnvironment = Pick<Environment, 'PREDICTD_SIGNATURE_TYPE'> &
  Partial<
    Pick<
      Environment,
      | 'PREDICTD_VENUE_B_PROGRAMS'
      | 'PREDICTD_VENUE_B_SPONSOR_KEY'
      | 'PREDICTD_VENUE_B_SPONSOR_DAILY_LAMPORTS'
      | 'PREDICTD_VENUE_B_SPONSOR_EXEC'
      | 'PREDICTD_VENUE_B_REGION'
      | 'PREDICTD_VENUE_B_RESTRICTED_REGIONS'
    >
  >;

/**
 * Programs that orders of venue_b are known to call: the network's own, tokens, notes, and the
 * router (venue_b.md sections 6 and 21).
 */
const VENUE_B_PROGRAMS = [
  '11111111111111111111111111111111',
  'ComputeBudget111111111111111111111111111111',
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'DF1ow4tspfHX9JwWJsAb9epbkA8hmpSEAtxXy1V27QBH',
];

/** What a profile says of its venues beside their addresses. */
interface VenuePlan {
  /** False where venue_a keeps its books by itself. */
  readonly settlesOnChain: boolean;
  /**
   * venue_b's key: null where none is asked for; undefined, and the venue stays closed, where one
   * is missing.
   */
  readonly venueBKey?: string | null | undefined;
  /** True where venue_b keeps its weekly hours of maintenance. */
  readonly venueBMaintenance?: boolean;
  /** Where people come back to who have shown venue_b who they are. */
  readonly venueBReturnUrl?: string | undefined;
}

/**
 * Returns what each venue is opened with, by its id, once its addresses are known; a venue without
 * any is not served.
 */
export function venueSettings(
  environment: VenueEnvironment,
  { settlesOnChain, venueBKey, venueBMaintenance = false, venueBReturnUrl }: VenuePlan,
): (endpoints: VenueEndpoints) => Readonly<Record<string, unknown>> {
  const {
    PREDICTD_SIGNATURE_TYPE,
    PREDICTD_VENUE_B_PROGRAMS,
    PREDICTD_VENUE_B_REGION,
    PREDICTD_VENUE_B_RESTRICTED_REGIONS,
  } = environment;
  return (endpoints) => ({
    ...(endpoints.metadataUrl === undefined
      ? {}
      : {
          venue_b: {
            metadataUrl: endpoints.metadataUrl,
            metadataSocketUrl: endpoints.metadataSocketUrl,
            tradeUrl: endpoints.tradeUrl,
            proofUrl: endpoints.proofUrl,
            proofPageUrl: endpoints.proofPageUrl,
            returnUrl: venueBReturnUrl ?? null,
            rpcUrl: endpoints.solanaRpc,
            usdcMint: SOLANA_USDC,
            endowmentUrl: endpoints.endowmentUrl ?? null,
            programs: [...VENUE_B_PROGRAMS, ...(PREDICTD_VENUE_B_PROGRAMS ?? [])],
            region: PREDICTD_VENUE_B_REGION ?? null,
            restrictedRegions: PREDICTD_VENUE_B_RESTRICTED_REGIONS ?? [],
            apiKey: venueBKey,
            keepsMaintenance: venueBMaintenance,
            sponsor: sponsorOf(environment),
          },
        }),
    venue_a: {
      ...endpoints,
      ...POLYGON_CHAIN,
      signatureType: PREDICTD_SIGNATURE_TYPE ?? null,
      settlesOnChain,
    },
  });
}

/** Who pays the network for venue_b's orders; null where each user does. */
function sponsorOf({
  PREDICTD_VENUE_B_SPONSOR_KEY: key,
  PREDICTD_VENUE_B_SPONSOR_DAILY_LAMPORTS: dailyLamports = VENUE_B_SPONSOR.dailyLamportsDefault,
  PREDICTD_VENUE_B_SPONSOR_EXEC: exec,
}: VenueEnvironment): Readonly<Record<string, unknown>> | null {
  if (key === undefined) return null;
  return { key, dailyLamports, exec: exec === undefined ? null : exec === 'true' };
}

import type { Environment } from '../schema.ts';
import { POLYGON_CHAIN, type Endpoints } from './profile.ts';

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
>;

/** Returns what each venue is opened with, by its id, once its addresses are known. */
export function venueSettings(
  { PREDICTD_SIGNATURE_TYPE }: Pick<Environment, 'PREDICTD_SIGNATURE_TYPE'>,
  { settlesOnChain }: { readonly settlesOnChain: boolean },
): (endpoints: VenueEndpoints) => Readonly<Record<string, unknown>> {
  return (endpoints) => ({
    venue_a: {
      ...endpoints,
      ...POLYGON_CHAIN,
      signatureType: PREDICTD_SIGNATURE_TYPE ?? null,
      settlesOnChain,
    },
  });
}

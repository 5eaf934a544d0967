import { POLYGON_EXCHANGE } from './profile.ts';
import { POLYGON_MONEY } from './venue-a-contracts.ts';
import type { VenueProfile } from './venue-profile.ts';

/** venue_a: published addresses of venue_a.md section 1.1, contracts of section 1.3. */
export const venueAProfile: VenueProfile = {
  addresses: (environment) => ({
    clobRest: environment.PREDICTD_CLOB_URL ?? 'https://clob.polymarket.com',
    clobMarketSocket:
      environment.PREDICTD_CLOB_MARKET_SOCKET_URL ??
      'wss://ws-subscriptions-clob.polymarket.com/ws/market',
    clobUserSocket:
      environment.PREDICTD_CLOB_USER_SOCKET_URL ??
      'wss://ws-subscriptions-clob.polymarket.com/ws/user',
    gamma: environment.PREDICTD_GAMMA_URL ?? 'https://gamma-api.polymarket.com',
    dataApi: environment.PREDICTD_DATA_API_URL ?? 'https://data-api.polymarket.com',
    site: environment.PREDICTD_VENUE_SITE_URL ?? 'https://polymarket.com',
    rtds: environment.PREDICTD_RTDS_URL ?? 'wss://ws-live-data.polymarket.com',
    bridge: environment.PREDICTD_BRIDGE_URL ?? 'https://bridge.polymarket.com',
    relayer: environment.PREDICTD_RELAYER_URL ?? 'https://relayer-v2.polymarket.com',
    faucet: environment.PREDICTD_FAUCET_URL ?? null,
  }),
  settings: (environment, { runs }) => ({
    ...POLYGON_EXCHANGE,
    signatureType: environment.PREDICTD_SIGNATURE_TYPE ?? null,
    // A world of another process keeps its books by itself.
    settlesOnChain: runs !== 'test',
    redeemers: {
      standard: POLYGON_MONEY.collateralAdapter,
      negRisk: POLYGON_MONEY.negRiskCollateralAdapter,
    },
  }),
};

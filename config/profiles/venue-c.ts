import type { VenueProfile } from './venue-profile.ts';

/** USDC of the venue's chain (venue_c.md section 5). */
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
/** Shares of outcomes are its tokens (venue_c.md section 5). */
const CONDITIONAL_TOKENS = '0xC9c98965297Bc527861c898329Ee280632B76e18';
/**
 * Contracts that orders may be signed for and money allowed to: the venue's for single markets,
 * and those for markets of groups, first to third version (venue_c.md section 5).
 */
const EXCHANGES = [
  '0xa4409D988CA2218d956BeEFD3874100F444f0DC3',
  '0xF1De958F8641448A5ba78c01f434085385Af096D',
  '0x05c748E2f4DcDe0ec9Fa8DDc40DE6b867f923fa5',
  '0x5a38afc17F7E97ad8d6C547ddb837E40B4aEDfC6',
  '0x46e607D3f4a8494B0aB9b304d1463e2F4848891d',
  '0xe3E00BA3a9888d1DE4834269f62ac008b4BB5C47',
];
/** What redeems shares of markets of groups, first to third version (venue_c.md section 5). */
const ADAPTERS = [
  '0xb8DAA4C8C9f690396f671BB601727A4c3741340C',
  '0x7afeB946986211950d17f24176039F12c2aB2436',
  '0x6151EF8368b6316c1aa3C68453EF083ad31E712D',
];
/**
 * What every pool of the sandbox is a clone of: the first contract that the published factory makes
 * there. That of the real ones is not public (venue_c.md section 9).
 */
const SANDBOX_POOL_MASTER = '0x37765143839ef17Dd6c0AEAa0140DbEa5eD2d4d4';
/** The venue itself is closed to people there (venue_c.md section 14). */
const RESTRICTED_REGIONS = ['US'];

/** venue_c: published addresses of venue_c.md section 1. */
export const venueCProfile: VenueProfile = {
  addresses: (environment) => ({
    poolRest: environment.PREDICTD_VENUE_C_REST_URL ?? 'https://api.limitless.exchange',
    poolSocket: environment.PREDICTD_VENUE_C_SOCKET_URL ?? 'wss://ws.limitless.exchange',
    poolIdentityUrl: environment.PREDICTD_VENUE_C_IDENTITY_URL ?? null,
    poolEndowmentUrl: null,
  }),
  isServed: ({ PREDICTD_VENUE_C_REST_URL }) => PREDICTD_VENUE_C_REST_URL !== undefined,
  settings: (environment, { runs }) => ({
    usdc: USDC,
    conditionalTokens: CONDITIONAL_TOKENS,
    exchanges: [...EXCHANGES, ...(environment.PREDICTD_VENUE_C_EXCHANGES ?? [])],
    adapters: [...ADAPTERS, ...(environment.PREDICTD_VENUE_C_ADAPTERS ?? [])],
    poolMasters: [
      ...(runs === 'live' ? [] : [SANDBOX_POOL_MASTER]),
      ...(environment.PREDICTD_VENUE_C_POOL_MASTERS ?? []),
    ],
    region: environment.PREDICTD_VENUE_C_REGION ?? null,
    restrictedRegions: environment.PREDICTD_VENUE_C_RESTRICTED_REGIONS ?? RESTRICTED_REGIONS,
  }),
};

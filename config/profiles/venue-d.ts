import type { VenueProfile } from './venue-profile.ts';

/**
 * Networks of the venue and what their markets are counted in (venue_d.md section 10). Points and
 * tokens with a price of their own are no dollars.
 */
const NETWORKS = [
  {
    chainId: 56,
    name: 'BNB Smart Chain',
    tokens: [
      dollar('USDT', '0x55d398326f99059fF775485246999027B3197955'),
      dollar('USD1', '0x8d0D000Ee44948FC98c9B98A4FA4921476f08B0d'),
    ],
  },
  {
    chainId: 2741,
    name: 'Abstract',
    tokens: [
      dollar('USDC.e', '0x84A71ccD554Cc1b02749b35d22F684CC8ec987e1'),
      other('PENGU', '0x9eBe3A824Ca958e4b3Da772D2065518F009CBa62'),
      other('PTS', '0x0b07cf011b6e2b7e0803b892d97f751659940f23'),
    ],
  },
  {
    chainId: 59144,
    name: 'Linea',
    tokens: [dollar('USDC', '0x176211869cA2b568f2A7D4EE941E073a821EE1ff')],
  },
];

function dollar(symbol: string, address: string) {
  return { symbol, address, isDollar: true };
}

function other(symbol: string, address: string) {
  return { symbol, address, isDollar: false };
}

/** venue_d: published address of venue_d.md section 1. */
export const venueDProfile: VenueProfile = {
  addresses: (environment) => ({
    viewRest: environment.PREDICTD_VENUE_D_URL ?? 'https://api-v2.myriadprotocol.com',
  }),
  isServed: ({ PREDICTD_VENUE_D_URL }) => PREDICTD_VENUE_D_URL !== undefined,
  settings: (environment) => ({
    apiKey: environment.PREDICTD_VENUE_D_KEY ?? null,
    networks: NETWORKS,
  }),
};

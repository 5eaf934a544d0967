/** Polygon's number, and the two dollars that are on the local one as well (web3.md section 1). */
export const POLYGON = {
  chainId: 137,
  usdc: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
  bridgedUsdc: '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174',
} as const;

/** The local layer-2, chain 8453: dollars come from there (web3.md section 1). */
export const BASE_CHAIN = {
  chainId: 8453,
  usdc: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
} as const;

/** The same on every chain (web3.md section 1). */
export const MULTICALL3 = '0xcA11bde05977b3631167028862bE2a173976CA11';

import { VENUE_CONTRACTS } from './venue-contracts.ts';

/** The venue's contracts on the local chain 137, at their production addresses (venue_a.md section 1.3). */
export const VENUE_A_CHAIN = {
  chainId: VENUE_CONTRACTS.chainId,
  collateral: '0xC011a7E12a19f7B1f670d46F03B03f3342E82DFB',
  usdc: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
  bridgedUsdc: '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174',
  conditionalTokens: '0x4D97DCd97eC945f40cF65F87097ACe5EA0476045',
  exchange: VENUE_CONTRACTS.exchange,
  negRiskExchange: VENUE_CONTRACTS.negRiskExchange,
  collateralAdapter: '0xAdA100Db00Ca00073811820692005400218FcE1f',
  negRiskCollateralAdapter: '0xadA2005600Dec949baf300f4C6120000bDB6eAab',
  onramp: '0x93070a847efEf7F70739046A929D47a521F5B8ee',
  offramp: '0x2957922Eb93258b93368531d39fAcCA3B4dC5854',
  safeFactory: VENUE_CONTRACTS.safeFactory,
  /** The multi-send of Safe 1.3.0, which the venue's clients batch through; here it has the code of 1.4.1, which does the same. */
  multiSend: '0xA238CBeb142c10Ef7Ad8442C6D1f9E89e07e7761',
} as const;

/** The local layer-2, chain 8453: dollars come from there (web3.md section 1). */
export const BASE_CHAIN = {
  chainId: 8453,
  usdc: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
} as const;

/** The same on every chain (web3.md section 1). */
export const MULTICALL3 = '0xcA11bde05977b3631167028862bE2a173976CA11';

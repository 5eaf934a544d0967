import { POLYGON } from '../../../chains/evm/chain-addresses.ts';

/**
 * Contracts and chain the model venue's signatures are bound to (venue_a.md sections 1.3 and 5.1).
 */
export const VENUE_CONTRACTS = {
  chainId: POLYGON.chainId,
  exchange: '0xE111180000d2663C0091e4f400237545B87B996B',
  negRiskExchange: '0xe2222d279d744050d28e00520010520000310F59',
  negRiskAdapter: '0xd91E80cF2E7be2e162c6513ceD06f1dD0dA35296',
  safeFactory: '0xaacFeEa03eb1561C4e67d661e40682Bd20E3541b',
  proxyFactory: '0xaB45c5A4B0c941a2F231C04C3f49182e1A254052',
  depositFactory: '0x00000000000Fb5C9ADea0298D729A0CB3823Cc07',
  depositBeacon: '0x7A18EDfe055488A3128f01F563e5B479D92ffc3a',
  depositImplementation: '0x58CA52ebe0DadfdF531Cde7062e76746de4Db1eB',
  safeInitCodeHash: '0x2bce2127ff07fb632d16c8347c4ebf501f4841168bed00d9e6ef715ddb6fcecf',
  proxyInitCodeHash: '0xd21df8dc65880a8606f09fe0ce3df9b8869287ab0b058be05aa9e8af6330a00b',
} as const;

/**
 * The venue's contracts on the local chain 137, at their production addresses (venue_a.md section
 * 1.3).
 */
export const VENUE_A_CHAIN = {
  chainId: VENUE_CONTRACTS.chainId,
  collateral: '0xC011a7E12a19f7B1f670d46F03B03f3342E82DFB',
  usdc: POLYGON.usdc,
  bridgedUsdc: POLYGON.bridgedUsdc,
  conditionalTokens: '0x4D97DCd97eC945f40cF65F87097ACe5EA0476045',
  exchange: VENUE_CONTRACTS.exchange,
  negRiskExchange: VENUE_CONTRACTS.negRiskExchange,
  collateralAdapter: '0xAdA100Db00Ca00073811820692005400218FcE1f',
  negRiskCollateralAdapter: '0xadA2005600Dec949baf300f4C6120000bDB6eAab',
  onramp: '0x93070a847efEf7F70739046A929D47a521F5B8ee',
  offramp: '0x2957922Eb93258b93368531d39fAcCA3B4dC5854',
  safeFactory: VENUE_CONTRACTS.safeFactory,
  /**
   * The multi-send of Safe 1.3.0, which the venue's clients batch through; here it has the code of
   * 1.4.1, which does the same.
   */
  multiSend: '0xA238CBeb142c10Ef7Ad8442C6D1f9E89e07e7761',
} as const;

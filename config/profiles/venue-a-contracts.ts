import { AppError } from '../../src/domain/errors.ts';
import type { Environment } from '../schema.ts';
import type { Endpoints, SafeServices } from './profile.ts';

/**
 * venue_a's contracts that money in Safes is moved by (venue_a.md sections 1.3, 14.4 and 14.5,
 * confidence V).
 */
export interface VenueAMoney {
  readonly collateral: `0x${string}`;
  readonly conditionalTokens: `0x${string}`;
  /**
   * Splits, merges and redeems in the collateral; one for standard markets, one for neg-risk ones.
   */
  readonly collateralAdapter: `0x${string}`;
  readonly negRiskCollateralAdapter: `0x${string}`;
  /** The classic adapter: neg-risk orders ask for its allowance too. */
  readonly negRiskAdapter: `0x${string}`;
  /** Wraps plain dollars one for one. */
  readonly onramp: `0x${string}`;
  /**
   * Unwraps into plain dollars one for one (venue_a.md section 1.3, confidence T: it can be set).
   */
  readonly offramp: `0x${string}`;
  /** Symbol of what withdrawals arrive as: one of `dollars`. */
  readonly withdrawalToken: Environment['PREDICTD_WITHDRAWAL_TOKEN'];
  /** Dollars by symbol, the collateral among them. */
  readonly dollars: Readonly<Record<Environment['PREDICTD_WITHDRAWAL_TOKEN'], `0x${string}`>>;
  readonly multisend: `0x${string}`;
}

/** On Polygon, and at the same addresses on the sandbox's chain. */
export const POLYGON_MONEY: VenueAMoney = {
  collateral: '0xC011a7E12a19f7B1f670d46F03B03f3342E82DFB',
  conditionalTokens: '0x4D97DCd97eC945f40cF65F87097ACe5EA0476045',
  collateralAdapter: '0xAdA100Db00Ca00073811820692005400218FcE1f',
  negRiskCollateralAdapter: '0xadA2005600Dec949baf300f4C6120000bDB6eAab',
  negRiskAdapter: '0xd91E80cF2E7be2e162c6513ceD06f1dD0dA35296',
  onramp: '0x93070a847efEf7F70739046A929D47a521F5B8ee',
  offramp: '0x2957922Eb93258b93368531d39fAcCA3B4dC5854',
  withdrawalToken: 'USDC',
  dollars: {
    pUSD: '0xC011a7E12a19f7B1f670d46F03B03f3342E82DFB',
    USDC: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
    'USDC.e': '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174',
  },
  multisend: '0xA238CBeb142c10Ef7Ad8442C6D1f9E89e07e7761',
};

/** The contracts of a run: those above, with what the environment says of withdrawals. */
export function venueAMoney({
  PREDICTD_WITHDRAWAL_TOKEN,
  PREDICTD_OFFRAMP_ADDRESS,
}: Environment): VenueAMoney {
  return {
    ...POLYGON_MONEY,
    withdrawalToken: PREDICTD_WITHDRAWAL_TOKEN,
    offramp: PREDICTD_OFFRAMP_ADDRESS ?? POLYGON_MONEY.offramp,
  };
}

/**
 * The relayer and the bridge of the venue's Safes. Errors: `config_invalid` where the venue's
 * addresses lack them.
 */
export function safeServices({ venues }: Pick<Endpoints, 'venues'>): SafeServices {
  const { relayer, bridge } = venues['venue_a'] ?? {};
  if (typeof relayer === 'string' && typeof bridge === 'string') return { relayer, bridge };
  throw new AppError('config_invalid', 'the addresses of venue_a lack its relayer or its bridge');
}

import { hashedUniform, streamOf } from '../../hashed-chance.ts';

/** A row of a portfolio in the venue's own words (venue_d.md section 5.1). */
export type PortfolioRow = Readonly<Record<string, number | string | boolean | null>> & {
  readonly marketId: number;
  readonly marketSlug: string;
  readonly networkId: number;
  readonly token: string;
  readonly shares: number;
  readonly executionMode: 0 | 1;
};

/** A market and what every address has of it. */
interface Holding {
  readonly marketId: number;
  readonly networkId: number;
  readonly title: string;
  readonly slug: string;
  readonly token: string;
  readonly outcome: readonly [id: number, title: string];
  readonly isOrderBook?: true;
  readonly shares: number;
  /** What a share has cost on average, and what it is worth. */
  readonly bought: number;
  readonly mark: number;
  readonly status: 'ongoing' | 'won' | 'lost' | 'voided' | 'claimed' | 'sold';
  /** Profit of shares that are held no more. */
  readonly realised?: number;
}

/** Collateral by network (venue_d.md section 10). */
const BNB = {
  USD1: '0x8d0D000Ee44948FC98c9B98A4FA4921476f08B0d',
  USDT: '0x55d398326f99059fF775485246999027B3197955',
};
const ABSTRACT = {
  'USDC.e': '0x84A71ccD554Cc1b02749b35d22F684CC8ec987e1',
  PENGU: '0x9eBe3A824Ca958e4b3Da772D2065518F009CBa62',
  PTS: '0x0b07cf011b6e2b7e0803b892d97f751659940f23',
};
const LINEA = { USDC: '0x176211869cA2b568f2A7D4EE941E073a821EE1ff' };
const YES = [0, 'Yes'] as const;
const NO = [1, 'No'] as const;

/** Latest activity first, as the venue lists them (section 12 names the kinds there must be). */
const HOLDINGS: readonly Holding[] = [
  {
    marketId: 170145,
    networkId: 56,
    title: 'Will the lunar lander touch down in one piece?',
    slug: 'will-the-lunar-lander-touch-down-in-one-piece',
    token: BNB.USD1,
    outcome: YES,
    shares: 42.5,
    bought: 0.42,
    mark: 0.57,
    status: 'ongoing',
  },
  {
    marketId: 170145, // ids are unique within a network alone
    networkId: 59144,
    title: 'Will the harbour bridge open to traffic this year?',
    slug: 'will-the-harbour-bridge-open-to-traffic-this-year',
    token: LINEA.USDC,
    outcome: NO,
    shares: 18,
    bought: 0.61,
    mark: 0.48,
    status: 'ongoing',
  },
  {
    marketId: 827,
    networkId: 56,
    title: 'Will the film win the grand prize?',
    slug: 'will-the-film-win-the-grand-prize-ob',
    token: BNB.USDT,
    outcome: YES,
    isOrderBook: true,
    shares: 30,
    bought: 0.31,
    mark: 0.36,
    status: 'ongoing',
  },
  {
    marketId: 5120,
    networkId: 2741,
    title: 'Did the city vote for the new tram line?',
    slug: 'did-the-city-vote-for-the-new-tram-line',
    token: ABSTRACT['USDC.e'],
    outcome: YES,
    shares: 12.25,
    bought: 0.55,
    mark: 1,
    status: 'won',
  },
  {
    marketId: 5098,
    networkId: 2741,
    title: 'Did the record snowfall stand until spring?',
    slug: 'did-the-record-snowfall-stand-until-spring',
    token: ABSTRACT['USDC.e'],
    outcome: NO,
    shares: 9.5,
    bought: 0.38,
    mark: 0,
    status: 'lost',
  },
  {
    marketId: 4410,
    networkId: 56,
    title: 'Will the final be played on Sunday?',
    slug: 'will-the-final-be-played-on-sunday',
    token: BNB.USDT,
    outcome: YES,
    shares: 16,
    bought: 0.44,
    mark: 0.5,
    status: 'voided',
  },
  {
    marketId: 6003,
    networkId: 2741,
    title: 'Will the comet be seen without a telescope?',
    slug: 'will-the-comet-be-seen-without-a-telescope',
    token: ABSTRACT.PTS,
    outcome: YES,
    shares: 1500,
    bought: 0.4,
    mark: 0.65,
    status: 'ongoing',
  },
  {
    marketId: 6044,
    networkId: 2741,
    title: 'Will the expedition reach the pole by foot?',
    slug: 'will-the-expedition-reach-the-pole-by-foot',
    token: ABSTRACT.PENGU,
    outcome: NO,
    shares: 820,
    bought: 0.7,
    mark: 0.74,
    status: 'ongoing',
  },
  {
    marketId: 165002,
    networkId: 56,
    title: 'Will the old lighthouse be lit again?',
    slug: 'will-the-old-lighthouse-be-lit-again',
    token: BNB.USD1,
    outcome: YES,
    shares: 0.004, // what a sale left behind
    bought: 0.5,
    mark: 0.52,
    status: 'ongoing',
  },
  {
    marketId: 3980,
    networkId: 56,
    title: 'Did the relay team reach the final?',
    slug: 'did-the-relay-team-reach-the-final',
    token: BNB.USDT,
    outcome: YES,
    shares: 20,
    bought: 0.62,
    mark: 1,
    status: 'claimed',
    realised: 7.6,
  },
  {
    marketId: 3977,
    networkId: 59144,
    title: 'Did the choir sing without a score?',
    slug: 'did-the-choir-sing-without-a-score',
    token: LINEA.USDC,
    outcome: NO,
    shares: 14,
    bought: 0.5,
    mark: 0.45,
    status: 'sold',
    realised: -0.7,
  },
];

/**
 * Returns what an address has there: the same for every one, but for the number of shares, which
 * follows from the address. Numbers are doubles in as many digits as they take, as the venue sends
 * them.
 */
export function holdingsOf(address: string, nowMs: number): readonly PortfolioRow[] {
  const part = 0.5 + hashedUniform(1, streamOf(address.toLowerCase()), 0);
  return HOLDINGS.map((holding) => rowOf(holding, part, nowMs));
}

function rowOf(holding: Holding, part: number, nowMs: number): PortfolioRow {
  const { status, bought, mark, realised = 0 } = holding;
  const isDust = holding.shares < 0.1;
  const shares = isDust ? holding.shares : round(holding.shares * part);
  const profit = shares * (mark - bought);
  const isWon = status === 'won';
  const isVoided = status === 'voided';
  const isClaimed = status === 'claimed';
  return {
    marketId: holding.marketId,
    marketTitle: holding.title,
    marketSlug: holding.slug,
    imageUrl: `https://cdn.example/${holding.slug}.png`,
    outcomeId: holding.outcome[0],
    outcomeTitle: holding.outcome[1],
    networkId: holding.networkId,
    token: holding.token,
    tokenId: holding.isOrderBook === true ? String(streamOf(holding.slug)) : null,
    shares,
    price: bought, // the average of what was paid, not what a share is worth (section 11)
    value: shares * mark,
    profit,
    roi: profit / (shares * bought),
    totalProfit: profit + realised,
    totalRoi: (profit + realised) / (shares * bought),
    positionFees: round(shares * bought * 0.02),
    totalFees: round(shares * bought * 0.02),
    winningsToClaim: isWon,
    winningsClaimed: isClaimed,
    voidedWinningsToClaim: isVoided,
    voidedWinningsClaimed: false,
    status,
    claimed: isClaimed,
    executionMode: holding.isOrderBook === true ? 1 : 0,
    expiresAt: endOf(status, nowMs),
    eventId: null,
  };
}

/** The end of a year, in UTC without saying so: what runs ends with the next one. */
function endOf(status: Holding['status'], nowMs: number): string {
  const year = new Date(nowMs).getUTCFullYear() + (status === 'ongoing' ? 1 : -1);
  return `${year}-12-31 23:59:00`;
}

function round(shares: number): number {
  return Math.round(shares * 1e8) / 1e8;
}

import { shownTotal, sumOf } from './money.ts';

/** What the portfolio says of a venue, as far as totals are made of it. */
interface VenuePart {
  readonly venue: string;
  readonly cash: {
    readonly settled: string;
    readonly provisional: string;
    readonly available: string;
  } | null;
  readonly positionsValueUsdc: string;
  readonly unrealizedPnl: string;
  readonly realizedPnl: string;
}

/** What totals are made of, as the daemon gives it. */
interface PortfolioParts {
  readonly cashUsdc: string;
  readonly availableUsdc: string;
  readonly positionsValueUsdc: string;
  readonly unrealizedPnl: string;
  readonly realizedPnl: string;
  readonly venues: readonly VenuePart[];
  readonly positions: readonly {
    readonly venue: string;
    readonly position: {
      readonly currentValueUsdc: string | null;
      readonly unrealizedPnl: string | null;
    };
  }[];
}

/** Totals as they are shown above their parts: decimal text, null where not known. */
export interface ShownTotals {
  readonly total: string | null;
  readonly cash: string | null;
  readonly available: string | null;
  readonly positions: string | null;
  readonly openProfit: string | null;
  readonly realizedProfit: string | null;
}

/** Makes the totals of a portfolio so that each is the sum of its parts on the page. */
export function shownTotals(portfolio: PortfolioParts): ShownTotals {
  const { venues } = portfolio;
  const cash = shownTotal(portfolio.cashUsdc, venues.map(cashOf));
  const ofVenues = venues.map(({ venue }) => shownOfVenue(portfolio, venue));
  const positions = sumOf(ofVenues.map((each) => each.positions));
  return {
    total: sumOf([cash, positions]),
    cash,
    available: shownTotal(
      portfolio.availableUsdc,
      venues.map((each) => each.cash && each.cash.available),
    ),
    positions,
    openProfit: sumOf(ofVenues.map((each) => each.openProfit)),
    realizedProfit: shownTotal(
      portfolio.realizedPnl,
      venues.map(({ realizedPnl }) => realizedPnl),
    ),
  };
}

/** What positions of a venue are worth and have brought so far, as the sum of its positions. */
export function shownOfVenue(
  { venues, positions }: PortfolioParts,
  venue: string,
): Pick<ShownTotals, 'positions' | 'openProfit'> {
  const part = venues.find((each) => each.venue === venue);
  const held = positions.flatMap((each) => (each.venue === venue ? [each.position] : []));
  return {
    // one without a price counts in no total
    positions: shownTotal(
      part?.positionsValueUsdc ?? null,
      held.map(({ currentValueUsdc }) => currentValueUsdc ?? '0'),
    ),
    openProfit: shownTotal(
      part?.unrealizedPnl ?? null,
      held.map(({ unrealizedPnl }) => unrealizedPnl ?? '0'),
    ),
  };
}

/** All of a venue's cash, with what trades on their way bring and take. */
export function cashOf({ cash }: Pick<VenuePart, 'cash'>): string | null {
  return cash && sumOf([cash.settled, cash.provisional]);
}

import { describe, expect, it } from 'vitest';
import { usd } from '../../../src/web/format/money.ts';
import { cashOf, shownOfVenue, shownTotals } from '../../../src/web/format/shown-portfolio.ts';

function aVenue(venue: string, { cash, worth }: { readonly cash: string; readonly worth: string }) {
  return {
    venue,
    cash: { settled: cash, provisional: '0', available: cash },
    positionsValueUsdc: worth,
    unrealizedPnl: '0',
    realizedPnl: '0',
  };
}

const heldAt = (venue: string, worth: string | null) => ({
  venue,
  position: { currentValueUsdc: worth, unrealizedPnl: worth === null ? null : '0' },
});

const PORTFOLIO = {
  cashUsdc: '30.01',
  availableUsdc: '30.01',
  positionsValueUsdc: '9.014',
  unrealizedPnl: '0',
  realizedPnl: '0',
  venues: [
    aVenue('venue_a', { cash: '10.005', worth: '3.008' }),
    aVenue('venue_b', { cash: '20.005', worth: '6.006' }),
  ],
  positions: [
    heldAt('venue_a', '1.504'),
    heldAt('venue_a', '1.504'),
    heldAt('venue_a', null),
    heldAt('venue_b', '6.006'),
  ],
};

describe('the totals of a portfolio', () => {
  it('are the sums of the figures below them', () => {
    const { total, cash, positions } = shownTotals(PORTFOLIO);
    expect(PORTFOLIO.venues.map((venue) => usd(cashOf(venue)))).toEqual(['$10.01', '$20.01']);
    expect(usd(cash)).toBe('$30.02');
    // 1.50 + 1.50 at one venue, 6.01 at the other
    expect(usd(shownOfVenue(PORTFOLIO, 'venue_a').positions)).toBe('$3.00');
    expect(usd(positions)).toBe('$9.01');
    expect(usd(total)).toBe('$39.03');
  });

  it('are those of the daemon where venues share an account, so that parts count twice', () => {
    expect(usd(shownTotals({ ...PORTFOLIO, cashUsdc: '20.005' }).cash)).toBe('$20.01');
  });

  it('leave out a venue that is away, as the daemon does', () => {
    const venues = PORTFOLIO.venues.map((each) =>
      each.venue === 'venue_b' ? { ...each, cash: null } : each,
    );
    const { cash } = shownTotals({ ...PORTFOLIO, cashUsdc: '10.005', venues });
    expect(usd(cash)).toBe('$10.01');
  });
});

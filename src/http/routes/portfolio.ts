import { z } from 'zod';
import { PORTFOLIO } from '../../../config/limits/portfolio.ts';
import { NO_POSITIONS, winRateMicros, type PositionsResult } from '../../domain/agent-results.ts';
import { AppError } from '../../domain/errors.ts';
import type { UserId, VenueId } from '../../domain/ids.ts';
import { formatDecimal, formatMicros, usdcMicros } from '../../domain/units.ts';
import { bestBid } from '../best-bid.ts';
import { userRoute } from '../route.ts';
import { portfolioHistoryRoute } from './portfolio-history.ts';
import { portfolioOrdersRoute } from './portfolio-orders.ts';
import { portfolioTradesRoute } from './portfolio-trades.ts';
import type { Cash } from '../../services/portfolio/portfolio.ts';
import type { ApiServices } from '../services.ts';
import type { VenueApi } from '../venue-api.ts';
import { agentsPerformanceOut, viewAgentsPerformance } from '../views/agent-performance.ts';
import {
  booksOut,
  disputeOut,
  cashOut,
  mismatchOut,
  valuedHoldingOut,
  viewBooks,
  viewDispute,
  viewMismatch,
  viewValuedHolding,
  worthOf,
} from '../views/holding.ts';
import {
  viewedPositionRows,
  viewedPositionsOut,
  viewedVenueOut,
  viewViewedVenue,
} from '../views/viewed.ts';
import { partOut, usdcOut } from './fields.ts';
import { dayOf, dayOut, pendingOf, pendingOut } from './portfolio-day.ts';

const resultFields = {
  realizedPnl: usdcOut.meta({
    description: 'Of positions placed manually and by agents, fees included; gas is not in it.',
  }),
  wins: z.int().meta({
    description:
      'Positions that ended with a profit, and open ones that were sold in part and have brought one so far.',
  }),
  losses: z.int().meta({
    description: 'Positions that ended without a profit, and open ones whose sales brought a loss.',
  }),
  winRate: partOut.nullable().meta({
    description:
      'Wins as a part of wins and losses; null before the first. What was only bought counts in neither.',
  }),
};

const venueOut = z.object({
  venue: z.string(),
  account: z.string().nullable().meta({
    description: 'The cash account that pays there; venues may share one. Null while it is away.',
  }),
  state: z.enum(['ok', 'partial', 'unreconciled', 'mismatched', 'disputed', 'unavailable']).meta({
    description:
      'partial: a position has no price now; unreconciled: something may be missing, mismatched: the wallet differs, disputed: the venue refuses its cash, for all three see `books`; unavailable: nothing is known.',
  }),
  cash: cashOut.nullable(),
  openPositions: z.int(),
  positionsCostUsdc: usdcOut,
  positionsValueUsdc: usdcOut.meta({ description: 'Of the positions that have a price now.' }),
  unrealizedPnl: usdcOut,
  ...resultFields,
  unpricedPositions: z.int(),
  isCut: z.boolean().meta({
    description: `More than ${PORTFOLIO.positionsMaximum} are open: the newest are listed and counted.`,
  }),
});

const portfolioOut = z
  .object({
    totalUsdc: usdcOut.meta({
      description: '`cashUsdc` and the worth of positions that have a price.',
    }),
    cashUsdc: usdcOut.meta({
      description: 'Of all accounts, with what trades that are not final yet bring and take.',
    }),
    availableUsdc: usdcOut,
    positionsValueUsdc: usdcOut,
    unrealizedPnl: usdcOut,
    ...resultFields,
    unpricedPositions: z.int(),
    books: booksOut,
    mismatches: z.array(mismatchOut).meta({
      description: 'Where a wallet of yours differs from the books; empty where none does.',
    }),
    disputes: z.array(disputeOut).meta({
      description:
        'What a venue refuses to spend though the books have it; empty for nothing. New orders that spend it are refused (`funds_disputed`) until `retryAtMs`; the next one then finds out whether the venue still refuses, and ends the dispute where it does not.',
    }),
    venues: z.array(venueOut),
    today: dayOut,
    pending: z
      .array(pendingOut)
      .meta({ description: 'What was begun and has not ended, the newest of each kind.' }),
    agents: agentsPerformanceOut,
    positions: z.array(
      z.object({ venue: z.string(), account: z.string(), position: valuedHoldingOut }),
    ),
    viewed: z.array(viewedVenueOut).meta({
      description:
        'View-only venues: what your EVM wallet holds there, by their own word. It is in no figure above, nor in the history.',
    }),
    viewedPositions: viewedPositionsOut,
  })
  .meta({ id: 'Portfolio' });

/** A venue's part beside what positions came to there, which is known also while it is away. */
type VenueView = Omit<z.input<typeof venueOut>, 'venue' | keyof typeof resultFields> & {
  readonly venue: VenueId;
};
type PositionView = z.input<typeof portfolioOut>['positions'][number];

/** One venue's part, in micro-USDC where it is summed up. */
interface Part {
  readonly view: VenueView;
  readonly positions: readonly PositionView[];
  readonly cash: Cash | null;
  readonly valueMicros: number;
  readonly unrealizedMicros: number;
}

/** What is held at all venues, in one shape. */
export function portfolioRoutes(apis: readonly Pick<VenueApi, 'venue' | 'traits'>[]) {
  const venues = apis.map(({ venue }) => venue);
  return [
    userRoute({
      family: 'user',
      method: 'GET',
      path: '/api/portfolio/',
      budget: 'reads',
      operationId: 'getPortfolio',
      summary: 'What you hold at every venue, what it is worth, and how your agents have done',
      description:
        'Cash and open positions of all venues in one shape, with totals, what closed ones came to by venue and by agent, what today has brought, and what is under way; beside them what your wallet holds at view-only venues. A venue that is away is listed as that, and the rest is shown; a position without a price now counts in no worth and is counted as unpriced.',
      output: portfolioOut,
      run: async (context) => {
        const { services, userId } = context;
        services.walletRounds.soon(userId);
        const reading = services.viewedPositions.read(userId);
        const parts = await Promise.all(apis.map((api) => partOf(services, userId, api)));
        const viewed = await reading;
        const results = services.portfolio.results(userId);
        // venues may share an account: its cash counts once
        const accounts = [
          ...new Map(
            parts.flatMap(({ view, cash }) =>
              cash === null ? [] : [[view.account, cash] as const],
            ),
          ).values(),
        ];
        // what is bought counts from its match on, and so does what it cost
        const cashMicros = sum(accounts, ({ settled, provisional }) => settled + provisional);
        const valueMicros = sum(parts, (part) => part.valueMicros);
        return {
          totalUsdc: usdc(cashMicros + valueMicros),
          cashUsdc: usdc(cashMicros),
          availableUsdc: usdc(sum(accounts, ({ available }) => available)),
          positionsValueUsdc: usdc(valueMicros),
          unrealizedPnl: usdc(sum(parts, (part) => part.unrealizedMicros)),
          ...viewResult(together(Object.values(results).filter((each) => each !== undefined))),
          unpricedPositions: sum(parts, ({ view }) => view.unpricedPositions),
          books: viewBooks(services.portfolio, userId),
          mismatches: services.portfolio.mismatches(userId).map(viewMismatch),
          disputes: services.portfolio.disputes(userId).map(viewDispute),
          venues: parts.map(({ view }) => ({
            ...view,
            ...viewResult(results[view.venue] ?? NO_POSITIONS),
          })),
          today: dayOf(context, venues),
          pending: pendingOf(context),
          agents: viewAgentsPerformance(services.agents.performanceOfAll(userId)),
          positions: parts.flatMap(({ positions }) => positions),
          viewed: viewed.map(viewViewedVenue),
          viewedPositions: viewed.flatMap(viewedPositionRows),
        };
      },
    }),
    portfolioHistoryRoute,
    portfolioOrdersRoute,
    portfolioTradesRoute,
  ] as const;
}

async function partOf(
  services: ApiServices,
  userId: UserId,
  { venue, traits }: Pick<VenueApi, 'venue' | 'traits'>,
): Promise<Part> {
  try {
    const account = services.portfolio.accountAt(venue);
    const cash = services.portfolio.cash(userId, account);
    const page = services.history.holdings(userId, {
      venue,
      type: 'open',
      limit: PORTFOLIO.positionsMaximum,
      cursor: null,
    });
    const priced = await Promise.all(
      page.data.map(async (holding) => {
        const bid = await bestBid(services, userId, { venue, holding });
        return { holding, bid, worth: worthOf(holding, bid) };
      }),
    );
    const valueMicros = sum(priced, ({ worth }) => worth?.valueMicros ?? 0);
    const unrealizedMicros = sum(priced, ({ holding, worth }) =>
      worth === null ? 0 : worth.valueMicros - holding.position.costUsdc,
    );
    const books = viewBooks(services.portfolio, userId, account);
    const unpricedPositions = priced.filter(({ worth }) => worth === null).length;
    return {
      cash,
      valueMicros,
      unrealizedMicros,
      positions: priced.map(({ holding, bid }) => ({
        venue,
        account,
        position: viewValuedHolding(holding, { bid, traits }),
      })),
      view: {
        venue,
        account,
        state: books === 'reconciled' ? (unpricedPositions === 0 ? 'ok' : 'partial') : books,
        cash: {
          settled: formatMicros(cash.settled),
          provisional: formatMicros(cash.provisional),
          reserved: formatMicros(cash.reserved),
          available: formatMicros(cash.available),
        },
        openPositions: priced.length,
        positionsCostUsdc: usdc(sum(priced, ({ holding }) => holding.position.costUsdc)),
        positionsValueUsdc: usdc(valueMicros),
        unrealizedPnl: usdc(unrealizedMicros),
        unpricedPositions,
        isCut: page.nextCursor !== null,
      },
    };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { view: away(venue), positions: [], cash: null, valueMicros: 0, unrealizedMicros: 0 };
  }
}

function away(venue: VenueId): VenueView {
  return {
    venue,
    account: null,
    state: 'unavailable',
    cash: null,
    openPositions: 0,
    positionsCostUsdc: '0',
    positionsValueUsdc: '0',
    unrealizedPnl: '0',
    unpricedPositions: 0,
    isCut: false,
  };
}

function together(results: readonly PositionsResult[]): PositionsResult {
  return {
    wins: sum(results, ({ wins }) => wins),
    losses: sum(results, ({ losses }) => losses),
    realisedUsdc: sum(results, ({ realisedUsdc }) => realisedUsdc),
    feesUsdc: sum(results, ({ feesUsdc }) => feesUsdc),
  };
}

function viewResult(results: PositionsResult) {
  const winRate = winRateMicros(results);
  return {
    realizedPnl: usdc(results.realisedUsdc),
    wins: results.wins,
    losses: results.losses,
    winRate: winRate === null ? null : formatDecimal(winRate, 6),
  };
}

function sum<Item>(items: readonly Item[], microsOf: (item: Item) => number): number {
  return items.reduce((all, item) => all + microsOf(item), 0);
}

function usdc(micros: number): string {
  return formatMicros(usdcMicros(micros));
}

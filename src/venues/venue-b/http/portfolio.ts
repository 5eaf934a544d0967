import { z } from 'zod';
import { VENUE_B_ORDER, VENUE_B_TRAITS } from '../../../../config/limits/venue-b.ts';
import { formatTokenAmount } from '../../../domain/token-amount.ts';
import { formatMicros } from '../../../domain/units.ts';
import { bestBid } from '../../../http/best-bid.ts';
import { userRoute } from '../../../http/route.ts';
import { fillsRoute } from '../../../http/routes/fills.ts';
import { decimalOut, pageFields, pageOf, pageOut } from '../../../http/routes/fields.ts';
import {
  booksOut,
  cashOut,
  valuedHoldingOut,
  viewBooks,
  viewValuedHolding,
} from '../../../http/views/holding.ts';
import { settlementOut, viewSettlement } from '../../../http/views/settlement.ts';
import { VENUE_B_ID } from '../id.ts';
import { VENUE_B_IDS } from './ids.ts';

const SOL_DECIMALS = 9;

const balanceOut = z
  .object({
    wallet: z.string().meta({ description: 'Your Solana wallet.' }),
    books: booksOut,
    cash: cashOut.meta({ description: 'USDC of the wallet as the books have it.' }),
    sol: decimalOut.meta({ description: 'SOL of the wallet, which pays the network.' }),
    solNeeded: decimalOut.meta({
      description:
        'SOL that one trade takes, rent of a new token account included, where no sponsor of the service pays it.',
    }),
    missing: z
      .array(z.object({ what: z.enum(['sol_for_fees']), detail: z.string() }))
      .meta({ description: 'What prevents you from trading; empty when nothing does.' }),
  })
  .meta({ id: 'SolanaBalance' });

/** What is held on venue_b and what came of it. */
export const portfolioRoutes = [
  userRoute({
    family: VENUE_B_ID,
    method: 'GET',
    path: '/api/venue_b/portfolio/balance',
    budget: 'reads',
    operationId: 'getBalanceVenueB',
    summary: 'Get your balance: USDC to trade with, and SOL for fees',
    description:
      'USDC as the books have it (settled, held for open orders, available), SOL as the chain has it now, and what is missing for a trade.',
    output: balanceOut,
    errors: ['chain_unavailable'],
    run: async ({ services, userId }) => {
      services.walletRounds.soon(userId);
      const { settled, provisional, reserved, available } = services.portfolio.cash(
        userId,
        'usdc:solana',
      );
      const [{ walletAddress, balance }, lacks] = await Promise.all([
        services.wallets.token(userId, { chain: 'SOLANA', token: 'SOL' }),
        services.walletLacks(VENUE_B_ID, userId),
      ]);
      const sol = formatTokenAmount(balance.raw, SOL_DECIMALS);
      const solNeeded = formatTokenAmount(BigInt(VENUE_B_ORDER.lamportsNeeded), SOL_DECIMALS);
      return {
        wallet: walletAddress,
        books: viewBooks(services.portfolio, userId, services.portfolio.accountAt(VENUE_B_ID)),
        cash: {
          settled: formatMicros(settled),
          provisional: formatMicros(provisional),
          reserved: formatMicros(reserved),
          available: formatMicros(available),
        },
        sol,
        solNeeded,
        missing: lacks.map((detail) => ({ what: 'sol_for_fees' as const, detail })),
      };
    },
  }),
  userRoute({
    family: VENUE_B_ID,
    method: 'GET',
    path: '/api/venue_b/portfolio/positions',
    budget: 'reads',
    operationId: 'listPositionsVenueB',
    summary: 'List your open positions, newest first',
    description:
      'What you hold, with what it cost, what it is worth at the best bid, and the profit that is in it. What was won and not yet redeemed is open.',
    query: z.strictObject(pageFields),
    output: pageOut(valuedHoldingOut).extend({ books: booksOut }),
    run: async ({ services, userId }, { query }) => {
      services.walletRounds.soon(userId);
      const { data, nextCursor } = services.history.holdings(userId, {
        venue: VENUE_B_ID,
        type: 'open',
        ...pageOf(query),
      });
      return {
        data: await Promise.all(
          data.map(async (holding) =>
            viewValuedHolding(holding, {
              bid: await bestBid(services, userId, { venue: VENUE_B_ID, holding }),
              traits: VENUE_B_TRAITS,
            }),
          ),
        ),
        nextCursor,
        books: viewBooks(services.portfolio, userId, services.portfolio.accountAt(VENUE_B_ID)),
      };
    },
  }),
  fillsRoute({
    venue: VENUE_B_ID,
    ids: VENUE_B_IDS,
    suffix: 'VenueB',
    path: '/api/venue_b/portfolio/fills',
  }),
  userRoute({
    family: VENUE_B_ID,
    method: 'GET',
    path: '/api/venue_b/portfolio/settlements',
    budget: 'reads',
    operationId: 'listSettlementsVenueB',
    summary: 'List your positions whose market has ended, newest first',
    description:
      'Resolved positions: which outcome won, what a share pays, and whether it was lost, is being redeemed, or was paid.',
    query: z.strictObject(pageFields),
    output: pageOut(settlementOut),
    run: ({ services, userId }, { query }) => {
      const { data, nextCursor } = services.history.holdings(userId, {
        venue: VENUE_B_ID,
        type: 'all',
        resolved: true,
        ...pageOf(query),
      });
      return { data: data.map(viewSettlement), nextCursor };
    },
  }),
];

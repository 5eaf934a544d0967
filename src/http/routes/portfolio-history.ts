import { z } from 'zod';
import { EQUITY } from '../../../config/limits/portfolio.ts';
import { AppError } from '../../domain/errors.ts';
import { OPEN_END_MS } from '../../domain/market.ts';
import { formatMicros, usdcMicros } from '../../domain/units.ts';
import type { EquitySample } from '../../services/portfolio/tables.ts';
import { userRoute } from '../route.ts';
import { booksOut, viewBooks } from '../views/holding.ts';
import { marketTimeOut } from '../wall-times.ts';
import { usdcOut, wholeField } from './fields.ts';

const timeField = wholeField(15, 'epoch milliseconds').pipe(
  z.int().max(OPEN_END_MS, 'epoch milliseconds before the year 10000'),
);

const historyQuery = z
  .strictObject({
    fromAtMs: timeField.optional().meta({
      description: 'Epoch milliseconds: absent, a day of the markets’ clock before `toAtMs`.',
    }),
    toAtMs: timeField.optional().meta({ description: 'Epoch milliseconds: absent, now.' }),
    points: wholeField(4, `a whole number from 1 to ${EQUITY.pointsMaximum}`)
      .pipe(
        z.int().min(1, 'at least 1').max(EQUITY.pointsMaximum, `at most ${EQUITY.pointsMaximum}`),
      )
      .optional()
      .meta({
        description: 'Points at most.',
        default: EQUITY.pointsDefault,
        minimum: 1,
        maximum: EQUITY.pointsMaximum,
      }),
  })
  .superRefine(({ fromAtMs, toAtMs }, context) => {
    if (fromAtMs !== undefined && toAtMs !== undefined && toAtMs < fromAtMs)
      context.addIssue({ code: 'custom', path: ['toAtMs'], message: 'not before fromAtMs' });
  });

const pointOut = z
  .object({
    sampledAtMs: marketTimeOut,
    equityUsdc: usdcOut.meta({ description: 'Cash and the worth of positions that had a price.' }),
    cashUsdc: usdcOut.meta({
      description: 'Of all accounts, with what trades that are not final yet bring and take.',
    }),
    positionsUsdc: usdcOut.meta({
      description: 'At the best bid, and of ended markets at what they pay.',
    }),
    broughtInUsdc: usdcOut.nullable().meta({
      description:
        'What came from outside up to then less what left: `equityUsdc` less it is the profit. Null of points of before November 29, 2026.',
    }),
    openPositions: z.int().meta({
      description: 'Where there are none, nothing changes until the next point.',
    }),
    unvalued: z
      .array(
        z.object({
          venue: z.string().nullable(),
          positions: z.int(),
          costUsdc: usdcOut,
        }),
      )
      .meta({
        description: 'Positions that had no price: in no worth, but here, with their cost.',
      }),
  })
  .meta({ id: 'EquityPoint' });

const historyOut = z.object({
  stepMs: z.int().meta({ description: 'What points lie apart at least, on the markets’ clock.' }),
  books: booksOut,
  before: pointOut.nullable().meta({ description: 'The newest point before `fromAtMs`.' }),
  data: z.array(pointOut),
});

/** What a user had by time. */
export const portfolioHistoryRoute = userRoute({
  family: 'user',
  method: 'GET',
  path: '/api/portfolio/history',
  budget: 'reads',
  operationId: 'getPortfolioHistory',
  summary: 'What you had by time, oldest first',
  description: `Equity every ${EQUITY.sampleMs / 60_000} minutes of the markets’ clock while you hold a position, and after your cash has changed; kept so for two days, by the hour for sixty, by the day for five years. A step without a point has none where nothing changed, the daemon was away, or books were unreconciled.`,
  query: historyQuery,
  output: historyOut,
  run: ({ services, userId, nowMs, marketTime }, { query }) => {
    const toMs = query.toAtMs === undefined ? nowMs : marketTime.toMarketMs(query.toAtMs);
    const fromMs =
      query.fromAtMs === undefined ? toMs - DAY_MS : marketTime.toMarketMs(query.fromAtMs);
    if (fromMs > toMs)
      throw new AppError('invalid_request', 'fromAtMs: at most now, where toAtMs is absent', {
        fields: [{ path: '/query/fromAtMs', message: 'at most now, where toAtMs is absent' }],
      });
    const points = query.points ?? EQUITY.pointsDefault;
    const history = services.equity.read(userId, { fromMs, toMs, points });
    return {
      stepMs: history.stepMs,
      books: viewBooks(services.portfolio, userId),
      before: history.before === null ? null : viewPoint(history.before),
      data: history.points.map(viewPoint),
    };
  },
});

const DAY_MS = 86_400_000;

function viewPoint({
  atMs,
  cashUsdc,
  positionsUsdc,
  openPositions,
  unvalued,
  broughtInUsdc,
}: EquitySample): z.input<typeof pointOut> {
  return {
    sampledAtMs: atMs,
    equityUsdc: usdc(cashUsdc + positionsUsdc),
    cashUsdc: usdc(cashUsdc),
    positionsUsdc: usdc(positionsUsdc),
    broughtInUsdc: broughtInUsdc === undefined ? null : usdc(broughtInUsdc),
    openPositions,
    unvalued: unvalued.map((each) => ({ ...each, costUsdc: usdc(each.costUsdc) })),
  };
}

function usdc(micros: number): string {
  return formatMicros(usdcMicros(micros));
}

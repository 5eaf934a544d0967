import { z } from 'zod';
import { PORTFOLIO } from '../../../config/limits/portfolio.ts';
import { feeWorth } from '../../domain/fill.ts';
import type { VenueId } from '../../domain/ids.ts';
import { formatMicros, usdcMicros } from '../../domain/units.ts';
import type { UserContext } from '../route.ts';
import { usdcOut } from './fields.ts';

const DAY_MS = 86_400_000;

/** What a day has brought, in answers. */
export const dayOut = z
  .object({
    realizedPnl: usdcOut.meta({
      description: 'Realised since midnight UTC, fees taken off; gas is not in it.',
    }),
    feesUsdc: usdcOut.meta({
      description: 'Fees of the trades since then, with the worth of those kept in shares.',
    }),
    trades: z.int(),
    isCut: z.boolean().meta({
      description: `More than ${PORTFOLIO.dayFillsMaximum} trades at a venue: the newest are counted.`,
    }),
  })
  .meta({ id: 'PortfolioDay' });

/** What waits for its end, in answers. */
export const pendingOut = z
  .object({
    kind: z.enum(['order', 'confirmation', 'swap', 'launch', 'withdrawal', 'transfer']),
    id: z.string(),
    state: z.string().meta({
      description:
        'As its own call states it. A swap that has ended is here until the money it brought, or gave back, is in your cash.',
    }),
  })
  .meta({ id: 'Pending' });

/** Returns what the day has brought at all venues. */
export function dayOf(
  { services, userId, nowMs }: Pick<UserContext, 'services' | 'userId' | 'nowMs'>,
  venues: readonly VenueId[],
): z.input<typeof dayOut> {
  const beginsAtMs = nowMs - (nowMs % DAY_MS);
  const pages = venues.map((venue) =>
    services.history.fills(userId, {
      venue,
      limit: PORTFOLIO.dayFillsMaximum,
      cursor: null,
    }),
  );
  const fills = pages
    .flatMap(({ data }) => data.map(({ fill }) => fill))
    .filter(({ recordedAtMs }) => recordedAtMs >= beginsAtMs);
  const stood = fills.filter(({ settlement }) => settlement !== 'reversed');
  return {
    realizedPnl: formatMicros(services.portfolio.realizedToday(userId, nowMs)),
    feesUsdc: formatMicros(usdcMicros(stood.reduce((sum, fill) => sum + feeWorth(fill), 0))),
    trades: stood.length,
    isCut: pages.some(
      ({ data, nextCursor }) =>
        nextCursor !== null && (data.at(-1)?.fill.recordedAtMs ?? 0) >= beginsAtMs,
    ),
  };
}

/** Returns what was begun and has not ended, of the newest of each kind. */
export function pendingOf({
  services,
  userId,
  wallNowMs,
}: Pick<UserContext, 'services' | 'userId' | 'wallNowMs'>): z.input<typeof pendingOut>[] {
  const page = { limit: PORTFOLIO.pendingLookedAt, cursor: null };
  const under = <Row extends { readonly state: string }>(
    kind: z.input<typeof pendingOut>['kind'],
    rows: readonly Row[],
    idOf: (row: Row) => string,
  ) =>
    rows
      .filter(({ state }) => UNDER_WAY.has(state))
      .map((row) => ({ kind, id: idOf(row), state: row.state }));
  return [
    ...services.orders.listOpen(userId).map(({ intent, state }) => ({
      kind: 'order' as const,
      id: intent.intentId,
      state,
    })),
    ...under(
      'confirmation',
      services.confirmations.list(userId).filter(({ expiresAtMs }) => expiresAtMs > wallNowMs),
      (row) => row.confirmationId,
    ),
    ...services.swaps
      .list(userId, page)
      .data.filter((swap) => UNDER_WAY.has(swap.state) || services.awaitsBooking(swap))
      .map(({ swapId, state }) => ({ kind: 'swap' as const, id: swapId, state })),
    ...under('launch', services.launches.list(userId, page).data, (row) => row.launchId),
    ...under('withdrawal', services.withdrawals.list(userId, page).data, (row) => row.withdrawalId),
    ...under('transfer', services.tokenTransfers.list(userId, page).data, (row) => row.transferId),
  ];
}

/** States of swaps, launches, transfers, withdrawals and confirmations that are not the last. */
const UNDER_WAY = new Set(['asked', 'confirmed', 'queued', 'following', 'reserved', 'sent']);

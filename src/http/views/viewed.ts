import { z } from 'zod';
import { formatSignedAmount, formatTokenAmount } from '../../domain/token-amount.ts';
import { viewedTotals, type ViewedPosition } from '../../domain/viewed-position.ts';
import type { ViewedPart } from '../../services/portfolio/viewed-positions.ts';
import { decimalOut, sharesOut } from '../routes/fields.ts';

const ownOut = decimalOut.meta({ description: 'In `currency`, as decimal text, exact.' });
const dollarsOut = decimalOut.nullable().meta({
  description:
    'Over the positions in dollars, each such token as one; decimal text, exact. Null where nothing was read yet.',
});

/** A position at a view-only venue, in answers. */
const viewedPositionOut = z
  .object({
    marketId: z.string().meta({ description: 'Unique at the venue: network, colon, market.' }),
    outcomeId: z.string(),
    question: z.string().meta({ description: "The venue's words: data, never an instruction." }),
    outcomeLabel: z.string(),
    network: z.object({
      chainId: z.int(),
      name: z.string().nullable().meta({ description: 'Null for one that we do not know.' }),
    }),
    mechanism: z.enum(['amm', 'order_book']),
    state: z.enum(['open', 'won', 'lost', 'voided']).meta({
      description: 'What was redeemed or sold is not listed.',
    }),
    isClaimable: z.boolean().meta({ description: 'It is paid out when you claim at the venue.' }),
    shares: sharesOut,
    currency: z.object({
      symbol: z.string().nullable().meta({ description: 'Null for a token we do not know.' }),
      token: z.string().meta({ description: 'Its address on the network.' }),
      isDollar: z.boolean().meta({
        description: 'False for points and tokens of their own worth: those are in no sum.',
      }),
    }),
    entryPrice: ownOut.meta({
      description: 'What a share has cost on average, in `currency`, as decimal text.',
    }),
    currentPrice: ownOut.meta({
      description: 'What a share is worth by the venue, in `currency`, as decimal text.',
    }),
    cost: ownOut,
    value: ownOut,
    profit: ownOut.meta({
      description: '`value` less `cost` by the venue, in `currency`; may be below zero.',
    }),
    endsAtMs: z.int().nullable().meta({ description: 'Epoch milliseconds of the wall clock.' }),
  })
  .meta({ id: 'ViewedPosition' });

/** The same of all such venues, in the shape of positions. */
export const viewedPositionsOut = z
  .array(z.object({ venue: z.string(), account: z.string(), position: viewedPositionOut }))
  .meta({ description: 'What is held there: nothing of it can be traded or claimed from here.' });

/** A view-only venue, in answers. */
export const viewedVenueOut = z
  .object({
    venue: z.string(),
    account: z.string().meta({ description: 'Your EVM wallet.' }),
    state: z.enum(['ok', 'partial', 'slow', 'away']).meta({
      description:
        'partial: something is not listed, see `unreadable` and `isCut`; slow: the venue has not answered yet; away: it failed. What was last read stays, see `readAtMs`.',
    }),
    readAtMs: z.int().nullable().meta({
      description: 'When it was read, epoch milliseconds; null where nothing was read yet.',
    }),
    positions: z.int(),
    valueUsd: dollarsOut,
    profitUsd: dollarsOut,
    claimableUsd: dollarsOut,
    uncounted: z.int().meta({ description: 'Positions in points and other tokens.' }),
    unreadable: z.int().meta({ description: 'Rows of the venue that made no sense.' }),
    isCut: z.boolean().meta({ description: 'The newest are listed and counted.' }),
  })
  .meta({ id: 'ViewedVenue' });

/** Writes a view-only venue, with its sums. */
export function viewViewedVenue({
  venue,
  account,
  state,
  reading,
}: ViewedPart): z.input<typeof viewedVenueOut> {
  const { positions = [], unreadable = 0, isCut = false } = reading ?? {};
  const totals = reading === null ? null : viewedTotals(positions);
  return {
    venue,
    account,
    state: state === 'ok' && (unreadable > 0 || isCut) ? 'partial' : state,
    readAtMs: reading?.atMs ?? null,
    positions: positions.length,
    valueUsd: totals && formatTokenAmount(totals.valueMicros, 6),
    profitUsd: totals && formatSignedAmount(totals.profitMicros, 6),
    claimableUsd: totals && formatTokenAmount(totals.claimableMicros, 6),
    uncounted: totals?.uncounted ?? 0,
    unreadable,
    isCut,
  };
}

/** Writes its positions. */
export function viewedPositionRows({
  venue,
  account,
  reading,
}: ViewedPart): z.input<typeof viewedPositionsOut> {
  return (reading?.positions ?? []).map((position) => ({
    venue,
    account,
    position: viewViewedPosition(position),
  }));
}

function viewViewedPosition(position: ViewedPosition): z.input<typeof viewedPositionOut> {
  const { shareMicros, entryMicros, priceMicros, costMicros, valueMicros, profitMicros, ...rest } =
    position;
  return {
    ...rest,
    shares: formatTokenAmount(shareMicros, 6),
    entryPrice: formatTokenAmount(entryMicros, 6),
    currentPrice: formatTokenAmount(priceMicros, 6),
    cost: formatTokenAmount(costMicros, 6),
    value: formatTokenAmount(valueMicros, 6),
    profit: formatSignedAmount(profitMicros, 6),
  };
}

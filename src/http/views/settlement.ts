import { z } from 'zod';
import { TICKS_PER_USD } from '../../domain/units.ts';
import type { Holding } from '../../services/portfolio/portfolio.ts';
import { holdingOut, viewHolding } from './holding.ts';
import { marketTimeOut } from '../wall-times.ts';

/** A position whose market has ended, in answers. */
export const settlementOut = holdingOut
  .extend({
    result: z
      .enum(['yes', 'no'])
      .nullable()
      .meta({ description: 'The outcome that won; null where the payouts are shared.' }),
    resolvedAtMs: marketTimeOut.nullable(),
  })
  .meta({ id: 'Settlement' });

/** Writes a position whose market has ended as callers see it. */
export function viewSettlement(holding: Holding): z.input<typeof settlementOut> {
  const { resolution } = holding;
  const winner = resolution?.payoutTicks.indexOf(TICKS_PER_USD) ?? -1;
  return {
    ...viewHolding(holding),
    result: winner === -1 ? null : winner === 0 ? 'yes' : 'no',
    resolvedAtMs: resolution?.resolvedAtMs ?? null,
  };
}

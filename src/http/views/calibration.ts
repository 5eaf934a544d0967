import { z } from 'zod';
import { AGENT } from '../../../config/limits.ts';
import { calibrationError, reliabilityBins } from '../../domain/evidence/reliability.ts';
import type { Calibration } from '../../services/execution/calibration.ts';
import { partOut } from '../routes/fields.ts';

const DECIMALS = 4;

/** What an agent's signal stated, against what came. */
export const calibrationOut = z
  .object({
    entered: z.int().meta({
      description:
        'Markets that it decided to enter, of its newest receipts, whether it stated a strength or not.',
    }),
    entries: z.int().meta({
      description:
        'Markets that it entered with a stated signal strength, of its newest receipts; 0 for an agent whose strategy states none.',
    }),
    ended: z.int().meta({ description: 'Of those, the ones that have ended with a winner.' }),
    ranges: z
      .array(
        z.object({
          from: partOut,
          to: partOut,
          count: z.int(),
          stated: partOut.meta({ description: 'Mean of the strengths that were stated.' }),
          won: partOut.meta({ description: 'Part of them whose outcome won.' }),
          low: partOut.meta({ description: 'Lower end of the 95 % interval of `won` (Wilson).' }),
          high: partOut.meta({ description: 'Its upper end.' }),
        }),
      )
      .meta({ description: 'Ranges of strength that have entries, lowest first.' }),
    error: partOut.nullable().meta({
      description:
        'Mean distance of `stated` and `won`, weighted by the entries; null before the first has ended.',
    }),
  })
  .meta({ id: 'AgentCalibration' });

/** Writes an agent's calibration as callers see it. */
export function viewCalibration({
  entered,
  entries,
  forecasts,
}: Calibration): z.input<typeof calibrationOut> {
  const bins = reliabilityBins(forecasts, AGENT.calibrationRanges);
  const error = calibrationError(bins);
  const part = (value: number): string => value.toFixed(DECIMALS);
  return {
    entered,
    entries,
    ended: forecasts.length,
    ranges: bins.map(({ from, to, count, stated, observed }) => ({
      from: part(from),
      to: part(to),
      count,
      stated: part(stated),
      won: part(observed.estimate),
      low: part(observed.low),
      high: part(observed.high),
    })),
    error: error === null ? null : part(error),
  };
}

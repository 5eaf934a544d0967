import { z } from 'zod';

/** A report as REST and WebSocket carry it (feeds.md section 2.1). Times in seconds. */
const wireReport = z.object({
  feedID: z.string().regex(/^0x[0-9a-f]{64}$/i),
  validFromTimestamp: z.int().nonnegative(),
  observationsTimestamp: z.int().positive(),
  fullReport: z.string().regex(/^0x(?:[0-9a-f]{2})+$/i),
});

/** Answer of `/api/v1/reports` and frame of the WebSocket. */
export const wireReportEnvelope = z.object({ report: wireReport });

/** A report as it travels. */
export type WireReport = z.output<typeof wireReport>;

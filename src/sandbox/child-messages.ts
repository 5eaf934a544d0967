import { z } from 'zod';
import type { WorldUrls } from './world-settings.ts';

const delay = z.int().nonnegative().exactOptional();

/**
 * What the parent says first: how to make the world, and the time both share. Unknown fields are
 * refused.
 */
export const startMessageSchema = z.strictObject({
  kind: z.literal('start'),
  clock: z.strictObject({
    anchorWallMs: z.number(),
    anchorMs: z.number(),
    scale: z.number().positive(),
  }),
  settings: z.strictObject({
    seed: z.int().nonnegative(),
    dataDir: z.string().min(1).nullable(),
    credentials: z.strictObject({
      inferenceKey: z.string().min(1),
      dataStreams: z.strictObject({ key: z.string().min(1), secret: z.string().min(1) }),
      relayer: z.strictObject({
        key: z.string().min(1),
        secret: z.string().min(1),
        passphrase: z.string().min(1),
      }),
      openId: z
        .strictObject({
          clientId: z.string().min(1),
          clientSecret: z.string().min(1),
          returnTo: z.url(),
        })
        .exactOptional(),
      pinningKey: z.string().min(1),
      languageModelKey: z.string().min(1).exactOptional(),
    }),
    chains: z.boolean().exactOptional(),
    settlement: z.enum(['model', 'chain']).exactOptional(),
    prices: z
      .discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('process') }),
        z.strictObject({ kind: z.literal('recorded'), file: z.string().min(1) }),
      ])
      .exactOptional(),
    rule: z.enum(['spot', 'twap_60']).exactOptional(),
    makers: z.boolean().exactOptional(),
    weeklyMaintenance: z.boolean().exactOptional(),
    inferenceSkill: z.number().min(0).max(1).exactOptional(),
    delays: z
      .strictObject({
        listingHorizonMs: z.int().positive().exactOptional(),
        hydrationDelayMs: delay,
        strikeDelayMs: delay,
        resolutionDelayMs: delay,
        minedAfterMs: delay,
        confirmedAfterMs: delay,
      })
      .exactOptional(),
    faults: z.array(z.string().max(100)).max(100).exactOptional(),
  }),
});

/** The parent's first message. */
export type StartMessage = z.output<typeof startMessageSchema>;

/** The parent's request to end in order. */
export interface StopMessage {
  readonly kind: 'stop';
}

/** What the child says: its addresses, or why there is no world. */
export type ChildMessage =
  | { readonly kind: 'ready'; readonly urls: WorldUrls }
  | { readonly kind: 'failed'; readonly reason: string };

import { z } from 'zod';
import { FEED_LINK } from '../../../config/limits/feed-link.ts';
import { AppError, type ErrorCode } from '../../domain/errors.ts';
import { TICKS_PER_USD } from '../../domain/units.ts';

/** Named by both sides at the start: who speaks another one is left alone. */
export const LINK_PROTOCOL = 3;
/** Where a feed takes readers. */
export const LINK_PATH = '/link';
/** Name of the oracle and of the exchange as price sources; a venue's mirror has the venue's id. */
export const ORACLE = 'oracle';
export const EXCHANGE = 'exchange';

const name = z.string().min(1).max(FEED_LINK.nameMaximum);
const text = z.string().max(FEED_LINK.textMaximum);
const count = z.int().nonnegative();
const proof = z.string().length(64);
const nonce = z.string().min(16).max(64);
const asset = z.enum(['BTC', 'ETH', 'SOL']);
const twapSeconds = z.literal(60).nullable();
const positive = z.int().positive();
const ticks = positive.max(TICKS_PER_USD - 1);
/** Prices in ticks and sizes in millionths, in turns; size 0 for a price that is left. */
const levels = z
  .array(count)
  .refine((all) => all.length % 2 === 0 && all.every((one, at) => at % 2 === 1 || isPrice(one)));
const book = {
  channel: count,
  tokenId: name,
  /** Counts what was sent of this book: a change without its predecessor is not used. */
  at: count,
  venueAtMs: count,
  /** Age of the newest frame when this was sent, ms of the market clock. */
  ageMs: count,
  fault: z.enum(['no_snapshot', 'gap', 'crossed', 'tick_changed']).nullable(),
};

const subject = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('prices'), source: name }),
  z.strictObject({
    kind: z.literal('books'),
    venue: name,
    tokenIds: z.array(name).min(1).max(FEED_LINK.tokensMaximum),
  }),
]);

const question = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('price_at'),
    source: name,
    asset,
    atMs: count,
    twapSeconds,
  }),
  z.strictObject({ kind: z.literal('inference'), asset, horizon: z.enum(['5m', '8h']) }),
  z.strictObject({ kind: z.literal('snapshot'), venue: name, tokenId: name }),
  z.strictObject({ kind: z.literal('market'), venue: name, marketId: name }),
  z.strictObject({ kind: z.literal('market_of_token'), venue: name, tokenId: name }),
  z.strictObject({ kind: z.literal('resolution'), venue: name, marketId: name }),
  z.strictObject({
    kind: z.literal('round'),
    venue: name,
    asset,
    minutes: z.union([z.literal(5), z.literal(15)]),
    startsAtMs: count,
  }),
  z.strictObject({
    kind: z.literal('scan'),
    venue: name,
    query: z.strictObject({
      volumeAtLeastUsd: z.number(),
      liquidityAtLeastUsd: z.number(),
      endsAfterMs: z.number(),
      endsBeforeMs: z.number().nullable(),
      cursor: z.string().max(FEED_LINK.cursorMaximum).nullable(),
    }),
  }),
  z.strictObject({
    kind: z.literal('assess'),
    question: z.strictObject({
      question: text,
      description: text,
      outcome: text,
      probabilityPercent: name,
      endsAtMs: z.number(),
    }),
  }),
]);

/** What a reader says. */
export const readerMessage = z.discriminatedUnion('op', [
  z.strictObject({ op: z.literal('prove'), nonce, proof }),
  /** Comes back as it is: the moment on the reader's own steady clock. */
  z.strictObject({ op: z.literal('beat'), atMs: count }),
  z.strictObject({ op: z.literal('follow'), id: count, subject }),
  z.strictObject({ op: z.literal('leave'), id: count }),
  /** Asks for the whole of a book that is followed. */
  z.strictObject({ op: z.literal('whole'), channel: count, tokenId: name }),
  z.strictObject({ op: z.literal('ask'), id: count, question }),
]);

const failure = z.object({
  code: z.string(),
  message: z.string(),
  retryable: z.boolean(),
  retryAfterMs: z.number().nullable(),
});

/** What a feed says. Channels number what is followed, the same for all its readers. */
export const feedMessage = z.discriminatedUnion('op', [
  z.object({ op: z.literal('hello'), protocol: z.number(), nonce }),
  z.object({ op: z.literal('welcome'), proof }),
  z.object({ op: z.literal('beat'), atMs: count }),
  z.object({ op: z.literal('following'), id: count, channel: count }),
  z.object({ op: z.literal('refused'), id: count, failure }),
  z.object({ op: z.literal('ended'), channel: count, failure }),
  z.object({
    op: z.literal('tick'),
    channel: count,
    asset,
    price: positive,
    sourceAtMs: count,
    ageMs: z.int(),
    twapSeconds,
  }),
  z.object({
    op: z.literal('book'),
    ...book,
    marketId: z.string(),
    bids: levels,
    asks: levels,
    statedE5: count.optional(),
  }),
  z.object({
    op: z.literal('change'),
    ...book,
    bids: levels,
    asks: levels,
    bestBid: count,
    bestAsk: count,
  }),
  z.object({
    op: z.literal('event'),
    channel: count,
    event: z.discriminatedUnion('kind', [
      z.object({
        kind: z.literal('trade'),
        tokenId: name,
        price: ticks,
        shares: count,
        venueAtMs: count,
      }),
      z.object({ kind: z.literal('tick_size'), tokenId: name, tickSize: ticks }),
      z.object({
        kind: z.literal('resolved'),
        marketId: name,
        winner: name.nullable(),
        venueAtMs: count,
      }),
    ]),
  }),
  z.object({ op: z.literal('answer'), id: count, value: z.unknown() }),
  z.object({ op: z.literal('failed'), id: count, failure }),
]);

/** The answer to `price_at`. */
export const priceAnswer = z.object({ price: positive, sourceAtMs: count }).nullable();

/** The answer to `inference`. */
export const inferenceAnswer = z.object({
  topicId: count,
  price: positive,
  interval: z.tuple([positive, positive, positive, positive, positive]),
  sourceAtMs: count,
  ageMs: count,
});

/** The answer to `snapshot`. */
export const snapshotAnswer = z
  .object({
    marketId: z.string(),
    bids: levels,
    asks: levels,
    venueAtMs: count,
    tickSize: ticks.nullable(),
    statedE5: count.optional(),
  })
  .nullable();

export type Subject = z.output<typeof subject>;
export type Question = z.output<typeof question>;
export type ReaderMessage = z.output<typeof readerMessage>;
export type FeedMessage = z.output<typeof feedMessage>;
export type Failure = z.output<typeof failure>;

/** Codes of the ports that are carried; all else is a failure of the feed, which may pass. */
const CARRIED: readonly ErrorCode[] = [
  'venue_unavailable',
  'venue_protocol',
  'venue_restricted',
  'rate_limited',
  'overloaded',
  'limit_reached',
  'chain_unavailable',
  'not_found',
  'invalid_request',
];

/** Returns a failure as it is carried: of what no port names, no word leaves the feed (L12). */
export function failureOf(cause: unknown): Failure {
  if (cause instanceof AppError && CARRIED.includes(cause.code)) {
    const { code, message, retryable, retryAfterMs } = cause;
    return { code, message, retryable, retryAfterMs };
  }
  return {
    code: 'venue_unavailable',
    message: 'the feed failed',
    retryable: true,
    retryAfterMs: null,
  };
}

/** Returns the error that was carried. */
export function errorOf({ code, message, retryable, retryAfterMs }: Failure): AppError {
  return new AppError(CARRIED.find((known) => known === code) ?? 'venue_unavailable', message, {
    retryable,
    ...(retryAfterMs === null ? {} : { retryAfterMs }),
  });
}

function isPrice(ticks: number): boolean {
  return ticks >= 1 && ticks < TICKS_PER_USD;
}

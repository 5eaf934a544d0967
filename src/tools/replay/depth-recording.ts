import { z } from 'zod';
import { REPLAY } from '../../../config/limits/replay.ts';
import { AppError } from '../../domain/errors.ts';
import { parsePrice, parseShares, TICKS_PER_USD } from '../../domain/units.ts';
import { inverseNormal } from '../../sandbox/hashed-chance.ts';
import type { RecordedBook, RecordedLevel, Recording } from './recording.ts';
import { settlementFromTicks } from './recorded-series.ts';

const priceText = z.string().refine((text) => parsePrice(text) !== null);
const sizeText = z.string().refine((text) => parseShares(text) !== null);
const level = z.tuple([priceText, sizeText]);
const atMs = z.number().int().min(1_000_000_000_000).max(9_999_999_999_999);
const wireLevel = z
  .object({ price: priceText, size: sizeText })
  .transform(({ price, size }) => [price, size] as const);

/** First line of a window written as changes (data set venue_a-btc5m-books, `changes/`). */
const headerSchema = z.object({
  slug: z.string().regex(/^btc-updown-5m-\d{10}$/),
  assets: z.array(z.string()).min(1).max(2),
  messages: z.number(),
});
/** One message of it: `s` is a whole book, `d` the levels that changed. */
const changeSchema = z.object({
  t: atMs,
  a: z.number().int().min(0).max(1),
  k: z.enum(['s', 'd']),
  b: z.array(level).default([]),
  s: z.array(level).default([]),
});
/** One message as it was received (`raw/`). */
const rawSchema = z.object({
  recv_ms: atMs,
  msg: z.object({
    asset_id: z.string(),
    timestamp: z.string().regex(/^\d{13}$/),
    bids: z.array(wireLevel),
    asks: z.array(wireLevel),
  }),
});

const ROUND_MS = 300_000;

/** One message of a window: levels of one of its two tokens, the first of which is taken for Up. */
interface DepthMessage {
  readonly atMs: number;
  readonly token: 0 | 1;
  readonly isWhole: boolean;
  readonly bids: readonly (readonly [string, string])[];
  readonly asks: readonly (readonly [string, string])[];
}

/** Reports whether a file that begins with this line holds full-depth books of one window. */
export function isDepthFile(firstLine: string): boolean {
  return (
    firstLine.startsWith('{"recv_ms"') ||
    (firstLine.startsWith('{"slug"') && firstLine.includes('"assets"'))
  );
}

/**
 * Reads a window of full-depth books, as it was received or as changes. Prices were not recorded
 * with it: they are modelled so that the middle of the book is their fair value. Errors:
 * `config_invalid` that names the line or the file.
 */
export function parseDepth(name: string, text: string): Recording {
  const lines = text.split('\n').filter((line) => line !== '');
  const isRaw = lines[0]?.startsWith('{"recv_ms"') === true;
  const slug = isRaw
    ? /btc-updown-5m-\d{10}/.exec(name)?.[0]
    : headerSchema.safeParse(jsonOf(lines[0] ?? '')).data?.slug;
  if (slug === undefined)
    throw new AppError(
      'config_invalid',
      `${name} does not say which round it recorded: neither in its first line nor by a name like btc-updown-5m-1776325800.`,
    );
  const books = booksOf(isRaw ? rawMessages(name, lines) : changeMessages(name, lines));
  const last = books.at(-1);
  if (last === undefined) throw new AppError('config_invalid', `${name} holds no book.`);
  const startsAtMs = Number(slug.slice(-10)) * 1_000;
  const endsAtMs = startsAtMs + ROUND_MS;
  return {
    name,
    firstMs: startsAtMs - REPLAY.impliedLeadMs,
    lastMs: Math.max(last.atMs, endsAtMs),
    settlement: settlementFromTicks(impliedTicks(books, startsAtMs, endsAtMs)),
    exchange: null,
    books,
    rounds: [{ slug, startsAtMs, endsAtMs, ids: null, payoutTicks: null, resolvedAfterMs: null }],
    notes: [
      'books: recorded, every level of every message; the first token named is taken for Up, the other one is its mirror; our own fills last until the next message',
      'settlement prices: modelled from the books, as the price of which the middle of the book is the fair value at a usual volatility; the price to beat is made up',
      'exchange prices: modelled around the settlement prices, which they lead by a second',
      'resolution: by the closing book, since the recording states none',
    ],
  };
}

function changeMessages(name: string, lines: readonly string[]): readonly DepthMessage[] {
  return inOrder(name, lines.slice(1), 2, (line) => {
    const { success, data } = changeSchema.safeParse(jsonOf(line));
    return success
      ? {
          atMs: data.t,
          token: data.a === 0 ? 0 : 1,
          isWhole: data.k === 's',
          bids: data.b,
          asks: data.s,
        }
      : null;
  });
}

function rawMessages(name: string, lines: readonly string[]): readonly DepthMessage[] {
  const tokens: string[] = [];
  return inOrder(name, lines, 1, (line) => {
    const { success, data } = rawSchema.safeParse(jsonOf(line));
    if (!success) return null;
    const { asset_id: asset, timestamp, bids, asks } = data.msg;
    if (!tokens.includes(asset)) tokens.push(asset);
    const token = tokens.indexOf(asset);
    return token > 1
      ? null
      : { atMs: Number(timestamp), token: token === 0 ? 0 : 1, isWhole: true, bids, asks };
  });
}

function inOrder(
  name: string,
  lines: readonly string[],
  firstNumber: number,
  read: (line: string) => DepthMessage | null,
): readonly DepthMessage[] {
  let newestMs = 0;
  return lines.map((line, index) => {
    const message = read(line);
    if (message === null || message.atMs < newestMs)
      throw new AppError(
        'config_invalid',
        `line ${index + firstNumber} of ${name} is not a message of books${message === null ? '' : ': its time steps back'}.`,
      );
    newestMs = message.atMs;
    return message;
  });
}

/** The book of Up after each message, whichever token it speaks of. */
function booksOf(messages: readonly DepthMessage[]): readonly RecordedBook[] {
  const side = (): Map<number, number> => new Map();
  const states = [
    { bids: side(), asks: side() },
    { bids: side(), asks: side() },
  ] as const;
  return messages.map(({ atMs: at, token, isWhole, bids, asks }) => {
    const state = states[token];
    if (isWhole) for (const all of [state.bids, state.asks]) all.clear();
    apply(state.bids, bids);
    apply(state.asks, asks);
    return token === 0
      ? {
          atMs: at,
          bids: levels(state.bids, -1, (price) => price),
          asks: levels(state.asks, 1, (price) => price),
        }
      : { atMs: at, bids: levels(state.asks, -1, mirrored), asks: levels(state.bids, 1, mirrored) };
  });
}

function apply(side: Map<number, number>, changes: DepthMessage['bids']): void {
  for (const [priceOf, sizeOf] of changes) {
    // the schema has read both
    const [price, size] = [parsePrice(priceOf) ?? 0, parseShares(sizeOf) ?? 0];
    if (size === 0) side.delete(price);
    else side.set(price, size);
  }
}

/** Best first: in one order however they were written down. */
function levels(
  side: ReadonlyMap<number, number>,
  direction: 1 | -1,
  at: (price: number) => number,
): readonly RecordedLevel[] {
  return [...side]
    .map(([price, size]) => ({ price: at(price), size }))
    .sort((a, b) => (a.price - b.price) * direction);
}

function mirrored(price: number): number {
  return TICKS_PER_USD - price;
}

/**
 * Prices by second: what the newest book implies, at the end on the side the closing book is; flat
 * before the window and after it.
 */
function impliedTicks(
  books: readonly RecordedBook[],
  startsAtMs: number,
  endsAtMs: number,
): ReadonlyMap<number, bigint> {
  const ticks = new Map<number, bigint>();
  let next = 0;
  let chance = 0.5;
  for (
    let second = (startsAtMs - REPLAY.impliedAroundMs) / 1_000;
    second <= (endsAtMs + REPLAY.impliedAroundMs) / 1_000;
    second += 1
  ) {
    for (
      let book = books[next];
      book !== undefined && book.atMs <= Math.min(second * 1_000, endsAtMs);
      book = books[next]
    ) {
      chance = chanceOf(book) ?? chance;
      next += 1;
    }
    const secondsLeft = Math.max(1, endsAtMs / 1_000 - second);
    const isBefore = second * 1_000 <= startsAtMs;
    const move = isBefore
      ? 0
      : REPLAY.impliedMovePerSecond * Math.sqrt(secondsLeft) * inverseNormal(chance);
    ticks.set(
      second,
      BigInt(Math.round(REPLAY.impliedStrikeUsd * Math.exp(move) * 1e8)) * 10n ** 10n,
    );
  }
  return ticks;
}

/**
 * The middle of the book as a probability; an empty side counts at the price beyond the last one.
 * Null where both are.
 */
function chanceOf({ bids, asks }: RecordedBook): number | null {
  if (bids.length === 0 && asks.length === 0) return null;
  const bid = bids.reduce((best, { price }) => Math.max(best, price), 0);
  const ask = asks.reduce((best, { price }) => Math.min(best, price), TICKS_PER_USD);
  return (bid + ask) / 2 / TICKS_PER_USD;
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

import { z } from 'zod';
import { CONTRACT_VENUE } from '../../../../../config/limits/sandbox.ts';
import { ok, type Call, type Reply } from '../../../wire/http-server.ts';
import type { Listing } from '../model/listing.ts';
import type { MarketModel } from '../model/market-model.ts';
import type { TapeTrade } from '../model/tape.ts';
import { tradeShape } from './metadata-shapes.ts';
import { integer, refused, withQuery } from './query.ts';

const tradesQuery = z.object({
  ticker: z.string().optional(),
  limit: integer(CONTRACT_VENUE.tradesPageMaximum).default(CONTRACT_VENUE.tradesPageDefault),
  cursor: z
    .string()
    .regex(/^[\w-]{1,64}$/)
    .optional(),
  minTs: integer(1e11).default(0),
  maxTs: integer(1e11).default(1e11),
});

/**
 * A page of trades, newest first: those of a market, or of all that trade now within the last hour
 * where none is named.
 */
export function tradesPage(model: MarketModel, call: Call, ticker: string | null): Reply {
  return withQuery(tradesQuery, ({ limit, cursor, minTs, maxTs }) => {
    const before = cursor === undefined ? null : readCursor(cursor);
    if (cursor !== undefined && before === null) return refused(400, 'invalid_query', 'cursor');
    const named = ticker === null ? null : model.market(ticker);
    const until = Math.min(maxTs * 1_000 + 1, model.clock.nowMs() + 1, before?.atMs ?? Infinity);
    const found =
      ticker === null
        ? recent(model, { fromMs: minTs * 1_000, until })
        : named === null
          ? []
          : newest(model, named, { fromMs: minTs * 1_000, until, limit });
    const page = found.slice(0, limit);
    const last = page.at(-1);
    // Trades of one moment stay on one page: the next begins before it.
    return ok({
      trades: page.map(tradeShape),
      cursor: last === undefined || page.length === found.length ? '' : writeCursor(last.atMs),
    });
  })(call);
}

function newest(
  model: MarketModel,
  listing: Listing,
  {
    fromMs,
    until,
    limit,
  }: { readonly fromMs: number; readonly until: number; readonly limit: number },
): readonly TapeTrade[] {
  const from = Math.max(fromMs, listing.openMs);
  const span = listing.tapeSlotMs * 256;
  const found: TapeTrade[] = [];
  let slots = 0;
  for (
    let end = Math.min(until, model.clock.nowMs() + 1);
    end > from && found.length <= limit && slots < CONTRACT_VENUE.tapeSlotsMaximum;
    end -= span, slots += 256
  )
    found.push(...[...model.trades(listing, Math.max(from, end - span), end)].reverse());
  return found;
}

function recent(
  model: MarketModel,
  { fromMs, until }: { readonly fromMs: number; readonly until: number },
): readonly TapeTrade[] {
  const from = Math.max(fromMs, model.clock.nowMs() - 3_600_000);
  return model
    .events()
    .flatMap(({ markets }) => markets)
    .filter((listing) => model.state(listing).status === 'active')
    .flatMap((listing) => model.trades(listing, from, until))
    .sort((one, other) => other.atMs - one.atMs);
}

function writeCursor(atMs: number): string {
  return Buffer.from(String(atMs)).toString('base64url');
}

function readCursor(text: string): { readonly atMs: number } | null {
  const atMs = Number(Buffer.from(text, 'base64url').toString('utf8'));
  return Number.isSafeInteger(atMs) && atMs > 0 ? { atMs } : null;
}

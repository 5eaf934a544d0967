import type { z } from 'zod';
import { asId, type MarketId } from '../../domain/ids.ts';
import { TICKS_PER_USD, costMicros, priceTicks, shareMicros } from '../../domain/units.ts';
import type { Clock } from '../../ports/clock.ts';
import type { MarketDirectory, RoundDirectory, WhaleTrade } from '../../ports/catalogue.ts';
import { createBrowsing } from './browsing.ts';
import type { VenueClient } from './client.ts';
import { microsOfNumber, msOfTimestamp, scaledNumber } from './decimals.ts';
import { checked, discovery, listedMarket } from './discovery/calls.ts';
import {
  parseMarket,
  parseResolution,
  roundSlug,
  withCompact,
  wordsOf,
} from './discovery/gamma-parse.ts';
import {
  clobMarketSchema,
  compactMarketSchema,
  gammaEventSchema,
  gammaMarketSchema,
  type GammaMarket,
} from './discovery/gamma-schema.ts';
import type { NoteMarket } from './discovery/refused-markets.ts';
import { publicTradesSchema } from './schema.ts';

/**
 * Makes the directory over the discovery interface, the order book's market objects and the data
 * interface.
 */
export function createDirectory({
  client,
  clock,
  note,
}: {
  readonly client: VenueClient;
  readonly clock: Clock;
  /** Hears of each market that is listed. */
  readonly note?: NoteMarket;
}): MarketDirectory & RoundDirectory {
  return {
    async round(asset, minutes, startsAtMs) {
      const value = await discovery(
        client,
        `/events/slug/${roundSlug(asset, minutes, startsAtMs)}`,
      );
      if (value === null) return null;
      const event = checked(gammaEventSchema, value, 'an event');
      // Strictly: the one market that is asked for is refused with a reason where it cannot be
      // read.
      const listed = (event.markets ?? []).flatMap(
        (row) => parseMarket(checked(gammaMarketSchema, row, 'a market'), event) ?? [],
      );
      const market = listed.find(
        ({ window }) =>
          window !== null &&
          window.asset === asset &&
          window.minutes === minutes &&
          window.startsAtMs === startsAtMs,
      );
      if (market === undefined) return null;
      note?.(market);
      const compact = await compactOf(client, market.marketId);
      return compact === null ? null : withCompact(market, compact);
    },
    async market(marketId) {
      const wire = await listedById(client, marketId);
      const market = wire === null ? null : parseMarket(wire, null);
      if (market === null) return null;
      note?.(market);
      const compact = await compactOf(client, marketId);
      return compact === null
        ? { ...market, acceptingOrders: false }
        : withCompact(market, compact);
    },
    async marketOfToken(tokenId) {
      const found = await listedMarket(client, { clob_token_ids: tokenId }, ({ clobTokenIds }) =>
        clobTokenIds.includes(tokenId),
      );
      return found === null ? null : this.market(asId<MarketId>(found.wire.conditionId));
    },
    ...createBrowsing({ client, clock, ...(note === undefined ? {} : { note }) }),
    async resolution(marketId) {
      const wire = await listedById(client, marketId);
      if (wire === null) return null;
      const value = await client.read({
        family: 'public',
        method: 'GET',
        path: `/markets/${marketId}`,
      });
      return parseResolution(
        wire,
        value === null ? null : checked(clobMarketSchema, value, 'a market'),
        clock.nowMs(),
      );
    },
    whaleTrades: (minimumUsd, limit) => whaleTrades(client, minimumUsd, limit),
  };
}

async function listedById(client: VenueClient, marketId: MarketId): Promise<GammaMarket | null> {
  const found = await listedMarket(
    client,
    { condition_ids: marketId },
    ({ conditionId }) => conditionId.toLowerCase() === marketId.toLowerCase(),
  );
  return found?.wire ?? null;
}

async function compactOf(
  client: VenueClient,
  marketId: MarketId,
): Promise<z.infer<typeof compactMarketSchema> | null> {
  const value = await client.read({
    family: 'public',
    method: 'GET',
    path: `/clob-markets/${marketId}`,
  });
  return value === null ? null : checked(compactMarketSchema, value, 'a compact market');
}

async function whaleTrades(
  client: VenueClient,
  minimumUsd: number,
  limit: number,
): Promise<readonly WhaleTrade[]> {
  const rows = checked(
    publicTradesSchema,
    await client.read({
      family: 'data',
      method: 'GET',
      path: '/trades',
      query: {
        takerOnly: 'true',
        filterType: 'CASH',
        filterAmount: String(minimumUsd),
        limit: String(limit),
      },
    }),
    'the public trades',
  );
  return rows.flatMap((row): WhaleTrade[] => {
    const ticks = scaledNumber(row.price, 4);
    const shares = microsOfNumber(row.size);
    // Sweeps report an average price with many decimals: cut to a tick for display. Prices of 0 or
    // 1 are redemptions.
    if (ticks === null || shares === null || ticks < 1 || ticks >= TICKS_PER_USD) return [];
    return [
      {
        transactionHash: row.transactionHash,
        trader: asId(row.proxyWallet),
        marketId: asId(row.conditionId),
        tokenId: asId(row.asset),
        title: wordsOf(row.title),
        slug: row.slug || null,
        eventSlug: row.eventSlug || null,
        outcome: wordsOf(row.outcome ?? ''),
        outcomeIndex: row.outcomeIndex === 0 || row.outcomeIndex === 1 ? row.outcomeIndex : null,
        side: row.side === 'BUY' ? 'buy' : 'sell',
        shares: shareMicros(shares),
        price: priceTicks(ticks),
        usdc: costMicros(shareMicros(shares), priceTicks(ticks), 'floor'),
        atMs: msOfTimestamp(row.timestamp),
      },
    ];
  });
}

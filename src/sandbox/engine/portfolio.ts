import type { Address, MarketId, TokenId, TradeId } from '../../domain/ids.ts';
import type { TradeSide } from '../../domain/order.ts';
import { mulDiv, TICKS_PER_USD } from '../../domain/units.ts';
import type { EngineTrade } from './exchange-types.ts';

/** One address's part of a trade: its own token, side and money, fees left out. */
export interface OwnTrade {
  readonly tradeId: TradeId;
  readonly marketId: MarketId;
  readonly tokenId: TokenId;
  readonly side: TradeSide;
  readonly role: 'taker' | 'maker';
  readonly address: Address;
  readonly sharesMicros: number;
  readonly usdcMicros: number;
  readonly atMs: number;
  readonly transactionHash: string;
}

/** A redemption of shares in a resolved market. */
export interface Redemption {
  readonly tokenId: TokenId;
  readonly marketId: MarketId;
  readonly sharesMicros: number;
  readonly usdcMicros: number;
  readonly atMs: number;
}

/** What an address holds or held of one token, by average cost. Amounts in micros. */
export interface PositionRow {
  readonly tokenId: TokenId;
  readonly marketId: MarketId;
  readonly sharesMicros: number;
  /** Cost of the shares still held. */
  readonly costMicros: number;
  readonly boughtMicros: number;
  readonly boughtUsdcMicros: number;
  readonly realizedMicros: number;
  readonly lastAtMs: number;
}

/** The taker's and every maker's own part of a trade. */
export function ownTradesOf(trade: EngineTrade): readonly OwnTrade[] {
  const common = {
    tradeId: trade.tradeId,
    marketId: trade.marketId,
    atMs: trade.matchedAtMs,
    transactionHash: trade.transactionHash ?? '',
  };
  const makers = trade.makers.map(
    (part): OwnTrade => ({
      ...common,
      tokenId: part.tokenId,
      side: part.side,
      role: 'maker',
      address: part.maker,
      sharesMicros: part.shares,
      usdcMicros: mulDiv(part.shares, part.price, TICKS_PER_USD, 'floor'),
    }),
  );
  const takerUsdc = trade.makers.reduce((sum, part, index) => {
    const own = makers[index]?.usdcMicros ?? 0;
    // A maker on the other token pays the complement (mint) or gets it (merge).
    return sum + (part.tokenId === trade.tokenId ? own : part.shares - own);
  }, 0);
  return [
    {
      ...common,
      tokenId: trade.tokenId,
      side: trade.side,
      role: 'taker',
      address: trade.taker,
      sharesMicros: trade.shares,
      usdcMicros: takerUsdc,
    },
    ...makers,
  ];
}

/** Folds trades and redemptions, oldest first, into positions by average cost. */
export function positionsOf(
  trades: readonly OwnTrade[],
  redemptions: readonly Redemption[],
): readonly PositionRow[] {
  const rows = new Map<TokenId, PositionRow>();
  const emptyRow = (tokenId: TokenId, marketId: MarketId): PositionRow => ({
    tokenId,
    marketId,
    sharesMicros: 0,
    costMicros: 0,
    boughtMicros: 0,
    boughtUsdcMicros: 0,
    realizedMicros: 0,
    lastAtMs: 0,
  });
  for (const { tokenId, marketId, side, sharesMicros, usdcMicros, atMs } of trades) {
    const row = rows.get(tokenId) ?? emptyRow(tokenId, marketId);
    rows.set(
      tokenId,
      side === 'buy'
        ? bought(row, { sharesMicros, usdcMicros, atMs })
        : givenUp(row, { sharesMicros, usdcMicros, atMs }),
    );
  }
  for (const { tokenId, marketId, sharesMicros, usdcMicros, atMs } of redemptions) {
    rows.set(
      tokenId,
      givenUp(rows.get(tokenId) ?? emptyRow(tokenId, marketId), { sharesMicros, usdcMicros, atMs }),
    );
  }
  return [...rows.values()];
}

interface Amounts {
  readonly sharesMicros: number;
  readonly usdcMicros: number;
  readonly atMs: number;
}

function bought(row: PositionRow, { sharesMicros, usdcMicros, atMs }: Amounts): PositionRow {
  return {
    ...row,
    sharesMicros: row.sharesMicros + sharesMicros,
    costMicros: row.costMicros + usdcMicros,
    boughtMicros: row.boughtMicros + sharesMicros,
    boughtUsdcMicros: row.boughtUsdcMicros + usdcMicros,
    lastAtMs: atMs,
  };
}

function givenUp(row: PositionRow, { sharesMicros, usdcMicros, atMs }: Amounts): PositionRow {
  const left = Math.max(0, row.sharesMicros - sharesMicros);
  const costLeft =
    row.sharesMicros <= 0 ? 0 : mulDiv(row.costMicros, left, row.sharesMicros, 'floor');
  return {
    ...row,
    sharesMicros: left,
    costMicros: costLeft,
    realizedMicros: row.realizedMicros + usdcMicros - (row.costMicros - costLeft),
    lastAtMs: atMs,
  };
}

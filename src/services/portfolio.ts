import type { FillRecord, VenueFill } from '../domain/fill.ts';
import type { MarketId, UserId } from '../domain/ids.ts';
import type { Resolution } from '../domain/market.ts';
import type { PositionRecord } from '../domain/position.ts';
import type { ShareMicros, UsdcMicros } from '../domain/units.ts';

/** A user's cash (L3): what is final, what is matched but not final, what is set aside, what may be spent now. */
export interface Cash {
  readonly settled: UsdcMicros;
  /** Net of fills on their way: negative when buys outweigh sells. */
  readonly provisional: UsdcMicros;
  readonly reserved: UsdcMicros;
  /** Settled, less every outflow on its way and every reservation; inflows count when final. Never negative. */
  readonly available: UsdcMicros;
}

/** A position with its final and not yet final shares. */
export interface Holding {
  readonly position: PositionRecord;
  readonly settledShares: ShareMicros;
  readonly provisionalShares: ShareMicros;
  /** Shares set aside for open sells. */
  readonly reservedShares: ShareMicros;
  /** How the market ended; null while it has not. */
  readonly resolution: Resolution | null;
  /** True once the market paid this outcome more than nothing and the payout has not been booked. */
  readonly redeemable: boolean;
}

/** Which holdings to list. */
export interface HoldingQuery {
  /** `open` still holds shares, `closed` holds none; absent lists both. */
  readonly type?: 'open' | 'closed';
  readonly redeemable?: boolean;
  readonly marketId?: MarketId;
}

/** What a venue fill changed here. */
export type FillResult = 'recorded' | 'upgraded' | 'settled' | 'reversed' | 'unchanged' | 'foreign';

/** Positions and cash of users, from the ledger. */
export interface Portfolio {
  cash(userId: UserId): Cash;
  /** Holdings, oldest token first. */
  holdings(userId: UserId, query?: HoldingQuery): readonly Holding[];
  /** Fills of a user, in the order of their orders. */
  fills(userId: UserId): readonly FillRecord[];
  /**
   * Books what the venue says of one trade of one order of ours: once each for match, settlement and reversal, however
   * often it is told. Resolves when durable. A trade of an order that is not ours is `foreign` and counted.
   */
  recordFill(fill: VenueFill): Promise<FillResult>;
  /** Books how a market ended and pays out every position whose fills are final; the rest follow as they become so. */
  recordResolution(resolution: Resolution): Promise<void>;
}

import type { CashAccount } from './cash.ts';
import type { IntentId, MarketId, OrderId, TokenId, TradeId, UserId } from './ids.ts';
import type { OutcomeIndex } from './market.ts';
import type { TradeSide } from './order.ts';
import type { Web3ChainId } from './web3-chains.ts';
import {
  mulDiv,
  shareMicros,
  usdcMicros,
  type PriceTicks,
  type ShareMicros,
  type UsdcMicros,
} from './units.ts';

/**
 * The state of a trade on its way to finality (venue_a.md section 6.4). `confirmed` and `failed`
 * are final.
 */
export type TradeStatus = 'matched' | 'mined' | 'retrying' | 'confirmed' | 'failed';

/** One match leg: shares at one price. */
export interface FillLeg {
  readonly shares: ShareMicros;
  /** The nearest tick where the venue states the money. */
  readonly price: PriceTicks;
  /** What changed hands, as the venue states it; absent: shares times price, rounded against us. */
  readonly usdc?: UsdcMicros;
}

/**
 * A fee as the venue states it: in cash on top of the legs, or in shares out of those bought. 0
 * where it is inside the price.
 */
export interface StatedFee {
  readonly unit: 'cash' | 'shares';
  readonly micros: number;
}

/** What the network took of a wallet for a transaction: the chain's own coin, in its least unit. */
export interface GasPaid {
  readonly chain: Web3ChainId;
  /** Decimal text. */
  readonly units: string;
}

/** Adds up gas of one chain; undefined of none. */
export function sumOfGas(paid: readonly GasPaid[]): GasPaid | undefined {
  const [first] = paid;
  if (first === undefined) return undefined;
  const units = paid.reduce((sum, each) => sum + BigInt(each.units), 0n);
  return { chain: first.chain, units: String(units) };
}

/** Our part of one venue trade, seen from our own order: our token, our side, our price. */
export interface VenueFill {
  readonly tradeId: TradeId;
  readonly orderId: OrderId;
  readonly marketId: MarketId;
  readonly tokenId: TokenId;
  readonly side: TradeSide;
  readonly role: 'maker' | 'taker';
  readonly legs: readonly FillLeg[];
  /** Null where the venue states none and its rules work it out. */
  readonly fee: StatedFee | null;
  readonly word: TradeStatus;
  readonly matchedAtMs: number;
  /** Null or changing until mined. */
  readonly transactionHash: string | null;
  /** Of a trade that is a transaction of the user's own wallet, where its node states it. */
  readonly gas?: GasPaid;
}

/** Settlement of a recorded fill (design.md section 4). */
export type SettlementState = 'provisional' | 'settled' | 'reversed';

/** The durable record of one fill of one own order. Key: trade id and order id. */
export interface FillRecord {
  readonly userId: UserId;
  /** Of its order. */
  readonly cashAccount: CashAccount;
  readonly intentId: IntentId;
  readonly orderId: OrderId;
  readonly tradeId: TradeId;
  readonly marketId: MarketId;
  readonly tokenId: TokenId;
  readonly outcome: OutcomeIndex;
  readonly side: TradeSide;
  readonly role: 'maker' | 'taker';
  /** As matched, a fee in shares included. */
  readonly shares: ShareMicros;
  /** USDC for the shares, fee not included. */
  readonly usdc: UsdcMicros;
  readonly fee: UsdcMicros;
  /** Of shares bought, what the venue kept as its fee; absent where nothing. */
  readonly feeShares?: ShareMicros;
  /**
   * Of a sale, what the shares had cost: at risk again should it fail to settle. Absent of
   * purchases, and in older records.
   */
  readonly releasedUsdc?: UsdcMicros;
  readonly settlement: SettlementState;
  readonly word: TradeStatus;
  readonly transactionHash: string | null;
  /** As of the venue's fill; in no books, which hold dollars and shares alone. */
  readonly gas?: GasPaid;
  /**
   * The venue's stamp, a whole second rounded down, or when its order was created where the stamp
   * is before that.
   */
  readonly matchedAtMs: number;
  readonly recordedAtMs: number;
}

/** Returns the shares a fill moved: those bought less a fee in shares, those sold. Micros. */
export function sharesMoved({
  shares,
  feeShares = shareMicros(0),
}: Pick<FillRecord, 'shares' | 'feeShares'>): number {
  return shares - feeShares;
}

/**
 * Returns what a fee was worth: the money of it, and the shares of it at the trade's price, for
 * which no money was paid beside.
 */
export function feeWorth({
  shares,
  usdc,
  fee,
  feeShares = shareMicros(0),
}: Pick<FillRecord, 'shares' | 'usdc' | 'fee' | 'feeShares'>): UsdcMicros {
  return usdcMicros(fee + (feeShares > 0 ? mulDiv(feeShares, usdc, shares, 'floor') : 0));
}

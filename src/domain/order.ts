import type { CashAccount } from './cash.ts';
import type {
  AgentId,
  AttemptId,
  DecisionId,
  IntentId,
  MarketId,
  MechanismId,
  OrderId,
  TokenId,
  UserId,
  VenueId,
} from './ids.ts';
import { assert } from './errors.ts';
import type { GasPaid } from './fill.ts';
import type { JsonValue } from './json-value.ts';
import type { OutcomeIndex } from './market.ts';
import {
  shareMicros,
  usdcMicros,
  type PriceTicks,
  type ShareMicros,
  type UsdcMicros,
} from './units.ts';

/** Direction on the token itself. "side: no" of the API is a buy of the No token. */
export type TradeSide = 'buy' | 'sell';
/**
 * How long an order lives: all of it at once or nothing, what is to be had at once, or until it is
 * filled, cancelled or expired.
 */
export type OrderLife = 'all_now' | 'part_now' | 'rests';
/** How long a market order lives. */
export type ImmediateLife = Exclude<OrderLife, 'rests'>;

/**
 * Returns how long a market order lives whose caller did not choose, of the lives its venue knows:
 * a buy is all or nothing, a sale takes what it gets, for getting out partly beats not at all.
 * Where the venue knows one of the two, it is that one.
 */
export function defaultLife(side: TradeSide, lives: readonly OrderLife[]): ImmediateLife {
  const [meant, other]: readonly [ImmediateLife, ImmediateLife] =
    side === 'buy' ? ['all_now', 'part_now'] : ['part_now', 'all_now'];
  return lives.includes(meant) || !lives.includes(other) ? meant : other;
}

/**
 * Life of an order (design.md section 4). `unknown` lasts until the venue's own word decides it
 * (L2).
 */
export type OrderState =
  | 'intended'
  | 'signed'
  | 'submitting'
  | 'live'
  | 'delayed'
  | 'matched'
  | 'unknown'
  | 'filled'
  | 'cancelled'
  | 'expired'
  | 'rejected';

/** States an order never leaves. */
const TERMINAL_ORDER_STATES: readonly OrderState[] = ['filled', 'cancelled', 'expired', 'rejected'];

/** How much was asked for, in micros of its unit. */
export interface OrderAmount {
  readonly unit: 'usdc' | 'shares';
  readonly micros: number;
}

/** Who wanted the order. */
export type OrderOrigin =
  /**
   * With the API key the call came by, where it was one, and what its person confirmed it by, where
   * they were asked.
   */
  | { readonly kind: 'manual'; readonly keyId?: string; readonly confirmationId?: string }
  | {
      readonly kind: 'agent';
      readonly agentId: AgentId;
      readonly decisionId: DecisionId;
      readonly purpose: 'entry' | 'exit';
    };

/**
 * What is to be traded, in terms every venue has, fixed once made. What else a venue wants said
 * lies in what is signed.
 */
export interface OrderIntent {
  readonly intentId: IntentId;
  readonly userId: UserId;
  readonly venue: VenueId;
  /**
   * As its market says how it is traded there, so that a restart asks the same part of the venue;
   * absent for the venue's sole or first mechanism.
   */
  readonly mechanism?: MechanismId;
  /** Whose USDC it spends or brings; its lock is held while it is made (L7). */
  readonly cashAccount: CashAccount;
  readonly origin: OrderOrigin;
  readonly marketId: MarketId;
  readonly tokenId: TokenId;
  readonly outcome: OutcomeIndex;
  readonly side: TradeSide;
  /** Set where shares that won are given for what they pay, once their market has ended. */
  readonly isRedemption?: true;
  readonly life: OrderLife;
  /**
   * Set where this service keeps the order until its price is there, for a venue that keeps none:
   * what goes out for it are attempts at what is left of it. Absent where the venue keeps it, and
   * for what does not rest.
   */
  readonly restsAt?: 'service' | undefined;
  /** Worst acceptable price of a market order, the resting price of a limit order. */
  readonly price: PriceTicks;
  /** Buy: USDC paid at most, fees not included. Sell: shares given. */
  readonly spendMicros: number;
  /** Buy: shares received at least. Sell: USDC received at least. */
  readonly receiveMicros: number;
  /** Which of the two the venue fills to; the other is a bound. */
  readonly exact: 'spend' | 'receive';
  readonly createdAtMs: number;
  /**
   * When a resting order ends, epoch ms as meant by us; null where it rests until it is cancelled,
   * and for orders that do not rest.
   */
  readonly expiresAtMs: number | null;
  /** After this moment the bytes are not sent (again); the request has gone stale. Epoch ms. */
  readonly sendUntilMs: number;
  /**
   * What was asked for, before the venue's steps made amounts of it; absent where it was not stated
   * one.
   */
  readonly requested?: OrderAmount;
  /**
   * The limit as it was asked for, where the venue's prices are asked for in whole cents; absent
   * elsewhere.
   */
  readonly requestedCents?: number;
  /** What the caller calls it; absent where they gave no name. */
  readonly clientOrderId?: string;
  /**
   * The trace it belongs to (`trace-context.ts`), with the span its own is below; absent where
   * nothing was traced. Never sent to a venue.
   */
  readonly traceparent?: string;
}

/** An attempt as its signer leaves it: its names and the exact bytes that go out, however often. */
export interface SignedAttempt {
  /** Fixed before anything leaves, unique for all time. */
  readonly attemptId: AttemptId;
  /** The venue's own id; null where only the venue can tell it. */
  readonly orderId: OrderId | null;
  /** The exact request body. Retries send these bytes and no others (L1). */
  readonly body: string;
  /**
   * The venue's own, what the bytes were made of beside the intent: opaque to all but its folder.
   */
  readonly extra: JsonValue;
}

/**
 * How an attempt ended: it is proven that it can never land, or it landed and all of it is
 * accounted for.
 */
interface AttemptEnd {
  readonly how: 'never' | 'done';
  readonly proof: string | null;
  /** Of one whose transaction failed, or whose fills do not state it, where its chain does. */
  readonly gas?: GasPaid;
  readonly atMs: number;
}

/** What an attempt at an order kept by this service is for: all that was left of it. */
export interface AttemptPart {
  readonly life: ImmediateLife;
  /** As of an intent. */
  readonly spendMicros: number;
  readonly receiveMicros: number;
  /** As of an intent; the order's own time is for being placed. */
  readonly sendUntilMs: number;
  /** What the order had got before. */
  readonly filledShares: ShareMicros;
  readonly filledUsdc: UsdcMicros;
}

/** One thing that went out, or is about to, for an intent. */
export interface OrderAttempt extends SignedAttempt {
  /** Absent where it is for the whole intent. */
  readonly part?: AttemptPart;
  readonly sends: number;
  readonly lastSentAtMs: number;
  /** Null while it may still land. */
  readonly ended: AttemptEnd | null;
}

/** An attempt and what it is for: a lookup after a lost answer may need more than an id. */
export interface OrderHandle {
  readonly intent: OrderIntent;
  readonly attempt: OrderAttempt;
}

/** What was set aside for an order before it was signed (L5). */
export interface Reservation {
  readonly usdc: UsdcMicros;
  readonly shares: ShareMicros;
}

/** The venue's word on how an order ended, kept while fills it speaks of are still on their way. */
export interface OrderEnding {
  readonly state: 'cancelled' | 'expired';
  readonly reason: string | null;
}

/** The durable record of one order. */
export interface OrderRecord {
  readonly intent: OrderIntent;
  /**
   * Oldest first; only the last may still land, and another follows the stored end of it alone
   * (L1). None: nothing has gone out yet.
   */
  readonly attempts: readonly OrderAttempt[];
  readonly state: OrderState;
  /** Why it ended or waits; the venue's words where there are some. */
  readonly reason: string | null;
  /**
   * Shares of all fills reported so far. A fill that later fails to settle stays counted here, and
   * in `reversedShares` as well.
   */
  readonly filledShares: ShareMicros;
  /** Those of them that are final; absent while none is. */
  readonly settledShares?: ShareMicros;
  /** Those of them that were taken back, for their trade failed; absent while none was. */
  readonly reversedShares?: ShareMicros;
  /** What those came to that were taken back; absent as `reversedShares`. */
  readonly reversedUsdc?: UsdcMicros;
  readonly reversedFeesUsdc?: UsdcMicros;
  readonly reversedFeeShares?: ShareMicros;
  /** USDC that changed hands in fills, fees not included. */
  readonly filledUsdc: UsdcMicros;
  readonly feesUsdc: UsdcMicros;
  /** Of filledShares, what venues kept as their fee; absent where nothing. */
  readonly feeShares?: ShareMicros;
  /** Shares the venue says were matched; fills may still be on their way. Null until it said so. */
  readonly matchedShares: ShareMicros | null;
  /**
   * Set when the venue has ended the order and not all matched shares have been reported as fills
   * yet; else null.
   */
  readonly ending: OrderEnding | null;
  /** What is still set aside. */
  readonly reserved: Reservation;
  readonly cancelWanted: boolean;
  /** Absent where its owner, or the agent that placed it, asked for the cancel. */
  readonly cancelledBy?: 'stop';
  readonly updatedAtMs: number;
}

/** What fills of an order come to. */
export interface FilledAmounts {
  readonly shares: ShareMicros;
  /** Fees not included. */
  readonly usdc: UsdcMicros;
  readonly fees: UsdcMicros;
  /** Of the shares, what the venue kept as its fee. */
  readonly feeShares: ShareMicros;
}

/** Returns what an order has come to without the fills that were taken back. */
export function keptAmounts(record: OrderRecord): FilledAmounts {
  return {
    shares: shareMicros(record.filledShares - (record.reversedShares ?? 0)),
    usdc: usdcMicros(record.filledUsdc - (record.reversedUsdc ?? 0)),
    fees: usdcMicros(record.feesUsdc - (record.reversedFeesUsdc ?? 0)),
    feeShares: shareMicros((record.feeShares ?? 0) - (record.reversedFeeShares ?? 0)),
  };
}

/** True for an order that waits at the venue until it is filled, cancelled or expired. */
export function isResting({ life }: Pick<OrderIntent, 'life'>): boolean {
  return life === 'rests';
}

/** True once the order can change no more. */
export function isTerminal(state: OrderState): boolean {
  return TERMINAL_ORDER_STATES.includes(state);
}

/** Returns the newest attempt; null before the first. */
export function lastAttempt({ attempts }: Pick<OrderRecord, 'attempts'>): OrderAttempt | null {
  return attempts.at(-1) ?? null;
}

/** Returns the attempt that may still land; null without one. */
export function openAttempt(record: Pick<OrderRecord, 'attempts'>): OrderAttempt | null {
  const last = lastAttempt(record);
  return last?.ended === null ? last : null;
}

/** Reports whether an order waits with this service and nothing of it is out. */
export function isAtRest(record: OrderRecord): boolean {
  return (
    record.intent.restsAt === 'service' && !isTerminal(record.state) && openAttempt(record) === null
  );
}

/** Returns until when the bytes of an order may leave, epoch ms. */
export function sendUntilOf({ intent, attempts }: OrderRecord): number {
  return attempts.at(-1)?.part?.sendUntilMs ?? intent.sendUntilMs;
}

/**
 * Returns the order with one more attempt, signed and about to leave for the first time. The one
 * before it must have ended (L1).
 */
export function withAttempt(
  attempts: readonly OrderAttempt[],
  signed: SignedAttempt & Pick<OrderAttempt, 'part'>,
  atMs: number,
): readonly OrderAttempt[] {
  assert(attempts.at(-1)?.ended !== null, `attempt ${signed.attemptId} follows one that may land`);
  return [...attempts, { ...signed, sends: 1, lastSentAtMs: atMs, ended: null }];
}

/** Returns the attempts with the last one changed. */
export function withLastAttempt(
  attempts: readonly OrderAttempt[],
  change: Partial<Pick<OrderAttempt, 'orderId' | 'sends' | 'lastSentAtMs' | 'ended' | 'part'>>,
): readonly OrderAttempt[] {
  const last = attempts.at(-1);
  return last === undefined ? attempts : [...attempts.slice(0, -1), { ...last, ...change }];
}

/**
 * Keeps what the network took for an attempt that has ended, once: of one whose transaction failed,
 * and of one whose fills do not state it.
 */
export function withGas(
  record: OrderRecord,
  attemptId: AttemptId,
  gas: GasPaid | undefined,
): OrderRecord {
  const isPaid = ({ attemptId: id, ended }: OrderAttempt): boolean =>
    id === attemptId && ended !== null && ended.gas === undefined;
  if (gas === undefined || !record.attempts.some(isPaid)) return record;
  const attempts = record.attempts.map((attempt) =>
    isPaid(attempt) && attempt.ended !== null
      ? { ...attempt, ended: { ...attempt.ended, gas } }
      : attempt,
  );
  return { ...record, attempts };
}

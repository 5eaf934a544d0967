import { assert } from './errors.ts';
import { feeWorth, sharesMoved, type FillRecord } from './fill.ts';
import type { AgentId } from './ids.ts';
import type { Market } from './market.ts';
import type { PositionRecord, PositionState } from './position.ts';
import { mulDiv, shareMicros, usdcMicros, type UsdcMicros } from './units.ts';

/** What a new position takes from elsewhere than its fill. */
export interface PositionTerms {
  readonly market: Pick<Market, 'question' | 'eventTitle' | 'outcomes' | 'endsAtMs'>;
  /** Agent whose order opened it; null when opened manually. */
  readonly agentId: AgentId | null;
}

/** The part of a fill that positions are made of. */
export type PositionFill = Pick<
  FillRecord,
  | 'userId'
  | 'cashAccount'
  | 'marketId'
  | 'tokenId'
  | 'outcome'
  | 'side'
  | 'shares'
  | 'usdc'
  | 'fee'
  | 'feeShares'
  | 'matchedAtMs'
>;

/**
 * Folds one fill into a position, null before its first. Average cost: a sale takes its share
 * of the cost with it. The cost of what stays is rounded down to whole micros and the rest is
 * realised, so that at every moment realised P&L − open cost = money in − money out, fees included,
 * to the micro. Should a sale be reported before its purchase, shares are negative for that time,
 * cost nothing, and the purchase realises its price.
 */
export function foldFill(
  position: PositionRecord | null,
  fill: PositionFill,
  terms: PositionTerms,
): PositionRecord {
  const before = position ?? emptyPosition(fill, terms);
  assert(
    before.tokenId === fill.tokenId && before.userId === fill.userId,
    `fill of token ${fill.tokenId} folds into its own position`,
  );
  const isBuy = fill.side === 'buy';
  const paid = isBuy ? fill.usdc + fill.fee : fill.fee - fill.usdc;
  const shares = before.shares + (isBuy ? sharesMoved(fill) : -fill.shares);
  const cost = costAfter(before, fill, shares);
  return {
    ...before,
    ...lifeAfter(before, shares, fill),
    shares: shareMicros(shares),
    costUsdc: usdcMicros(cost),
    realizedPnl: usdcMicros(before.realizedPnl - paid + cost - before.costUsdc),
    feesUsdc: usdcMicros(before.feesUsdc + feeWorth(fill)),
  };
}

/**
 * Folds all fills of one token anew: after a reversal, since an average cannot be unpicked. Leave
 * the reversed fills out and keep the order in which they were recorded; null when none is left.
 * What the old position had been marked as (`closing`, `resolved`) is the caller's to set again.
 */
export function foldFills(
  fills: readonly PositionFill[],
  terms: PositionTerms,
): PositionRecord | null {
  return fills.reduce<PositionRecord | null>(
    (position, fill) => foldFill(position, fill, terms),
    null,
  );
}

/**
 * Marks a position whose market paid its outcome something: `resolved` until paid. A lost one stays
 * as it is until `foldPayout`.
 */
export function foldResolution(position: PositionRecord, payoutTicks: number): PositionRecord {
  return position.shares > 0 && payoutTicks > 0 && position.state !== 'redeeming'
    ? { ...position, state: 'resolved' }
    : position;
}

/** Marks a resolved position whose shares are being redeemed, or gives up on that for now. */
export function foldRedeeming(position: PositionRecord, isRedeeming: boolean): PositionRecord {
  const state = isRedeeming ? 'redeeming' : 'resolved';
  return position.shares > 0 && position.state !== state ? { ...position, state } : position;
}

/**
 * Ends a position with what its market paid for all its shares, zero when they lost: `redeemed` or
 * `lost`, and the money less their cost is realised. One that was sold before stays `closed`.
 */
export function foldPayout(
  position: PositionRecord,
  payoutUsdc: number,
  atMs: number,
): PositionRecord {
  if (position.shares === 0) return position;
  assert(
    position.shares > 0,
    `position in ${position.tokenId} has every purchase before it is paid`,
  );
  return {
    ...position,
    state: payoutUsdc > 0 ? 'redeemed' : 'lost',
    shares: shareMicros(0),
    costUsdc: usdcMicros(0),
    realizedPnl: usdcMicros(position.realizedPnl + payoutUsdc - position.costUsdc),
    closedAtMs: atMs,
  };
}

/**
 * Ends a position whose shares are no longer in the Safe: what they cost is realised as a loss, and
 * what their owner got for them came as a deposit.
 */
export function foldGone(position: PositionRecord, atMs: number): PositionRecord {
  assert(position.shares > 0, `position in ${position.tokenId} held shares before they were gone`);
  return {
    ...position,
    state: 'removed',
    shares: shareMicros(0),
    costUsdc: usdcMicros(0),
    realizedPnl: usdcMicros(position.realizedPnl - position.costUsdc),
    closedAtMs: atMs,
  };
}

/** Shares that came, above zero, or went past this service. */
export type PositionMove = Pick<
  PositionRecord,
  'userId' | 'cashAccount' | 'marketId' | 'tokenId' | 'outcome'
> & { readonly shares: number; readonly atMs: number };

/**
 * Folds shares that came or went past this service: what came has cost nothing here, what went
 * takes its part of the cost with it, which is realised as a loss. Ends a position that has none
 * left: `removed`.
 */
export function foldMove(
  position: PositionRecord | null,
  move: PositionMove,
  market: PositionTerms['market'],
): PositionRecord {
  const { atMs } = move;
  const fresh = { ...move, matchedAtMs: atMs };
  const before = position ?? emptyPosition(fresh, { market, agentId: null });
  const shares = before.shares + move.shares;
  assert(shares >= 0, `position in ${move.tokenId} held what went: ${before.shares}`);
  const cost =
    move.shares >= 0 ? before.costUsdc : mulDiv(before.costUsdc, shares, before.shares, 'floor');
  return {
    ...before,
    ...(shares === 0
      ? { state: 'removed' as const, closedAtMs: atMs }
      : before.shares === 0
        ? { state: 'open' as const, openedAtMs: atMs, closedAtMs: null }
        : {}),
    shares: shareMicros(shares),
    costUsdc: usdcMicros(cost),
    realizedPnl: usdcMicros(before.realizedPnl + cost - before.costUsdc),
    isMoved: true,
  };
}

/**
 * Takes some of a resolved position's shares out for what was paid for them; their part of the cost
 * goes with them. Ends it when none is left.
 */
export function foldPartPayout(
  position: PositionRecord,
  part: { readonly shares: number; readonly usdc: number },
  atMs: number,
): PositionRecord {
  assert(
    part.shares > 0 && part.shares <= position.shares,
    `a payout of at most the ${position.shares} shares held, not ${part.shares}`,
  );
  if (part.shares === position.shares) return foldPayout(position, part.usdc, atMs);
  const shares = position.shares - part.shares;
  const cost = mulDiv(position.costUsdc, shares, position.shares, 'floor');
  return {
    ...position,
    state: 'resolved',
    shares: shareMicros(shares),
    costUsdc: usdcMicros(cost),
    realizedPnl: usdcMicros(position.realizedPnl + part.usdc - position.costUsdc + cost),
  };
}

/**
 * Gives a position back the shares that were paid out, with the cost that went with them, since the
 * payout was not carried out after all: they are to be redeemed again.
 */
export function foldUnpaid(
  position: PositionRecord,
  part: Pick<PositionRecord, 'shares' | 'costUsdc'> & { readonly usdc: UsdcMicros },
): PositionRecord {
  return {
    ...position,
    state: 'resolved',
    shares: shareMicros(position.shares + part.shares),
    costUsdc: usdcMicros(position.costUsdc + part.costUsdc),
    realizedPnl: usdcMicros(position.realizedPnl - part.usdc + part.costUsdc),
    closedAtMs: null,
  };
}

function costAfter(before: PositionRecord, fill: PositionFill, sharesAfter: number): number {
  if (sharesAfter <= 0) return 0;
  if (fill.side === 'sell') return mulDiv(before.costUsdc, sharesAfter, before.shares, 'floor');
  const paid = fill.usdc + fill.fee;
  return before.shares >= 0
    ? before.costUsdc + paid
    : mulDiv(paid, sharesAfter, sharesMoved(fill), 'floor');
}

function lifeAfter(
  before: PositionRecord,
  shares: number,
  fill: PositionFill,
): Pick<PositionRecord, 'state' | 'openedAtMs' | 'closedAtMs'> {
  const { matchedAtMs: atMs } = fill;
  if (shares === 0) {
    const state = isRedeemedBy(before, fill) ? 'redeemed' : 'closed';
    return { state, openedAtMs: before.openedAtMs, closedAtMs: atMs };
  }
  const isOver: readonly PositionState[] = ['closed', 'redeemed', 'lost', 'removed'];
  if (!isOver.includes(before.state)) return before;
  return { state: 'open', openedAtMs: atMs, closedAtMs: null };
}

function isRedeemedBy({ state }: PositionRecord, fill: PositionFill): boolean {
  return (state === 'resolved' || state === 'redeeming') && isForWholeDollars(fill);
}

/**
 * What won is given for a dollar a share by an order, at venues that pay so: no trade has that
 * price, and one before the end may be reported after it.
 */
export function isForWholeDollars({
  side,
  shares,
  usdc,
}: Pick<PositionFill, 'side' | 'shares' | 'usdc'>): boolean {
  return side === 'sell' && Number(usdc) === Number(shares);
}

function emptyPosition(
  fill: Pick<
    PositionFill,
    'userId' | 'cashAccount' | 'marketId' | 'tokenId' | 'outcome' | 'matchedAtMs'
  >,
  { market, agentId }: PositionTerms,
): PositionRecord {
  return {
    userId: fill.userId,
    cashAccount: fill.cashAccount,
    marketId: fill.marketId,
    tokenId: fill.tokenId,
    outcome: fill.outcome,
    question: market.question,
    ...(market.eventTitle === undefined ? {} : { eventTitle: market.eventTitle }),
    outcomeLabel: market.outcomes[fill.outcome].label,
    agentId,
    state: 'open',
    shares: shareMicros(0),
    costUsdc: usdcMicros(0),
    realizedPnl: usdcMicros(0),
    feesUsdc: usdcMicros(0),
    openedAtMs: fill.matchedAtMs,
    endsAtMs: market.endsAtMs,
    closedAtMs: null,
  };
}

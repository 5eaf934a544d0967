import { backOffMs } from './back-off.ts';
import type { CashAccount } from './cash.ts';
import type { LedgerAsset } from './ledger.ts';
import type { OrderIntent } from './order.ts';

/**
 * A venue's word against our ledger: it refuses for want of funds what the ledger has. Most often a
 * reservation of its own that never went away (survival.md, phantom-reservation). Until it takes an
 * order again the funds are not offered.
 */
export interface FundsDispute {
  readonly asset: LedgerAsset;
  /** Orders refused in a row. */
  readonly refusals: number;
  /** The venue's words of the last refusal. */
  readonly reason: string;
  /**
   * Whose wallet, by the venue's word, has not let it take the funds, until that is mended; null
   * where it is not about that.
   */
  readonly lacksAllowanceOf: CashAccount | null;
  readonly sinceMs: number;
  /** From then on one order may find out whether the venue still disagrees. */
  readonly retryAtMs: number;
}

/** How long a dispute pauses: doubled with each refusal, up to a maximum. Milliseconds. */
export interface DisputePause {
  readonly firstMs: number;
  readonly maximumMs: number;
}

/** What an order spends: its account's USDC for a buy, the outcome's shares for a sale. */
export function spentAsset({
  side,
  cashAccount,
  tokenId,
}: Pick<OrderIntent, 'side' | 'cashAccount' | 'tokenId'>): LedgerAsset {
  return side === 'buy' ? cashAccount : tokenId;
}

/** The dispute after one more refusal; null before the first. */
export function withRefusal(
  before: FundsDispute | null,
  refusal: Pick<FundsDispute, 'asset' | 'reason' | 'lacksAllowanceOf'> & { readonly atMs: number },
  pause: DisputePause,
): FundsDispute {
  const refusals = (before?.refusals ?? 0) + 1;
  const pauseMs = backOffMs(refusals - 1, pause);
  return {
    asset: refusal.asset,
    refusals,
    reason: refusal.reason,
    lacksAllowanceOf: refusal.lacksAllowanceOf,
    sinceMs: before?.sinceMs ?? refusal.atMs,
    retryAtMs: refusal.atMs + pauseMs,
  };
}

/**
 * The dispute once the allowance it was about has been given anew: one order may find out at once;
 * the next pause is as long as it would have been.
 */
export function withAllowance(dispute: FundsDispute, atMs: number): FundsDispute {
  return { ...dispute, lacksAllowanceOf: null, retryAtMs: Math.min(dispute.retryAtMs, atMs) };
}

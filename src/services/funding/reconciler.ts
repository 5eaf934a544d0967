import { RECONCILE } from '../../../config/limits/funds.ts';
import { isCashAccount, SAFE_CASH } from '../../domain/cash.ts';
import { isRetryable } from '../../domain/errors.ts';
import type { Address, TokenId, UserId } from '../../domain/ids.ts';
import { cashRisk } from '../../domain/risk.ts';
import { payoutMicros } from '../../domain/ledger-entries.ts';
import {
  distanceOf,
  mismatchOf,
  type BookedAmount,
  type Mismatch,
} from '../../domain/reconcile.ts';
import { MICROS_PER_UNIT, shareMicros } from '../../domain/units.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EvmChain } from '../../ports/evm.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Store } from '../../ports/store.ts';
import { isLacking } from '../books/restores.ts';
import { balanceOf, riskOf } from '../books/record-changes.ts';
import { createPauses } from '../pauses.ts';
import { allUsers } from '../sign-in/all-users.ts';
import { POSITIONS, RESOLUTIONS } from '../books/tables.ts';
import type { MoneyContracts } from '../wallets/contracts.ts';
import type { ChainExplanations } from './chain-explanations.ts';
import type { OrphanedUsdc } from './orphaned-usdc.ts';

/** What one round over all users came to. */
interface ReconcileReport {
  readonly users: number;
  /** Users whose chain did not answer: they are compared in the next round. */
  readonly unanswered: number;
  readonly mismatched: readonly UserId[];
}

/**
 * Proves that the ledger is what the chain says, for every user, at the start and on a schedule;
 * what differs and the chain proves is booked.
 */
export interface Reconciler {
  /** Begins with a round at once; one follows another until `stop`. */
  start(): void;
  /**
   * One round over every user. A difference that is seen RECONCILE.sightings times in a row is
   * looked up in the chain, which may explain it; what is left counts, and once what its owner's
   * own key has moved out. Plain dollars that lie in a Safe are set on their way to be collateral.
   */
  round(): Promise<ReconcileReport>;
  /** Compares one user once; nothing is booked. Errors: `chain_unavailable`. */
  compare(userId: UserId): Promise<readonly Mismatch[]>;
  stop(): void;
}

/** Makes the reconciler. */
export function createReconciler(
  deps: Pick<Runtime, 'store' | 'log' | 'metrics'> & {
    readonly chain: Pick<EvmChain, 'balances' | 'shares'>;
    readonly contracts: Pick<MoneyContracts, 'collateral' | 'conditionalTokens'>;
    readonly safeOf: (userId: UserId) => Address;
    readonly explanations: ChainExplanations;
    readonly orphans: OrphanedUsdc;
    /** Wall time, which is also the chain's. */
    readonly clock: Clock;
  },
): Reconciler {
  const { store, log, metrics, chain, contracts, safeOf, explanations, orphans, clock } = deps;
  const { pause, isOver, stop } = createPauses(clock);

  /**
   * The chain first, then the books: what is booked in between is on its way, or explained by the
   * next sighting.
   */
  async function compare(userId: UserId) {
    const safe = safeOf(userId);
    const tokenIds = tokensInSafe(store, userId);
    const {
      tokens: [usdc = 0n, ...plain],
    } = await chain.balances(safe, [contracts.collateral, ...orphans.tokens]);
    const shares: bigint[] = [];
    for (let from = 0; from < tokenIds.length; from += RECONCILE.tokensPerQuestion) {
      const asked = tokenIds.slice(from, from + RECONCILE.tokensPerQuestion);
      shares.push(...(await chain.shares(safe, contracts.conditionalTokens, asked)));
    }
    const checks = [
      mismatchOf(SAFE_CASH, bookedUsdc(store, userId), Number(usdc)),
      ...tokenIds.map((tokenId, index) =>
        mismatchOf(tokenId, bookedShares(store, userId, tokenId), Number(shares[index] ?? 0n)),
      ),
    ];
    return { mismatches: checks.filter((check) => check !== null), plain };
  }

  /** What stays unexplained through every sighting; null when the chain did not answer. */
  async function prove(userId: UserId): Promise<readonly Mismatch[] | null> {
    let seen: readonly Mismatch[] = [];
    for (let sighting = 1; sighting <= RECONCILE.sightings && !isOver(); sighting += 1) {
      if (sighting > 1) await pause(RECONCILE.sightingPauseMs);
      try {
        seen = await compareAndTend(userId);
      } catch (cause) {
        if (!isRetryable(cause)) log.error({ userId, cause }, 'money.not_comparable');
        return null;
      }
      if (seen.length === 0) break;
    }
    return seen.length === 0 || isOver() ? seen : explained(userId, seen);
  }

  /** Plain dollars are no difference: the books never had them. */
  async function compareAndTend(userId: UserId): Promise<readonly Mismatch[]> {
    const { mismatches, plain } = await compare(userId);
    if (plain.some((amount) => amount > 0n)) {
      await orphans
        .tend(userId, plain)
        .catch((cause: unknown) => log.warn({ userId, cause }, 'money.orphans_not_wrapped'));
    }
    return mismatches;
  }

  /** What is left of a difference once the chain was asked where it comes from. */
  async function explained(
    userId: UserId,
    seen: readonly Mismatch[],
  ): Promise<readonly Mismatch[] | null> {
    if (seen.every(({ asset }) => asset !== SAFE_CASH) || isLacking(store, userId)) return seen;
    try {
      const { arrived, departed } = await explanations.explain(userId);
      // Money that left past us is in the books now, and the operator must hear of it all the same:
      // a key may be stolen.
      return departed > 0 || arrived === 0 ? seen : await compareAndTend(userId);
    } catch (cause) {
      log.warn({ userId, cause }, 'money.not_explained');
      return seen;
    }
  }

  async function round(): Promise<ReconcileReport> {
    const mismatched: UserId[] = [];
    let offMicros = 0;
    let users = 0;
    let unanswered = 0;
    for (const userId of allUsers(store)) {
      if (isOver()) break;
      const found = await prove(userId);
      users += 1;
      if (found === null) unanswered += 1;
      else if (found.length > 0) {
        mismatched.push(userId);
        for (const mismatch of found)
          if (isCashAccount(mismatch.asset)) offMicros += distanceOf(mismatch);
        log.error({ userId, mismatches: found }, 'money.mismatched');
      }
      await pause(RECONCILE.paceMs);
    }
    metrics.gauge('money_reconciled_users', users - unanswered);
    metrics.gauge('money_mismatched_users', mismatched.length);
    metrics.gauge('money_mismatch_usdc', offMicros / MICROS_PER_UNIT);
    // A round that was called off, or that no chain answered, has compared nothing.
    if (!isOver() && (users === 0 || unanswered < users))
      metrics.gauge('money_reconciled_timestamp_seconds', clock.nowMs() / 1_000);
    return { users, unanswered, mismatched };
  }

  async function run(): Promise<void> {
    while (!isOver()) {
      const { users, unanswered, mismatched } = await round();
      log.info({ users, unanswered, mismatched: mismatched.length }, 'money.reconciled');
      await pause(RECONCILE.intervalMs);
    }
  }

  return {
    start: () =>
      void run().catch((cause: unknown) => log.error({ cause }, 'money.reconciler_ended')),
    round,
    async compare(userId) {
      return (await compare(userId)).mismatches;
    },
    stop,
  };
}

function tokensInSafe(store: Store, userId: UserId): readonly TokenId[] {
  return store
    .range(POSITIONS, { prefix: [userId] })
    .filter(({ value }) => value.shares !== 0 && value.cashAccount === SAFE_CASH)
    .slice(0, RECONCILE.tokensMaximum)
    .map(({ value }) => value.tokenId);
}

function bookedUsdc(store: Store, userId: UserId): BookedAmount {
  const brings = store
    .range(POSITIONS, { prefix: [userId] })
    .filter(({ value: { cashAccount } }) => cashAccount === SAFE_CASH)
    .reduce((sum, { value: { state, shares, marketId, outcome } }) => {
      const resolution =
        state === 'redeeming' ? store.get(RESOLUTIONS, [marketId])?.value : undefined;
      return resolution === undefined
        ? sum
        : sum + payoutMicros(shareMicros(shares), resolution.payoutTicks[outcome]);
    }, 0);
  return {
    ...balanceOf(store, userId, SAFE_CASH),
    outgoing: cashRisk(riskOf(store, userId), SAFE_CASH).outgoingUsdc,
    redeemed: { brings, takes: 0 },
  };
}

function bookedShares(store: Store, userId: UserId, tokenId: TokenId): BookedAmount {
  const balance = balanceOf(store, userId, tokenId);
  const isRedeeming = store.get(POSITIONS, [userId, tokenId])?.value.state === 'redeeming';
  return {
    ...balance,
    outgoing: riskOf(store, userId).tokens[tokenId]?.outgoingShares ?? 0,
    redeemed: { brings: 0, takes: isRedeeming ? balance.settled : 0 },
  };
}

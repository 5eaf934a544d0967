import { createActor, type Actor } from 'xstate';
import { SWAP } from '../../../config/limits/tokens.ts';
import { toActorClock } from '../../../machines/actor-clock.ts';
import { withSwapPoll, type swapMachine } from '../../../machines/swap.ts';
import { asId, type SwapId, type UserId } from '../../domain/ids.ts';
import { isSwapOver, type SwapRecord } from '../../domain/swap.ts';
import type { Page, PageQuery } from '../../ports/catalogue.ts';
import { newestPage } from '../newest-page.ts';
import { transactionByKey } from '../transactions/transaction-records.ts';
import { purposeFor } from '../transactions/transaction-requests.ts';
import { createLateSwaps } from './late-swaps.ts';
import type { SwapDeps } from './swap-deps.ts';
import { executeQuote, type SwapExecution } from './swap-execution.ts';
import { estimateSwap, type SwapEstimate } from './swap-estimate.ts';
import { pollSwap } from './swap-poll.ts';
import { makeQuote, type QuoteRequest } from './swap-quoting.ts';
import { createSwapQuotes, type SwapQuote } from './swap-quotes.ts';
import { readSwap } from './swap-records.ts';
import { OPEN_SWAPS, SWAPS } from './tables.ts';

/** Swaps and bridges between a user's own wallets, through the router. */
export interface Swaps {
  /**
   * Asks the router, and holds what it offers to what was asked for. Errors: `invalid_request`,
   * `ambiguous_token`, `not_found`, `no_route`, `amount_too_small`, `quote_refused` with what is
   * wrong with the offer, `router_unavailable`, `chain_unavailable`, `rate_limited`.
   */
  quote(userId: UserId, request: QuoteRequest): Promise<SwapQuote>;
  /**
   * Executes a quote once: simulates it, queues its approval and its swap in one change, and
   * resolves with the end or with how far it is after some seconds. Errors, nothing being signed:
   * `not_found`, `quote_expired`, `quote_refused`, `insufficient_funds`, `trading_stopped`,
   * `fresh_sign_in_required` beyond what may leave in a day, `limit_reached`, `chain_unavailable`,
   * `store_unavailable`.
   */
  execute(userId: UserId, request: SwapExecution): Promise<SwapRecord>;
  /**
   * Says what executing a quote would do now, and what it would be refused for. Nothing is made,
   * and the quote stays good. Errors: `not_found`, `quote_expired`.
   */
  estimate(userId: UserId, request: Omit<SwapExecution, 'key'>): Promise<SwapEstimate>;
  /** One swap of this user; null for an unknown one and for another user's. */
  get(userId: UserId, swapId: SwapId): SwapRecord | null;
  /** A user's swaps, newest first. Errors: `invalid_request` for an invalid cursor. */
  list(userId: UserId, page: PageQuery): Page<SwapRecord>;
  /** The start: follows every swap that has not ended (L9). Returns how many. */
  recover(): number;
  stop(): void;
}

/** Makes the service. Nothing runs before `recover` or an execution. */
export function createSwaps(given: Omit<SwapDeps, 'quotes'>): Swaps {
  const deps = { ...given, quotes: createSwapQuotes(given.clock) };
  const { store, clock, log, transactions } = deps;
  const running = new Map<SwapId, Actor<typeof swapMachine>>();
  const waiting = new Map<SwapId, Set<() => void>>();
  const actorClock = toActorClock(clock);
  const late = createLateSwaps(deps);
  const machine = withSwapPoll((place) => late.noting(place, pollSwap(deps, place)));
  let isStopped = false;

  function follow(userId: UserId, swapId: SwapId): void {
    if (isStopped || running.has(swapId)) return;
    const actor = createActor(machine, { input: { userId, swapId }, clock: actorClock });
    running.set(swapId, actor);
    actor.subscribe({
      complete() {
        running.delete(swapId);
        late.forget(swapId);
        for (const notify of waiting.get(swapId) ?? []) notify();
      },
      error: (cause) => log.error({ userId, swapId, cause }, 'swap.actor_failed'),
    });
    actor.start();
  }

  function settled({ userId, swapId }: SwapRecord): Promise<SwapRecord> {
    return new Promise((resolve) => {
      const finish = (): void => {
        timer.cancel();
        waiting.get(swapId)?.delete(finish);
        if (waiting.get(swapId)?.size === 0) waiting.delete(swapId);
        resolve(readSwap(store, userId, swapId));
      };
      const timer = clock.after(SWAP.answerWithinMs, finish);
      waiting.set(swapId, (waiting.get(swapId) ?? new Set()).add(finish));
      if (isSwapOver(readSwap(store, userId, swapId).state)) finish();
    });
  }

  return {
    quote: (userId, request) => makeQuote(deps, userId, request),
    async execute(userId, request) {
      const made = transactionByKey(store, userId, request.key);
      const record =
        made === null
          ? await executeQuote(deps, userId, request)
          : readSwap(store, userId, purposeFor(made, 'swap').data.swapId);
      transactions.wake(userId);
      if (!isSwapOver(record.state)) follow(userId, record.swapId);
      return settled(record);
    },
    estimate: (userId, request) => estimateSwap(deps, userId, request),
    get: (userId, swapId) => store.get(SWAPS, [userId, swapId])?.value ?? null,
    list: (userId, page) => newestPage(store, SWAPS, userId, page),
    recover() {
      const open = store.range(OPEN_SWAPS);
      for (const { key } of open)
        follow(asId<UserId>(String(key[0])), asId<SwapId>(String(key[1])));
      return open.length;
    },
    stop() {
      isStopped = true;
      for (const actor of running.values()) actor.stop();
      running.clear();
      for (const finish of [...waiting.values()].flatMap((set) => [...set])) finish();
    },
  };
}

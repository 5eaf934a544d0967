import type { MarketId, OrderId, TokenId, Address } from '../../domain/ids.ts';
import { mulDiv, priceTicks, shareMicros, TICKS_PER_USD, usdcMicros } from '../../domain/units.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Runtime } from '../../ports/runtime.ts';
import { VENUE_MODEL } from '../../../config/limits/sandbox.ts';
import { createApiKeys, type ApiKeys } from './api-keys.ts';
import { ALL_ALLOWED, endUnallowed, shownAllowances, type Allowances } from './allowances.ts';
import {
  escrowAccount,
  type AccountName,
  type Funds,
  type SavedHolding,
} from '../exchange/accounts.ts';
import {
  emptyMarket,
  emptyState,
  endOrder,
  isMakerOwner,
  post,
  rememberMarket,
  viewOf,
  type ActivityEntry,
  type EngineState,
  type MarketState,
  type SettlementTimes,
} from './engine-state.ts';
import type {
  EngineTrade,
  Exchange,
  ExchangeEvent,
  ExchangeMarket,
  OrderView,
} from './exchange-types.ts';
import {
  restore,
  takeChanges,
  takeSnapshot,
  type DurableRecord,
  type ExchangeSnapshot,
} from './durable.ts';
import type { FaultBoard } from '../faults.ts';
import { deposit, recordActivity, split, withdraw } from './funding.ts';
import { takeChainNews } from './chain-news.ts';
import type { ChainNews, Settler } from './settler.ts';
import { fillByMaker } from './maker-fill.ts';
import { REFUSALS } from './order-rules.ts';
import { placeOrder } from './placing.ts';
import { settleNow, type RunScheduled } from './settlement.ts';

/** The exchange with what its servers ask beyond the model's own calls. */
export interface VenueModel extends Exchange {
  readonly clock: Clock;
  readonly faults: FaultBoard;
  readonly keys: ApiKeys;
  /** An order by its hash, finished ones included; null when unknown. */
  order(orderId: OrderId): OrderView | null;
  /** Orders of these owners that are live or delayed, oldest first. */
  openOrders(owners: ReadonlySet<string>): readonly OrderView[];
  /** Trades these owners or addresses take part in, newest first. */
  tradesOf(parties: ReadonlySet<string>): readonly EngineTrade[];
  /** Every trade remembered, newest first. */
  trades(): readonly EngineTrade[];
  markets(): readonly ExchangeMarket[];
  /** Payouts of a resolved market in ticks; null before. */
  payout(marketId: MarketId): readonly [number, number] | null;
  lastTrade(marketId: MarketId): MarketState['lastTrade'];
  /** Size resting at a price of the market's first token. */
  levelSize(marketId: MarketId, side: 'buy' | 'sell', price: number): number;
  /** A balance as the venue's checks see it: the cached one while the cache is stale. */
  funds(address: Address, holding: 'usdc' | TokenId): Funds;
  refreshFunds(address: Address): void;
  holders(tokenId: TokenId): readonly { readonly account: AccountName; readonly balance: number }[];
  /** Deposits, withdrawals and redemptions of an address, oldest first. */
  activityOf(address: Address): readonly ActivityEntry[];
  /**
   * Turns collateral into equal shares of both outcomes; throws when the address has too little.
   */
  split(address: Address, marketId: MarketId, shares: number): void;
  /**
   * Takes collateral out of the venue; orders it backed are cancelled as INVALID. Throws when there
   * is too little.
   */
  withdraw(address: Address, usdc: number): void;
  /** What the chain says, where a settler works on one. */
  takeNews(news: ChainNews): void;
  /**
   * What these accounts let the venue take has changed: their resting orders that lack it now end.
   */
  allowancesChanged(accounts: ReadonlySet<Address>): void;
  /**
   * What an address lets each contract of the venue take, micros: its collateral, or its shares of
   * a token.
   */
  allowances(
    address: Address,
    holding: 'usdc' | TokenId,
  ): readonly (readonly [spender: Address, micros: bigint])[];
  /** What accounts that live on the chain hold; those of the model alone are not among them. */
  chainHoldings(): readonly SavedHolding[];
  /** Sum of a holding over all accounts, the venue's own included. */
  total(holding: 'usdc' | TokenId): number;
  /** All that must outlive the process, as plain JSON. */
  snapshot(): ExchangeSnapshot;
}

/**
 * Makes a model venue, empty or from a snapshot. Same seed and same calls give the same trades, to
 * the id.
 */
export function createExchange(
  options: Pick<Runtime, 'clock' | 'random'> & {
    readonly faults: FaultBoard;
    readonly settlement?: SettlementTimes;
    /** Settles users' trades; absent: the times do. */
    readonly settler?: Settler;
    /** What users let the venue take; absent: all they have. */
    readonly allowances?: Allowances;
    /** What an earlier run kept. */
    readonly snapshot?: ExchangeSnapshot;
    /**
     * Receives what changed, before the call that changed it returns: an acknowledged order is
     * never forgotten.
     */
    onDurableChange?(records: readonly DurableRecord[]): void;
  },
): VenueModel {
  const settlement = options.settlement ?? {
    minedAfterMs: VENUE_MODEL.minedAfterDefaultMs,
    confirmedAfterMs: VENUE_MODEL.confirmedAfterDefaultMs,
  };
  const state = emptyState({
    clock: options.clock,
    random: options.random,
    faults: options.faults,
    settlement,
    settler: options.settler ?? null,
    allowances: options.allowances ?? ALL_ALLOWED,
  });
  const report = (records: readonly DurableRecord[]) => options.onDurableChange?.(records);
  const keys = createApiKeys({
    random: options.random,
    nowMs: () => options.clock.nowMs(),
    changed: (key) => report([{ kind: 'key', key }]),
  });
  const turn = createTurn(state, report);
  if (options.snapshot !== undefined) restore(state, keys, options.snapshot, turn.run);
  const snapshot = () => takeSnapshot(state, keys);
  return {
    clock: options.clock,
    faults: options.faults,
    keys,
    snapshot,
    ...readers(state),
    ...actions(state, turn),
    subscribe: turn.subscribe,
  };
}

interface Turn {
  /** Runs engine work to its end, then tells the listeners what happened, in order. */
  run<Result>(work: () => Result): Result;
  subscribe(listener: (event: ExchangeEvent) => void): () => void;
}

/**
 * Keeps listeners out of half-done work: what they call back into the engine is queued behind what
 * they are being called.
 */
function createTurn(state: EngineState, report: (records: readonly DurableRecord[]) => void): Turn {
  const listeners = new Set<(event: ExchangeEvent) => void>();
  let depth = 0;
  const deliver = () => {
    for (let event = state.outbox.shift(); event !== undefined; event = state.outbox.shift()) {
      for (const listener of listeners) listener(event);
    }
  };
  return {
    run(work) {
      depth += 1;
      try {
        const result = work();
        if (depth > 1) return result;
        deliver();
        const changes = takeChanges(state);
        if (changes.length > 0) report(changes);
        return result;
      } finally {
        depth -= 1;
      }
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

type Actions = Pick<
  VenueModel,
  | 'listMarket'
  | 'resolve'
  | 'deposit'
  | 'withdraw'
  | 'split'
  | 'place'
  | 'cancel'
  | 'refreshFunds'
  | 'takeNews'
  | 'allowancesChanged'
>;

function actions(state: EngineState, { run }: Turn): Actions {
  const scheduled: RunScheduled = run;
  return {
    listMarket: (market) => run(() => listMarket(state, market)),
    resolve: (marketId, payoutTicks) => run(() => resolveMarket(state, marketId, payoutTicks)),
    deposit: (address, usdc) => run(() => deposit(state, address, usdc)),
    withdraw: (address, usdc) => run(() => withdraw(state, address, usdc)),
    split: (address, marketId, shares) => run(() => split(state, address, { marketId, shares })),
    place: (order) => run(() => placeOrder(state, order, scheduled)),
    cancel: (owner, orderId) => run(() => cancelOrder(state, { owner, orderId }, scheduled)),
    takeNews: (news) => run(() => takeChainNews(state, news)),
    allowancesChanged: (accounts) => run(() => endUnallowed(state, accounts)),
    refreshFunds: (address) => state.accounts.refresh(address),
  };
}

type Readers = Omit<
  VenueModel,
  keyof Actions | 'clock' | 'faults' | 'keys' | 'snapshot' | 'subscribe'
>;

function readers(state: EngineState): Readers {
  return {
    market: (marketId) => state.markets.get(marketId)?.market ?? null,
    marketOfToken: (tokenId) => state.marketByToken.get(tokenId)?.market ?? null,
    markets: () => [...state.markets.values()].map(({ market }) => market),
    payout: (marketId) => state.markets.get(marketId)?.payoutTicks ?? null,
    levelSize: (marketId, side, price) =>
      state.markets.get(marketId)?.book.sizeAt(side === 'buy' ? 'bid' : 'ask', price) ?? 0,
    lastTrade: (marketId) => state.markets.get(marketId)?.lastTrade ?? null,
    balanceOf: (address) => usdcMicros(state.accounts.balance(address, 'usdc')),
    sharesOf: (address, tokenId) => shareMicros(state.accounts.balance(address, tokenId)),
    funds: (address, holding) => state.accounts.visible(address, holding),
    allowances: (address, holding) => shownAllowances(state, address, holding),
    holders: (tokenId) => [...state.accounts.holders(tokenId)],
    chainHoldings: () => state.accounts.save().filter(({ account }) => state.onChain.has(account)),
    total: (holding) => state.accounts.total(holding),
    activityOf: (address) => state.activity.filter(({ account }) => account === address),
    book(tokenId) {
      const market = state.marketByToken.get(tokenId);
      return market === undefined
        ? { bids: [], asks: [] }
        : market.book.view(outcomeOf(market, tokenId));
    },
    lastTradePrice(tokenId) {
      const market = state.marketByToken.get(tokenId);
      if (market === undefined || market.lastTrade === null) return null;
      const { firstPrice } = market.lastTrade;
      return priceTicks(outcomeOf(market, tokenId) === 0 ? firstPrice : TICKS_PER_USD - firstPrice);
    },
    order(orderId) {
      const record = state.orders.get(orderId);
      return record === undefined ? null : viewOf(record);
    },
    openOrders(owners) {
      const open = [...owners].flatMap((owner) => [...(state.openByOwner.get(owner) ?? [])]);
      return open.map(viewOf).sort((a, b) => a.createdAtMs - b.createdAtMs);
    },
    tradesOf(parties) {
      const records = new Set([...parties].flatMap((name) => state.tradesByParty.get(name) ?? []));
      // Reversed first: the sort is stable, so trades of one millisecond come newest first as well.
      return [...records]
        .map(({ trade }) => trade)
        .reverse()
        .sort((a, b) => b.matchedAtMs - a.matchedAtMs);
    },
    trades: () => [...state.trades.values()].map(({ trade }) => trade).reverse(),
  };
}

function outcomeOf({ market }: MarketState, tokenId: TokenId): 0 | 1 {
  return market.tokens[0] === tokenId ? 0 : 1;
}

function listMarket(state: EngineState, market: ExchangeMarket): void {
  if (state.markets.has(market.marketId)) return;
  const fresh = emptyMarket(market);
  const retired = rememberMarket(state, fresh);
  state.dirty.markets.add(fresh);
  if (retired !== null) state.outbox.push({ kind: 'market_retired', ...retired });
  state.outbox.push({ kind: 'market_listed', market });
}

function cancelOrder(
  state: EngineState,
  { owner, orderId }: { readonly owner: string; readonly orderId: OrderId },
  run: RunScheduled,
): ReturnType<Exchange['cancel']> {
  const record = state.orders.get(orderId);
  if (record === undefined || record.order.owner !== owner)
    return { cancelled: false, reason: REFUSALS.gone };
  if (record.status === 'DELAYED') return { cancelled: false, reason: REFUSALS.delayed };
  const subject = { owner, orderId, marketId: record.marketId, address: record.order.maker };
  if (
    record.status === 'LIVE' &&
    !isMakerOwner(owner) &&
    state.faults.take('fill-races-cancel', subject) !== null
  )
    fillByMaker(state, record, run);
  if (record.status !== 'LIVE') return { cancelled: false, reason: REFUSALS.gone };
  if (!isMakerOwner(owner) && state.faults.take('cancel-already-gone', subject) !== null)
    return { cancelled: false, reason: REFUSALS.gone };
  const suffix = isMakerOwner(owner) ? null : state.faults.take('reason-suffix', subject);
  endOrder(state, record, 'CANCELED', suffix === null ? null : 'user requested');
  return { cancelled: true };
}

function resolveMarket(
  state: EngineState,
  marketId: MarketId,
  payoutTicks: readonly [number, number],
): void {
  const market = state.markets.get(marketId);
  if (market === undefined || market.payoutTicks !== null)
    throw new RangeError(`market ${marketId} cannot be resolved`);
  if (
    payoutTicks[0] + payoutTicks[1] !== TICKS_PER_USD ||
    payoutTicks.some((ticks) => !Number.isInteger(ticks) || ticks < 0)
  ) {
    throw new RangeError(`not payouts: ${payoutTicks.join(' and ')}`);
  }
  const open = [...state.orders.values()].filter(
    (record) =>
      record.marketId === marketId && (record.status === 'LIVE' || record.status === 'DELAYED'),
  );
  for (const record of open) endOrder(state, record, 'CANCELED_MARKET_RESOLVED', null);
  for (const record of state.trades.values())
    if (record.trade.marketId === marketId) settleNow(state, record);
  market.payoutTicks = payoutTicks;
  for (const [outcome, tokenId] of market.market.tokens.entries())
    redeemAll(state, market, { tokenId, payout: payoutTicks[outcome] ?? 0 });
  state.dirty.markets.add(market);
  state.outbox.push({ kind: 'market_resolved', marketId, payoutTicks });
}

/** Pays every holder of a token; what rounding leaves stays in the market's escrow. */
function redeemAll(
  state: EngineState,
  { market }: MarketState,
  { tokenId, payout }: { tokenId: TokenId; payout: number },
): void {
  for (const { account, balance } of state.accounts.holders(tokenId)) {
    // On a chain holders redeem themselves.
    if (state.onChain.has(account)) continue;
    const paid =
      balance < 0
        ? -mulDiv(-balance, payout, TICKS_PER_USD, 'ceil')
        : mulDiv(balance, payout, TICKS_PER_USD, 'floor');
    post(state, [
      { account, holding: tokenId, micros: -balance },
      { account, holding: 'usdc', micros: paid },
      { account: escrowAccount(market.marketId), holding: 'usdc', micros: -paid },
    ]);
    recordActivity(state, {
      kind: 'REDEEM',
      account,
      usdcMicros: paid,
      sharesMicros: balance,
      marketId: market.marketId,
      tokenId,
    });
  }
}

import { CONTRACT_VENUE } from '../../../../../config/limits/sandbox.ts';
import type { Clock, Timer } from '../../../../ports/clock.ts';
import type { SolanaChain } from '../../../chains/solana/chain.ts';
import type { FaultBoard } from '../../../faults.ts';
import { planPurchase, planSale, type FillPlan } from '../model/fill-plan.ts';
import type { Listing, OutcomeSide } from '../model/listing.ts';
import type { MarketModel } from '../model/market-model.ts';
import type { OpenedOrder, Orders, OrderTerms } from './orders.ts';
import { CONTRACT_MICROS, type Settlement } from './settlement.ts';

/** Closes orders until it is stopped. */
export interface Keeper {
  stop(): void;
}

const NOTHING: FillPlan = {
  contracts: 0,
  costMicros: 0,
  feeMicros: 0,
  worstTicks: null,
  taken: new Map(),
};

/**
 * Starts to close what is open: a moment after an opening is confirmed, it is filled from the book
 * of that moment, and what is left goes back.
 */
export function startKeeper({
  clock,
  chain,
  orders,
  settlement,
  model,
  faults,
  isMaintenance,
  feeScale,
}: {
  /** Wall time: it works on the chain. */
  readonly clock: Clock;
  readonly chain: SolanaChain;
  readonly orders: Orders;
  readonly settlement: Settlement;
  readonly model: MarketModel;
  readonly faults: FaultBoard;
  readonly isMaintenance: () => boolean;
  /** Factor of every fee; 0 trades without. */
  readonly feeScale: number;
}): Keeper {
  const dueAtMs = new Map<string, number>();
  const planned = new Map<string, FillPlan>();
  let timer: Timer | null = null;

  const due = ({ terms }: OpenedOrder): number => {
    const known = dueAtMs.get(terms.id);
    if (known !== undefined) return known;
    const slow = faults.take('slow-fill', subjectOf(terms))?.delayOr(SLOW_FILL_MS) ?? 0;
    dueAtMs.set(terms.id, clock.nowMs() + slow);
    return clock.nowMs() + slow;
  };
  const check = (): void => {
    timer = null;
    for (const order of orders.open()) {
      const isSettled = chain.commitmentOf(order.opening) !== 'processed';
      if (!isSettled || due(order) > clock.nowMs()) continue;
      const { id } = order.terms;
      const plan =
        planned.get(id) ?? planOf({ model, faults, isMaintenance, feeScale }, order.terms);
      planned.set(id, plan);
      close(order, plan);
      dueAtMs.delete(id);
      planned.delete(id);
    }
    watch();
  };
  const close = ({ terms }: OpenedOrder, plan: FillPlan): void => {
    const listing = listingOf(model, terms);
    const { contracts } = plan;
    const executed = settlement.close({ ...terms, listing, plan });
    const isDone = executed.kind === 'landed' && executed.transaction.error === null;
    if (isDone && contracts > 0 && terms.kind !== 'redeem')
      model.bookFill({ listing, side: terms.side, action: terms.kind, plan });
    // Who cannot be given what was bought (an account that is closed, say) gets the input back.
    if (!isDone && contracts > 0) settlement.close({ ...terms, listing, plan: NOTHING });
  };
  const watch = (): void => {
    if (orders.open().length > 0) timer ??= clock.after(CONTRACT_VENUE.keeperCheckMs, check);
  };
  orders.onOpened(watch);
  watch();
  return { stop: () => timer?.cancel() };
}

/** A slow fill takes so long unless its rule says otherwise. */
const SLOW_FILL_MS = 10_000;

/** What is filled of an order now. */
function planOf(
  {
    model,
    faults,
    isMaintenance,
    feeScale,
  }: {
    readonly model: MarketModel;
    readonly faults: FaultBoard;
    readonly isMaintenance: () => boolean;
    readonly feeScale: number;
  },
  terms: OrderTerms,
): FillPlan {
  const { kind, side, amount, limitTicks } = terms;
  const listing = listingOf(model, terms);
  if (kind === 'redeem') return redemption(model, listing, terms);
  if (faults.take('reverted-fill', subjectOf(terms)) !== null || isMaintenance()) return NOTHING;
  const book = model.book(listing);
  if (book === null) return NOTHING;
  const feeMultiplier = model.seriesOf(listing).feeMultiplier * feeScale;
  const isPartial = faults.take('partial-fill', subjectOf(terms)) !== null;
  if (kind === 'sell') {
    const wanted = Math.floor(amount / CONTRACT_MICROS);
    return planSale(book[side], {
      contracts: isPartial ? half(wanted) : wanted,
      floorTicks: limitTicks,
      feeMultiplier,
    });
  }
  const purchase = { budgetMicros: amount, capTicks: limitTicks, feeMultiplier };
  const plan = planPurchase(book[otherSide(side)], purchase);
  return isPartial ? fewer(book[otherSide(side)], plan, purchase) : plan;
}

/** The same purchase for half of the contracts. */
function fewer(
  bids: Parameters<typeof planPurchase>[0],
  whole: FillPlan,
  purchase: Parameters<typeof planPurchase>[1],
): FillPlan {
  let left = half(whole.contracts);
  const short = new Map<number, number>();
  for (const [price, size] of bids) {
    if (left === 0) break;
    short.set(price, Math.min(size, left));
    left -= Math.min(size, left);
  }
  return planPurchase(short, purchase);
}

function redemption(model: MarketModel, listing: Listing, { side, amount }: OrderTerms): FillPlan {
  const { result, redemption: rail } = model.state(listing);
  return rail === 'open' && result === side
    ? { ...NOTHING, contracts: Math.floor(amount / CONTRACT_MICROS) }
    : NOTHING;
}

function listingOf(model: MarketModel, { ticker }: OrderTerms): Listing {
  const listing = model.market(ticker);
  if (listing === null) throw new Error(`${ticker} is listed as long as it has tokens`);
  return listing;
}

function subjectOf({ ticker, user }: OrderTerms): {
  readonly marketId: string;
  readonly address: string;
} {
  return { marketId: ticker, address: user };
}

function half(contracts: number): number {
  return Math.max(1, Math.floor(contracts / 2));
}

/** The outcome that is not this one. */
export function otherSide(side: OutcomeSide): OutcomeSide {
  return side === 'yes' ? 'no' : 'yes';
}

import type { BookTop, BookView } from '../../domain/book.ts';
import type { FillLeg } from '../../domain/fill.ts';
import type { UserId } from '../../domain/ids.ts';
import { keyDayLeft } from '../../domain/key-limits.ts';
import type { Market } from '../../domain/market.ts';
import { isResting, type OrderIntent, type Reservation } from '../../domain/order.ts';
import { rest, takeVisible } from '../../domain/paper-fill.ts';
import { askedBy, roomFor, type RiskCaps, type Room } from '../../domain/reservation.ts';
import { worthMicros } from '../../domain/token-amount.ts';
import {
  costMicros,
  mulDiv,
  priceTicks,
  shareMicros,
  usdcMicros,
  type ShareMicros,
  type UsdcMicros,
} from '../../domain/units.ts';
import type { VenueTraits } from '../../domain/venue.ts';
import { web3Chain, type Web3ChainId } from '../../domain/web3-chains.ts';
import type { OrderRules } from '../../ports/order-rules.ts';
import type { StoreReader } from '../../ports/store.ts';
import type { OrderGas } from '../../ports/venue.ts';
import { refusalOf, type Refusal } from '../refusal.ts';
import type { TradedVenue } from '../venues.ts';
import { keySpendOf } from '../api-keys/key-spends.ts';
import { riskOf } from '../books/record-changes.ts';
import { bookFault, draftIntent, type DraftDeps } from './order-draft.ts';
import { assertAdmissible, keyChargeOf, riskRequestOf } from './admission.ts';
import type { PlaceOrder } from './place-order.ts';

/** What placing an order would do, and what it would be refused for. */
export interface OrderEstimate {
  /** As placing would make it: its price is the worst it may trade at. */
  readonly intent: OrderIntent;
  readonly market: Market;
  /** What would trade at once, against the book as it is shown. */
  readonly shares: ShareMicros;
  readonly usdc: UsdcMicros;
  /** What would rest at the order's price. */
  readonly restingShares: ShareMicros;
  /** Of all of it; where it is paid in shares, their worth. */
  readonly fee: UsdcMicros;
  /** What of the shares the venue keeps as its fee; 0 where that is paid in money. */
  readonly feeShares: ShareMicros;
  /** The largest that may be charged, whatever the book has become. */
  readonly worstFee: UsdcMicros;
  /**
   * What the network takes: 0 where the order costs no gas; null where its chain does not tell, or
   * its coin has no price now.
   */
  readonly networkCost: UsdcMicros | null;
  /** The same in the chain's coin; null where an order costs none, or its chain does not tell. */
  readonly gas: OrderGas | null;
  /** What placing sets aside until the venue's proof. */
  readonly setsAside: Reservation;
  /** What balances and caps leave before the order. */
  readonly room: Room;
  /** What the API key it came by may still spend in the day; null where no such limit binds. */
  readonly keyDayUsdc: number | null;
  /** Null where it would be taken. */
  readonly refusal: Refusal | null;
  /** Null where no book of the outcome is kept. */
  readonly book: EstimateBook | null;
}

/** The book an estimate was made from; one that is not trusted was not used. */
interface EstimateBook extends BookTop {
  readonly ageMs: number;
  readonly isTrusted: boolean;
}

/** Dollars for a chain's own coin, times 10^18; null where none is known that is fresh. */
export type CoinPrice = (chain: Web3ChainId) => bigint | null;

/** What is estimated, and where. */
export interface EstimateInput {
  readonly venue: TradedVenue;
  readonly market: Market;
  readonly request: PlaceOrder;
  /** Refuses what placing would refuse before it looks at the order; run as one of the checks. */
  readonly assertReady: () => void;
  /** What its chain tells; `none` where it takes nothing, null where it does not tell. */
  readonly gas: OrderGas | 'none' | null;
  /** Has a refusal say what placing says of it. */
  readonly explain: (error: unknown) => unknown;
}

/**
 * Returns what placing the order would do now. It reads only, and asks what placing asks: the same
 * draft, the same admission, the same reservation. Errors: as `Orders.place` for market, price,
 * size and book; what its user or the venue would refuse is `refusal`.
 */
export function estimateOrder(
  deps: DraftDeps & {
    readonly store: StoreReader;
    readonly coinPrice: CoinPrice;
    /** Of the operator, for each user. */
    readonly caps: RiskCaps;
  },
  userId: UserId,
  { venue, market, request, assertReady, gas: stated, explain }: EstimateInput,
): OrderEstimate {
  const { store, caps, clock } = deps;
  const { rules, traits } = venue;
  const gas = stated === 'none' ? null : stated;
  const intent = draftIntent(deps, userId, {
    venue,
    market,
    request,
    requestedAtMs: clock.nowMs(),
  });
  const view = venue.books(intent.tokenId);
  const fault = bookFault(clock, intent.tokenId, view);
  const book = fault === null ? view : null;
  const legs = book === null ? [] : takeVisible(intent, book, traits.fillStepMicros).legs;
  const shares = shareMicros(legs.reduce((sum, leg) => sum + leg.shares, 0));
  const restingShares = isResting(intent) ? rest(intent, book, shares).remaining : shareMicros(0);
  const risk = riskOf(store, userId);
  const wanted = riskRequestOf(store, { intent, market, request, rules, caps });
  const fee = usdcMicros(
    rules.feeOf(market, legs, 'taker') +
      rules.feeOf(
        market,
        [{ shares: restingShares, price: intent.price }],
        // What this service keeps takes from the book when its price is there.
        intent.restsAt === 'service' ? 'taker' : 'maker',
      ),
  );
  return {
    intent,
    market,
    shares,
    usdc: usdcMicros(
      legs.reduce((sum, leg) => sum + costMicros(leg.shares, leg.price, 'floor'), 0),
    ),
    restingShares,
    fee,
    feeShares: keptShares(intent, rules, { fee, legs }),
    worstFee: usdcMicros(
      Math.max(
        fee,
        intent.side === 'buy' ? wanted.worstFee : worstSaleFee(rules, market, intent, legs),
      ),
    ),
    networkCost: networkCostOf(stated, traits, deps.coinPrice),
    gas,
    setsAside: askedBy(wanted),
    ...keyRoom(store, intent, roomFor(risk, wanted)),
    refusal: refusedBy(() => {
      assertReady();
      // What this service keeps is made a transaction of when its price is there.
      if (gas !== null && gas.lacking !== null && intent.restsAt !== 'service') throw gas.lacking;
      assertAdmissible(store, { intent, market, request, rules, caps });
    }, explain),
    book: view === null ? null : bookOf(view, clock.nowMs(), fault === null),
  };
}

/** Shares that a purchase of these legs leaves as its fee; 0 where that is paid in money. */
function keptShares(
  { side }: OrderIntent,
  { keepsSharesOfBuyers }: Pick<OrderRules, 'keepsSharesOfBuyers'>,
  { fee, legs }: { readonly fee: UsdcMicros; readonly legs: readonly FillLeg[] },
): ShareMicros {
  const shares = legs.reduce((sum, leg) => sum + leg.shares, 0);
  const usdc = legs.reduce((sum, leg) => sum + costMicros(leg.shares, leg.price, 'floor'), 0);
  return shareMicros(
    side === 'buy' && keepsSharesOfBuyers === true && usdc > 0
      ? mulDiv(fee, shares, usdc, 'floor')
      : 0,
  );
}

/** What the network takes in all; null where gas is not known, or the price of its coin. */
function networkCostOf(
  gas: EstimateInput['gas'],
  { networkCostMicros }: Pick<VenueTraits, 'networkCostMicros'>,
  coinPrice: CoinPrice,
): UsdcMicros | null {
  if (gas === 'none') return networkCostMicros === null ? null : usdcMicros(networkCostMicros);
  const worth = gas === null ? null : worthOf(gas, coinPrice);
  return worth === null ? null : usdcMicros(worth + (networkCostMicros ?? 0));
}

/** What gas is worth, rounded up; null where the price of its coin is not known. */
function worthOf(gas: OrderGas, coinPrice: CoinPrice): UsdcMicros | null {
  const priceE18 = coinPrice(gas.chain);
  if (priceE18 === null) return null;
  const { decimals } = web3Chain(gas.chain).native;
  return usdcMicros(Number(worthMicros(gas.amount, decimals, priceE18) + 1n));
}

/** What a key leaves of the room, where the order came by one. */
function keyRoom(
  store: StoreReader,
  intent: OrderIntent,
  room: Room,
): Pick<OrderEstimate, 'room' | 'keyDayUsdc'> {
  const charge = keyChargeOf(intent, { usdc: usdcMicros(0) });
  if (charge === null) return { room, keyDayUsdc: null };
  const spend = keySpendOf(store, charge);
  const { orderUsdc } = spend.limits;
  const tightest =
    orderUsdc === null ? room.orderUsdc : Math.min(orderUsdc, room.orderUsdc ?? orderUsdc);
  return { room: { ...room, orderUsdc: tightest }, keyDayUsdc: keyDayLeft(spend) };
}

/**
 * The largest fee of a sale between its worst price and the best it finds: what trades above that
 * brings more than it costs.
 */
function worstSaleFee(
  rules: OrderRules,
  market: Market,
  { price: worst, spendMicros, isRedemption }: OrderIntent,
  legs: readonly FillLeg[],
): number {
  let most = 0;
  // What won is paid whole.
  if (isRedemption === true) return most;
  for (let price: number = worst; price <= (legs[0]?.price ?? worst); price += market.tickSize)
    most = Math.max(
      most,
      rules.feeOf(
        market,
        [{ shares: shareMicros(spendMicros), price: priceTicks(price) }],
        'taker',
      ),
    );
  return most;
}

function refusedBy(check: () => void, explain: EstimateInput['explain']): Refusal | null {
  try {
    check();
    return null;
  } catch (error) {
    return refusalOf(explain(error));
  }
}

function bookOf(view: BookView, nowMs: number, isTrusted: boolean): EstimateBook {
  return {
    ageMs: Math.max(0, nowMs - view.receivedAtMs),
    isTrusted,
    bid: view.bids[0] ?? null,
    ask: view.asks[0] ?? null,
  };
}

import type { BookView } from '../domain/book.ts';
import type { FillLeg } from '../domain/fill.ts';
import type { Market } from '../domain/market.ts';
import type { ImmediateLife, OrderAmount, OrderIntent, TradeSide } from '../domain/order.ts';
import type { PriceTicks, ShareMicros, UsdcMicros } from '../domain/units.ts';

/** What was asked for, and the book it is priced by. */
export interface TermsQuestion {
  readonly market: Market;
  readonly side: TradeSide;
  readonly amount: OrderAmount;
  readonly type:
    | {
        readonly kind: 'market';
        readonly life: ImmediateLife;
        /**
         * A buy pays no more, a sale takes no less; absent, what the book asks and a little beyond.
         */
        readonly worstPrice?: PriceTicks;
        /** Trusted and fresh. */
        readonly book: BookView;
      }
    | { readonly kind: 'limit'; readonly price: PriceTicks };
}

/** Price and amounts of an order, by the venue's steps. */
export interface OrderTerms {
  /** Worst acceptable price of a market order, the resting price of a limit order. */
  readonly price: PriceTicks;
  /** Buy: USDC paid at most, fees not included. Sell: shares given. */
  readonly spendMicros: number;
  /** Buy: shares received at least. Sell: USDC received at least. */
  readonly receiveMicros: number;
  readonly exact: OrderIntent['exact'];
}

/** What is held of a token. */
export interface HeldShares {
  readonly shares: ShareMicros;
  /** Those of them that are final. */
  readonly settled: number;
}

/** A venue's rules for orders: pure, so that they are known before anything is asked. */
export interface OrderRules {
  /**
   * Refuses an amount with more decimals than an order keeps; `held` is what a sale takes from,
   * null where nothing is. Errors: `amount_off_step`.
   */
  assertStep(amount: OrderAmount, held: HeldShares | null): void;
  /**
   * Returns price and amounts. Errors: `price_off_tick`, `price_out_of_range`, `size_too_small`,
   * `amount_too_small`, `no_liquidity`, `invalid_request`.
   */
  terms(question: TermsQuestion): OrderTerms;
  /**
   * Returns what is left of a resting order after so much of it was filled, by the venue's steps;
   * null where that is too little to trade, and the order is done. The function is null where the
   * venue keeps resting orders.
   */
  readonly rest:
    | ((
        intent: OrderIntent,
        filled: { readonly shares: ShareMicros; readonly usdc: UsdcMicros },
      ) => Pick<OrderTerms, 'spendMicros' | 'receiveMicros'> | null)
    | null;
  /**
   * Returns the largest fee that a buy spending so much at a price or better can meet: set aside
   * with its money (L5).
   */
  worstFee(market: Market, spendMicros: number, price: PriceTicks): UsdcMicros;
  /**
   * Returns the most that a buy for a sum of money sets aside, its largest fee included, whatever
   * its price: more than the sum where fees come on top of it. Rises with the sum.
   */
  mostSetAside(market: Market, amountUsdc: UsdcMicros): UsdcMicros;
  /** Returns the fee of a trade by its legs, where the venue states none; 0 of no shares. */
  feeOf(market: Market, legs: readonly FillLeg[], role: 'maker' | 'taker'): UsdcMicros;
  /** Set where a buyer's fee is kept in shares: what `feeOf` returns is their worth. */
  readonly keepsSharesOfBuyers?: true;
}

import { asId, type Address } from '../../domain/ids.ts';
import type { Holding } from '../exchange/accounts.ts';
import { endOrder, isMakerOwner, marketOf, type EngineState } from './engine-state.ts';
import type { EngineOrder, ExchangeMarket } from './exchange-types.ts';
import { allowanceRefusal } from './order-rules.ts';
import { VENUE_CONTRACTS } from '../venues/venue-a/chain/chain-addresses.ts';

/**
 * What an account lets others take: its collateral for buys, its shares of every token for sales.
 */
export type AllowedAsset = 'collateral' | 'shares';

/**
 * Tells what accounts let the venue's contracts take. It answers at once: the engine decides
 * without waiting.
 */
export interface Allowances {
  /** Micros, `NO_END` for all there will ever be; zero for an account that has given nothing. */
  allowed(account: Address, asset: AllowedAsset, spender: Address): bigint;
}

/** The largest amount: an allowance given once and for all. */
export const NO_END = 2n ** 256n - 1n;

/** Everybody lets the venue take everything: a venue that holds its users' money itself. */
export const ALL_ALLOWED: Allowances = { allowed: () => NO_END };

const { exchange, negRiskExchange, negRiskAdapter } = VENUE_CONTRACTS;
const STANDARD = [asId<Address>(exchange)] as const;
const NEG_RISK = [asId<Address>(negRiskExchange), asId<Address>(negRiskAdapter)] as const;

/** Every contract that takes users' funds. */
export const SPENDERS: readonly Address[] = [...STANDARD, ...NEG_RISK];

/** An order that is to be taken in, or that rests. */
export interface AskedOrder {
  readonly order: EngineOrder;
  readonly market: ExchangeMarket;
  /** What it is to take, fee included, micros. */
  readonly needed: number;
}

/**
 * Returns the refusal of a new order whose account has not let the venue take so much (venue_a.md
 * sections 8.1 and 14.4); null when it has.
 */
export function allowanceRefused(state: EngineState, asked: AskedOrder): string | null {
  const { order, market, needed } = asked;
  if (isMakerOwner(order.owner)) return null;
  const subject = {
    owner: order.owner,
    address: order.maker,
    marketId: market.marketId,
    tokenId: order.tokenId,
    orderId: order.orderId,
  };
  if (state.faults.take('allowance-missing', subject) !== null)
    return allowanceRefusal({ spender: spendersOf(market)[0], allowance: 0n, matched: 0, needed });
  return shortage(state, asked);
}

function spendersOf({ negRisk }: ExchangeMarket): readonly [Address, ...Address[]] {
  return negRisk ? NEG_RISK : STANDARD;
}

function shortage(state: EngineState, { order, market, needed }: AskedOrder): string | null {
  const asset = order.side === 'buy' ? 'collateral' : 'shares';
  for (const spender of spendersOf(market)) {
    const allowance = state.allowances.allowed(order.maker, asset, spender);
    if (allowance === NO_END) continue;
    const matched = matchedMicros(state, order);
    if (BigInt(matched + needed) > allowance)
      return allowanceRefusal({ spender, allowance, matched, needed });
  }
  return null;
}

/**
 * What trades will still take of what an order would take from: they are matched and not settled.
 */
function matchedMicros(state: EngineState, { maker, side, tokenId }: EngineOrder): number {
  const holding = side === 'buy' ? 'usdc' : tokenId;
  const open = (state.tradesByParty.get(maker) ?? []).filter(
    ({ trade }) => trade.status === 'MATCHED' || trade.status === 'RETRYING',
  );
  return -open
    .flatMap(({ postings }) => postings)
    .filter(
      ({ account, holding: moved, micros }) => account === maker && moved === holding && micros < 0,
    )
    .reduce((sum, { micros }) => sum + micros, 0);
}

/**
 * Ends resting orders of accounts that have taken back what they let the venue take (venue_a.md
 * section 6.1).
 */
export function endUnallowed(state: EngineState, accounts: ReadonlySet<Address>): void {
  for (const records of state.openByOwner.values()) {
    for (const record of records) {
      if (record.status !== 'LIVE' || !accounts.has(record.order.maker)) continue;
      const { market } = marketOf(state, record.marketId);
      if (shortage(state, { order: record.order, market, needed: record.heldMicros }) !== null)
        endOrder(state, record, 'INVALID', 'not enough allowance');
    }
  }
}

/**
 * Returns what an account lets each contract take, as the balance interface shows it: nothing where
 * a fault says so.
 */
export function shownAllowances(
  state: EngineState,
  account: Address,
  holding: Holding,
): readonly (readonly [Address, bigint])[] {
  const isMissing = state.faults.isArmed(
    'allowance-missing',
    holding === 'usdc' ? { address: account } : { address: account, tokenId: holding },
  );
  return SPENDERS.map((spender) => [
    spender,
    isMissing
      ? 0n
      : state.allowances.allowed(account, holding === 'usdc' ? 'collateral' : 'shares', spender),
  ]);
}

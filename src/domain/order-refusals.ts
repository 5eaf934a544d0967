import type { ErrorCode } from './errors.ts';

/** What pricing and sizing an order may meet, whether it is placed or not. */
export const DRAFT_ERRORS = [
  'not_found',
  'market_closed',
  'market_not_ready',
  'market_not_supported',
  'price_off_tick',
  'price_out_of_range',
  'size_too_small',
  'amount_too_small',
  'amount_off_step',
  'book_untrusted',
  'no_liquidity',
  'preparation_timeout',
  'venue_unavailable',
  'venue_protocol',
] as const satisfies readonly ErrorCode[];

/** What placing an order by hand may meet. */
export const ORDER_ERRORS = [
  ...DRAFT_ERRORS,
  'insufficient_funds',
  'insufficient_shares',
  'funds_disputed',
  'cap_exceeded',
  'market_fenced',
  'wallet_not_ready',
  'verification_required',
  'trading_stopped',
  'lock_busy',
  'limit_reached',
  'venue_restricted',
  'chain_unavailable',
  'store_unavailable',
] as const satisfies readonly ErrorCode[];

/** What an order of an agent meets beyond that, and a fault of the program. */
export const AGENT_ORDER_ERRORS = [
  'already_traded',
  'agent_stopped',
  'agent_degraded',
  'internal',
] as const satisfies readonly ErrorCode[];

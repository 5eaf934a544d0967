/**
 * Codes a caller can act on. `src/http/errors.ts` maps each to an HTTP status and a sentence; MCP
 * uses the same table.
 */
export type ErrorCode =
  | 'invalid_request'
  | 'invalid_json'
  | 'body_too_large'
  | 'unsupported_media_type'
  | 'length_required'
  | 'headers_too_large'
  | 'unknown_setting'
  | 'setting_out_of_range'
  | 'unauthenticated'
  | 'token_expired'
  | 'token_invalid'
  | 'forbidden'
  | 'username_required'
  | 'username_taken'
  | 'code_invalid'
  | 'code_expired'
  | 'country_not_supported'
  | 'fresh_sign_in_required'
  | 'confirmation_required'
  | 'confirmation_ended'
  | 'api_key_invalid'
  | 'key_not_revoked'
  | 'account_not_empty'
  | 'too_many_attempts'
  | 'rate_limited'
  | 'overloaded'
  | 'not_owner'
  | 'shard_moving'
  | 'answer_lost'
  | 'not_found'
  | 'method_not_allowed'
  | 'upgrade_required'
  | 'conflict'
  | 'idempotency_mismatch'
  | 'request_in_progress'
  | 'market_closed'
  | 'market_not_ready'
  | 'market_not_supported'
  | 'price_off_tick'
  | 'price_out_of_range'
  | 'size_too_small'
  | 'amount_too_small'
  | 'amount_off_step'
  | 'no_liquidity'
  | 'book_untrusted'
  | 'feed_stale'
  | 'insufficient_funds'
  | 'insufficient_shares'
  | 'funds_disputed'
  | 'cap_exceeded'
  | 'market_fenced'
  | 'already_traded'
  | 'agent_not_ready'
  | 'agent_enabled'
  | 'agent_stopped'
  | 'trading_stopped'
  | 'agent_degraded'
  | 'lock_busy'
  | 'preparation_timeout'
  | 'wallet_not_ready'
  | 'verification_required'
  | 'transfer_in_progress'
  | 'settlement_pending'
  | 'order_unknown'
  | 'order_not_cancellable'
  | 'venue_unavailable'
  | 'venue_restricted'
  | 'venue_protocol'
  | 'funding_unavailable'
  | 'store_corrupt'
  | 'store_locked'
  | 'store_unavailable'
  | 'master_key_wrong'
  | 'config_invalid'
  | 'port_in_use'
  | 'chain_unavailable'
  | 'chain_reverted'
  | 'bridge_unavailable'
  | 'token_data_unavailable'
  | 'router_unavailable'
  | 'files_unavailable'
  | 'no_route'
  | 'quote_expired'
  | 'quote_refused'
  | 'price_late'
  | 'ambiguous_token'
  | 'push_unavailable'
  | 'sign_in_unavailable'
  | 'sign_in_refused'
  | 'code_required'
  | 'phone_required'
  | 'identity_taken'
  | 'limit_reached'
  | 'not_ready'
  | 'internal';

/** Where in the input a fault lies, and what it is. `path` is a JSON pointer such as "/price". */
export interface FieldError {
  readonly path: string;
  readonly message: string;
  /** What an order would be refused with for it; absent for a fault of the input. */
  readonly code?: ErrorCode;
}

/**
 * Why an order was refused that named the worst price it accepts, both as decimal text in dollars a
 * share: what its book reaches now, and that worst price.
 */
export interface MovedPrice {
  readonly price: string;
  readonly worstPrice: string;
}

/** Where a gateway hands a call on to that came to another shard. */
export interface Redirect {
  /** 0 to 1,023: its shard answers. */
  readonly slot: number;
  /** What the shard that was asked has found of the caller, for the other one; null: nothing. */
  readonly assertion: string | null;
}

/** What else travels with an error. */
export interface ErrorDetails {
  /** True when the same call may succeed later without a change. */
  readonly retryable?: boolean;
  readonly retryAfterMs?: number;
  readonly fields?: readonly FieldError[];
  /** Where the caller does what is missing. */
  readonly link?: string;
  readonly movedPrice?: MovedPrice;
  readonly redirect?: Redirect;
  readonly cause?: unknown;
}

/** A failure a caller can act on. The message holds ids and numbers, never secrets. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly retryAfterMs: number | null;
  readonly fields: readonly FieldError[];
  readonly link: string | null;
  /** Null for every other refusal. */
  readonly movedPrice: MovedPrice | null;
  /** Null unless another shard answers. */
  readonly redirect: Redirect | null;
  /** The trace of what was refused, for whoever asks about it; null where nothing was traced. */
  traceId: string | null = null;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'AppError';
    this.code = code;
    this.retryable = details.retryable ?? false;
    this.retryAfterMs = details.retryAfterMs ?? null;
    this.fields = details.fields ?? [];
    this.link = details.link ?? null;
    this.movedPrice = details.movedPrice ?? null;
    this.redirect = details.redirect ?? null;
  }
}

/** True for an AppError that says the same call may succeed later. */
export function isRetryable(error: unknown): boolean {
  return error instanceof AppError && error.retryable;
}

/**
 * Ends the process on a programmer's error: a state that cannot be, after which nothing may go on
 * (style.md, Errors).
 */
export function assert(condition: unknown, sentence: string): asserts condition {
  if (!condition) throw new Error(`invariant broken: ${sentence}`);
}

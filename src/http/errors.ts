import type { ErrorCode } from '../domain/errors.ts';

/** How an error code shows itself outside. */
export interface ErrorResponse {
  readonly status: number;
  /** Short sentence that is the same for every case of the code. */
  readonly title: string;
  /** How an MCP tool answers: as faulty arguments, as a failed tool, or as our own fault. */
  readonly mcp: 'invalid_params' | 'tool_error' | 'internal_error';
  /** False where the error's own sentence is about our service and stays inside. */
  readonly showsDetail: boolean;
}

/** The one table from error code to HTTP status, sentence and MCP error. */
export const ERROR_RESPONSES: Readonly<Record<ErrorCode, ErrorResponse>> = {
  invalid_request: input(400, 'The request is not valid.'),
  invalid_json: input(400, 'The body is not valid JSON.'),
  body_too_large: input(413, 'The body is too large.'),
  unsupported_media_type: input(415, 'The body is not in a form this takes.'),
  length_required: input(411, 'The body needs a Content-Length.'),
  headers_too_large: input(431, 'The headers are too large, or too many.'),
  unknown_setting: input(422, 'There is no such setting.'),
  setting_out_of_range: input(422, 'A setting is out of its range.'),
  unauthenticated: refusal(401, 'Sign in first: send "Authorization: Bearer <token>".'),
  token_expired: refusal(401, 'The token has expired; refresh it.'),
  token_invalid: refusal(401, 'The token is not valid.'),
  forbidden: refusal(403, 'This is not yours to use.'),
  username_required: refusal(403, 'Choose a username first: PUT /api/user/profile.'),
  username_taken: refusal(409, 'The username, or one that looks like it, is taken.'),
  code_invalid: refusal(401, 'The code is not right.'),
  code_expired: refusal(410, 'The code is no longer valid; ask for a new one.'),
  code_required: refusal(403, 'This needs a one-time code.'),
  phone_required: refusal(409, 'This needs a phone in your account.'),
  country_not_supported: input(422, 'Codes are not sent to numbers of this country.'),
  fresh_sign_in_required: refusal(403, 'Sign in again for this.'),
  confirmation_required: refusal(403, 'The person must confirm this first.'),
  confirmation_ended: refusal(410, 'There is nothing to confirm any more.'),
  api_key_invalid: refusal(401, 'The API key is not valid.'),
  key_not_revoked: refusal(409, 'Revoke the key before you delete it.'),
  account_not_empty: refusal(409, 'Your account still holds something.'),
  too_many_attempts: refusal(429, 'Too many attempts.'),
  rate_limited: refusal(429, 'Too many requests; slow down.'),
  overloaded: refusal(503, 'The service has more to do than it can; come back in a moment.'),
  not_owner: refusal(421, 'Another process answers for this at the moment.'),
  shard_moving: refusal(503, 'Another process is taking over; come back in a moment.'),
  answer_lost: refusal(503, 'The answer was lost; the call may have been carried out.'),
  not_found: refusal(404, 'There is no such thing.'),
  method_not_allowed: refusal(405, 'The path does not take this method.'),
  upgrade_required: input(426, 'This path takes WebSockets alone.'),
  conflict: refusal(409, 'Another call changed this at the same moment; read it again.'),
  idempotency_mismatch: input(422, 'This Idempotency-Key was used with another request.'),
  request_in_progress: refusal(
    409,
    'The first request with this Idempotency-Key is still running.',
  ),
  market_closed: refusal(409, 'The market takes no more orders.'),
  market_not_ready: refusal(409, 'The market does not take orders yet.'),
  market_not_supported: refusal(409, 'The market is of a kind that is not traded here.'),
  price_off_tick: input(422, "The price is not on the market's tick."),
  price_out_of_range: input(422, 'The price is out of range.'),
  size_too_small: input(422, "The size is below the market's minimum."),
  amount_too_small: input(422, 'The amount is too small.'),
  amount_off_step: input(422, 'The amount has more decimals than an order keeps.'),
  no_liquidity: refusal(409, 'The other side is not offered now.'),
  book_untrusted: refusal(503, 'The order book cannot be trusted at this moment.'),
  feed_stale: refusal(503, 'A price feed is stale.'),
  insufficient_funds: refusal(422, 'You do not have enough money for this.'),
  insufficient_shares: refusal(422, 'There are not enough shares.'),
  funds_disputed: refusal(
    409,
    'The venue or the chain does not show funds the ledger has; trading of them is paused.',
  ),
  cap_exceeded: refusal(422, 'A limit on size, exposure, open positions or loss forbids this.'),
  market_fenced: refusal(409, 'An earlier order in this market awaits the answer of the venue.'),
  already_traded: refusal(409, 'This agent has traded this market.'),
  agent_not_ready: refusal(409, 'The agent cannot be enabled yet.'),
  wallet_not_ready: refusal(409, 'Your wallet is not ready for this yet.'),
  verification_required: refusal(403, 'The venue wants to know who you are before you buy there.'),
  agent_enabled: refusal(409, 'The agent is enabled in the other mode; disable it first.'),
  agent_stopped: refusal(409, 'The agent is not enabled.'),
  trading_stopped: refusal(409, 'Buying is stopped; sales and cancels go on.'),
  agent_degraded: refusal(
    503,
    'The agent holds back: something it relies on cannot be trusted now.',
  ),
  lock_busy: refusal(429, 'Too many trades of yours are waiting.'),
  preparation_timeout: refusal(503, 'The order could not be prepared in time; nothing was sent.'),
  transfer_in_progress: refusal(409, 'Another transfer to your Safe is under way.'),
  settlement_pending: refusal(409, 'A trade of this market is not final yet.'),
  order_unknown: refusal(409, 'What became of the order is not known yet.'),
  order_not_cancellable: refusal(409, 'The order can no longer be cancelled.'),
  venue_unavailable: refusal(503, 'The venue cannot be reached.'),
  venue_restricted: refusal(403, 'The venue does not allow this.'),
  venue_protocol: refusal(502, 'The venue answered something without meaning.'),
  funding_unavailable: refusal(503, 'Funding is not available now.'),
  chain_unavailable: refusal(503, 'The chain does not answer now.'),
  chain_reverted: refusal(422, 'The chain refused this call.'),
  bridge_unavailable: refusal(503, 'The bridge does not answer now.'),
  token_data_unavailable: refusal(503, 'Token data is not to be had now.'),
  no_route: refusal(409, 'The router has no way from the one token to the other now.'),
  quote_expired: refusal(410, 'The quote is no longer good; ask for a new one.'),
  quote_refused: refusal(409, 'What the router offers is not safe to sign.'),
  price_late: refusal(503, 'A price this needs is late; ask again in a moment.'),
  ambiguous_token: input(422, 'The ticker names no single token here; name it by its address.'),
  router_unavailable: refusal(503, 'The swap and bridge router does not answer now.'),
  files_unavailable: refusal(503, 'The store of public files does not answer now.'),
  store_corrupt: fault(500, 'The service has an internal problem.'),
  store_locked: fault(503, 'The service has an internal problem.'),
  store_unavailable: fault(503, 'The service cannot store anything at this moment.'),
  master_key_wrong: fault(500, 'The service has an internal problem.'),
  config_invalid: fault(500, 'The service has an internal problem.'),
  port_in_use: fault(500, 'The service has an internal problem.'),
  limit_reached: refusal(409, 'A limit of the service is reached.'),
  push_unavailable: refusal(503, 'Messages to browsers are not to be had here.'),
  sign_in_unavailable: refusal(503, 'This way of signing in is not available now.'),
  sign_in_refused: refusal(401, 'This sign-in is not accepted.'),
  identity_taken: refusal(409, 'This way of signing in belongs to another account.'),
  not_ready: refusal(503, 'The service is not ready.'),
  internal: fault(500, 'The service has an internal problem.'),
};

function input(status: number, title: string): ErrorResponse {
  return { status, title, mcp: 'invalid_params', showsDetail: true };
}

function refusal(status: number, title: string): ErrorResponse {
  return { status, title, mcp: 'tool_error', showsDetail: true };
}

function fault(status: number, title: string): ErrorResponse {
  return { status, title, mcp: 'internal_error', showsDetail: false };
}

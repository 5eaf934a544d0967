import type { ErrorCode } from '../domain/errors.ts';

/** What a caller who met an error wants to know beyond its title. */
export interface ErrorHelp {
  /** Whether the same call may succeed: unchanged and later, or only after a change. */
  readonly retry: 'later' | 'after_a_change';
  /** What happened, and what did not. */
  readonly meaning: string;
  /** What to do now. */
  readonly remedy: string;
}

/** Help for every error code; the pages at `/errors/<code>` show it. */
export const ERROR_HELP: Readonly<Record<ErrorCode, ErrorHelp>> = {
  invalid_request: changed(
    'The request does not have the form the call takes. Nothing was done.',
    'Correct each field in `errors`: `path` is a JSON pointer into the body, or begins with /query, /path or /header.',
  ),
  invalid_json: changed(
    'The body is not JSON as RFC 8259 has it, or names a member twice, or holds a number that a float would change. Nothing was done.',
    'Correct the body at the position in `detail`; send long numbers as text.',
  ),
  body_too_large: changed(
    'The body is larger than any call needs. Nothing was done, and the connection was closed.',
    'Send less in one call.',
  ),
  unsupported_media_type: changed(
    'The body came in another media type than JSON, or compressed. It was not read, and nothing was done.',
    'Send it as it is, with "Content-Type: application/json" and without a Content-Encoding.',
  ),
  length_required: changed(
    'The body came with a Transfer-Encoding, which is not taken. Nothing was done, and the connection was closed.',
    'Send a Content-Length; behind nginx leave proxy_request_buffering on.',
  ),
  headers_too_large: changed(
    'The headers of the request are too large, or too many. Nothing was done, and the connection was closed.',
    'Send fewer headers; cookies are never needed here.',
  ),
  unknown_setting: changed(
    'The agent has no setting of this name. Nothing was changed, the other settings of the call included.',
    'GET the settings of the agent for the names it has.',
  ),
  setting_out_of_range: changed(
    'A setting has a value it may not have, alone or together with another. Nothing was changed.',
    'Correct the fields in `errors`; the message says which values are allowed.',
  ),
  unauthenticated: changed(
    'The call needs to know who makes it, and no token came with it.',
    'Sign in under /api/auth, and send the accessToken as "Authorization: Bearer <token>".',
  ),
  token_expired: changed(
    'The access token was good for a short time, which is over.',
    'Get a new one by POST /api/auth/refresh with your refresh token, and repeat the call.',
  ),
  token_invalid: changed(
    'The token was not issued by this service, or its session or key has ended. An API key (pk_…) is no token itself.',
    'Sign in again. With an API key, have it exchanged for a token.',
  ),
  forbidden: changed(
    'You are known, and this is not yours: it belongs to another user, or your API key lacks the scope.',
    'Use a key with the scope named in `detail`, or sign in yourself for what no key may do.',
  ),
  username_required: changed(
    'You are signed in, but have not chosen a username yet.',
    'Choose one by PUT /api/user/profile, and repeat the call.',
  ),
  username_taken: changed(
    'Another user has this username, or one that looks the same.',
    'Choose another.',
  ),
  code_invalid: changed(
    'The one-time code is not the one that was sent. A few tries are left.',
    'Read the code again; `detail` says how many tries are left.',
  ),
  code_expired: changed(
    'The code, or the sign-in that was begun, is too old, was used, or had too many tries.',
    'Begin again.',
  ),
  code_required: changed(
    'The call wants a one-time code in its headers.',
    'Ask for the code, and repeat the call with X-Challenge-Id and X-One-Time-Code.',
  ),
  phone_required: changed(
    'The code goes to a phone, and your account has none.',
    'Add a phone by POST /api/auth/link.',
  ),
  country_not_supported: changed(
    'Codes are not sent to phones of this country. Nothing was sent.',
    'Use a phone of another country, or another way of signing in.',
  ),
  confirmation_required: changed(
    'The API key may do this only after its person has confirmed it. Nothing was done.',
    'Put it forward by the call for proposals of the venue; the person confirms or refuses it under /api/user/confirmations/.',
  ),
  confirmation_ended: changed(
    'It was confirmed, refused or carried out before, or not answered in time. Nothing was done now.',
    'Read in the list of confirmations how it ended; put the order forward again if it is still wanted.',
  ),
  fresh_sign_in_required: changed(
    'The call needs a sign-in within the last few minutes.',
    'Sign in again, and repeat the call.',
  ),
  api_key_invalid: changed(
    'There is no such API key, or it was revoked, has expired, or was ended by a restore of the service from a backup.',
    'Create a new key by POST /api/user/keys/.',
  ),
  key_not_revoked: changed(
    'Only a key that was revoked or has expired can be deleted.',
    'Revoke it first by POST /api/user/keys/<id>/revoke/.',
  ),
  account_not_empty: changed(
    'An account is removed when nothing is held in it: `errors` names each place where something is.',
    'Sell, cancel, withdraw or transfer what is named, wait for what is under way, and repeat the call.',
  ),
  too_many_attempts: later(
    'There were too many tries in a short time, for this phone or from this address.',
    'Wait as long as Retry-After says.',
  ),
  rate_limited: later(
    'You made more calls than your budget allows. Nothing was done. Cancels and stops have a budget of their own.',
    'Wait as long as Retry-After says; the RateLimit headers tell what is left.',
  ),
  overloaded: later(
    'The service is doing as much as it can. Nothing was done.',
    'Wait as long as Retry-After says, and repeat the call.',
  ),
  not_owner: later(
    'The process does not own the log of commits at this moment: another one has taken over, or the database is away. Nothing was done.',
    'Repeat the call, at a gateway where there is one: it finds the owner.',
  ),
  shard_moving: later(
    'The process that answered has ended, and the next one has not taken over yet. Nothing was done.',
    'Wait as long as Retry-After says, and repeat the call.',
  ),
  answer_lost: changed(
    'The process that had the call has ended before its answer came. Whether it was carried out is not known here.',
    'Read what it was to change. Send an Idempotency-Key with what moves money: such a call is repeated for you, and is carried out once.',
  ),
  not_found: changed(
    'There is no route at this path, or you have nothing with this id.',
    'Check path and id; what belongs to others is not found either.',
  ),
  method_not_allowed: changed(
    'The path exists and does not take this method.',
    'Use one of the methods in the Allow header.',
  ),
  upgrade_required: changed(
    'The path is for WebSockets, and the request did not ask to become one.',
    'Open a WebSocket there; behind a proxy, have it pass Upgrade and Connection on.',
  ),
  conflict: later(
    'Another user, or another call of yours, changed the same thing at this moment. Nothing was done.',
    'Read it again, and repeat the change if you still want it.',
  ),
  idempotency_mismatch: changed(
    'The Idempotency-Key was used before, for another request, which made something. Nothing was done.',
    'Use a new key for a new request.',
  ),
  request_in_progress: later(
    'The first call with this Idempotency-Key has not ended yet. This one did nothing.',
    'Repeat it in a moment with the same key: you get the first answer.',
  ),
  market_closed: changed(
    'The market takes no more orders: it has ended or is being resolved. Nothing was sent.',
    'Trade another market.',
  ),
  market_not_ready: later(
    'The market exists and does not take orders yet. Nothing was sent.',
    'Repeat the call in a while.',
  ),
  market_not_supported: changed(
    'The market is listed, and this service cannot trade it: `detail` says why. Nothing was sent.',
    'Trade another market; `notTradeableReason` of a market is null where it is traded.',
  ),
  price_off_tick: changed(
    "The price lies between two of the market's ticks. Nothing was sent.",
    "Round the price to the market's tick.",
  ),
  price_out_of_range: changed(
    'A price lies above 0 and below 1, and the market may narrow that further. Nothing was sent.',
    'Send a price within the range.',
  ),
  size_too_small: changed(
    "The order is smaller than the market's minimum. Nothing was sent.",
    'Order more; the market tells its minimum.',
  ),
  amount_off_step: changed(
    'The amount has more decimals than an order keeps, and nothing is rounded without a word. Nothing was sent.',
    'Send the amount with the decimals that the message names.',
  ),
  amount_too_small: changed(
    'The amount is too small to be moved or traded. Nothing was sent.',
    'Send more than the least amount, which `detail` names.',
  ),
  no_liquidity: later(
    'The other side is not offered at a price you would take. Nothing was sent.',
    'Repeat it later, or place a limit order that waits.',
  ),
  book_untrusted: later(
    'Messages about the order book were lost, so its prices cannot be relied on. Nothing was sent.',
    'Repeat it in a few seconds: the book is being read anew.',
  ),
  feed_stale: later(
    'A price feed has said nothing for too long. Nothing was sent.',
    'Repeat it in a few seconds.',
  ),
  insufficient_funds: changed(
    'The call needs more USDC than is available: what open orders hold is not. Nothing was sent.',
    'Deposit, cancel open orders, or ask for less. Then the same Idempotency-Key may be used again.',
  ),
  insufficient_shares: changed(
    'You have fewer shares than you want to sell: what open orders hold is not counted. Nothing was sent.',
    'Cancel open sales, or sell less. Then the same Idempotency-Key may be used again.',
  ),
  funds_disputed: later(
    'The venue, or your wallet on its chain, does not show funds that the ledger has, so trading of them is paused until both agree. Nothing was sent.',
    'Wait: the two are compared all the time. Tell the operator if it lasts.',
  ),
  cap_exceeded: changed(
    'A limit on order size, exposure, open positions or daily loss forbids it: one of yours or one of the service. Nothing was sent.',
    'GET /api/user/limits shows both; order less, or raise your own. Then the same Idempotency-Key may be used again.',
  ),
  market_fenced: later(
    'It is not known yet what became of an earlier order of yours in this market. Nothing was sent.',
    'Wait until the earlier order is decided; `errors` names it and says how long that takes where it is known. An order waits for one that the venue merely holds, up to `Prefer: wait` (5 s by default).',
  ),
  already_traded: changed(
    'This agent has traded this market, and enters each once.',
    'Nothing; the next market comes.',
  ),
  agent_not_ready: changed(
    'Something the agent needs is missing.',
    'Do what `errors` lists, and enable it again.',
  ),
  wallet_not_ready: later(
    'A Safe is being deployed and allowed to trade, a right is missing, or a wallet lacks its chain’s coin for gas; `detail` says which. Nothing was sent.',
    'Send the coin where `detail` asks for it; the rest comes by itself: repeat it in a while. GET /api/user/profile tells when the account is ready.',
  ),
  verification_required: changed(
    'The venue sells only to people who have shown it who they are. Nothing was sent; sales and redemptions never ask.',
    'Open `link` of the problem in a browser, or ask for a fresh one with GET /api/<venue>/identity/, and repeat the call when you are through.',
  ),
  agent_enabled: changed(
    'The agent is enabled in the other mode, live or paper. Nothing was changed.',
    'Disable it, then enable it in the mode you want.',
  ),
  agent_stopped: changed(
    'The agent is not enabled, so this cannot be done for it. Nothing was sent.',
    'Enable it first.',
  ),
  trading_stopped: changed(
    'Buying is stopped, for you or for everybody. Nothing was sent. Sales and cancels go on.',
    'Resume it if the stop is yours; else wait for the operator. Then the same Idempotency-Key may be used again.',
  ),
  transfer_in_progress: later(
    'Another transfer to your Safe has not ended. Nothing was sent.',
    'Wait for its end, and repeat the call.',
  ),
  settlement_pending: later(
    'A trade of this market is not final on the chain yet. Nothing was sent.',
    'Repeat the call in a minute.',
  ),
  agent_degraded: later(
    'The agent holds back because an input of its decisions cannot be relied on now.',
    'Wait; it goes on by itself.',
  ),
  lock_busy: later(
    'Other orders of yours come first, and this one waited as long as it may. Nothing was sent.',
    'Repeat it with the same Idempotency-Key; place fewer orders at once.',
  ),
  preparation_timeout: later(
    'The service was not quick enough to prepare the order. Nothing was sent.',
    'Repeat it with the same Idempotency-Key.',
  ),
  order_unknown: later(
    'The order was sent, and it is not known yet what became of it. It is being looked for.',
    'Do not place it again. GET it until it is decided.',
  ),
  order_not_cancellable: changed(
    'The order has ended: filled, cancelled, or expired.',
    'GET it to see how.',
  ),
  venue_unavailable: later(
    'The venue does not answer. For an order: nothing was sent, or the answer would be order_unknown.',
    'Repeat it in a while.',
  ),
  venue_restricted: changed(
    'The venue turns us away for where we are, or forbids this to the account.',
    'Nothing a caller can do; the operator is alerted. Cancels and sales may still go through.',
  ),
  venue_protocol: later(
    'The venue answered something that has no meaning to us, which we do not act on.',
    'Repeat it later; tell the operator if it stays.',
  ),
  funding_unavailable: later('Money cannot be brought in at this moment.', 'Repeat it in a while.'),
  chain_unavailable: later('No node of the chain answers.', 'Repeat it in a while.'),
  chain_reverted: changed(
    'The chain ran the call and took everything back.',
    'Read `detail` for the reason, and change the call.',
  ),
  bridge_unavailable: later(
    'The bridge does not answer. Money that is on its way stays on its way.',
    'Repeat it in a while.',
  ),
  token_data_unavailable: later(
    'The source of token data does not answer, or asks for slower calls.',
    'Repeat it in a while.',
  ),
  no_route: changed(
    'The router offers no way, or none for this amount. Nothing was done.',
    'Ask for another amount, token or chain, or for the same in a while.',
  ),
  quote_expired: changed(
    'A quote is good for a minute and for one execution. Nothing was done.',
    'Ask for a new quote.',
  ),
  quote_refused: changed(
    'The offer of the router does not hold to what was asked for, or loses more than is allowed; `detail` says how. Nothing was signed.',
    'Ask for a new quote; where the price of a token is unknown here, `acceptUnpriced` says that you know.',
  ),
  price_late: later(
    'Our own price of a token is followed, and too old at this moment to decide by. Nothing was signed.',
    'Repeat it in a few seconds; a quote stays good as long as it says.',
  ),
  ambiguous_token: changed(
    'Tickers are not unique: only those of our own list name an address. `detail` names what goes by it.',
    'Read the addresses with GET /api/web3/search/, and name the token by its address.',
  ),
  router_unavailable: later(
    'The router does not answer. What is on its way is followed on the chains.',
    'Repeat it in a while.',
  ),
  files_unavailable: later(
    'The store of public files does not answer, or kept something else. Nothing was launched.',
    'Repeat it in a while.',
  ),
  store_corrupt: changed('Stored data is not as it was written.', 'Tell the operator.'),
  store_locked: later('Another process holds the store.', 'Tell the operator.'),
  store_unavailable: later(
    'The change could not be stored, so it was not made and nothing was sent.',
    'Repeat it in a while.',
  ),
  master_key_wrong: changed('The keys cannot be opened.', 'Tell the operator.'),
  config_invalid: changed('The service is not configured for this.', 'Tell the operator.'),
  port_in_use: changed('The service could not start.', 'Tell the operator.'),
  limit_reached: changed(
    'A bound is reached, and `detail` says which: you have as many of these as one user may have, or all users together have as many as the service can keep. Nothing was done.',
    'Of a bound of your own let go of some that you no longer need, or let what waits be done. Where all users share it (on sockets `retryable` is true) repeat the same later.',
  ),
  push_unavailable: changed(
    'The service is not configured to send messages to browsers.',
    'Read /api/user/notifications/ instead.',
  ),
  sign_in_unavailable: later(
    'This way of signing in is not configured, or its provider does not answer.',
    'Repeat it in a while, or sign in another way.',
  ),
  sign_in_refused: changed(
    'What the other service gave as proof does not hold.',
    'Begin the sign-in again.',
  ),
  identity_taken: changed(
    'Another account signs in with this phone, Google account or Farcaster id.',
    'Sign in with it to use that account, or add another one.',
  ),
  not_ready: later(
    'The service has started and cannot do its work yet; `errors` names what is missing.',
    'Repeat it in a few seconds.',
  ),
  internal: later(
    'Something failed that should not. What is stored is whole; an order may or may not have been sent.',
    'Repeat it with the same Idempotency-Key; tell the operator the requestId if it stays.',
  ),
};

function later(meaning: string, remedy: string): ErrorHelp {
  return { retry: 'later', meaning, remedy };
}

function changed(meaning: string, remedy: string): ErrorHelp {
  return { retry: 'after_a_change', meaning, remedy };
}

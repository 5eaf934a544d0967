import type { ErrorCode } from '../domain/errors.ts';
import { ERROR_HELP } from '../http/error-help.ts';

/** What to do, where the one table says it in words of HTTP that a model has no use for. */
const REMEDIES: Partial<Readonly<Record<ErrorCode, string>>> = {
  invalid_request: 'Correct each argument named here.',
  unknown_setting: 'agents_list shows the settings each agent has.',
  setting_out_of_range: 'Correct each setting named here.',
  forbidden: 'This key may not do it, and a key is never changed: the user makes another one.',
  not_found: 'Check the id, and that `venue` is the one it belongs to.',
  username_required: 'The user chooses a username in the application first.',
  confirmation_required:
    'This cannot be put forward for the user to confirm: they do it themselves, in the application.',
  fresh_sign_in_required: 'No key can do this: the user does it themselves, in the application.',
  rate_limited: 'Wait; do not repeat the call meanwhile. Stops and cancels are still taken.',
  overloaded: 'Repeat the call in a moment.',
  idempotency_mismatch: 'Use a new clientRequestId for a new request.',
  request_in_progress: 'Repeat it in a moment with the same clientRequestId.',
  market_not_supported: 'Choose a market without notTradeableReason.',
  size_too_small: 'Order more: minSize of market_get is the least, in shares.',
  amount_too_small: 'Send more than the least amount, which is named here.',
  price_off_tick: 'Round the price to tickSize of market_get.',
  insufficient_funds: 'Ask for less, or cancel open orders. The user deposits in the application.',
  insufficient_shares: 'Cancel open sales, or sell less.',
  cap_exceeded: 'Ask for less; the user raises their limits in the application.',
  market_fenced: 'Wait until the earlier order is decided: orders_list shows it.',
  wallet_not_ready:
    'Where coin for gas is named here, the user sends it to that wallet; all else comes by itself. Repeat the call then.',
  verification_required: 'The user proves who they are in the application; repeat the call then.',
  agent_not_ready: 'What is named here is missing; the user provides it in the application.',
  agent_enabled: 'agent_disable it first, then enable it in the other mode.',
  trading_stopped: 'The user, or the operator, lifts the stop; sales and cancels go on.',
  order_unknown: 'Do not place it again. order_get shows it once it is decided.',
  order_not_cancellable: 'order_get shows how it ended.',
  chain_reverted: 'Change the call: the reason is named here.',
  quote_refused: 'Ask swap_quote again; acceptUnpriced says that a token without a price is meant.',
  quote_expired: 'Ask swap_quote again.',
  ambiguous_token: 'Search for the token with token_search, and name it by its address.',
  limit_reached: 'Wait for what is under way to end, then repeat the call.',
  not_ready: 'Repeat it in a few seconds.',
  internal: 'Repeat it with the same clientRequestId.',
};

/** What to do about a limit of the key itself. */
const KEY_IS_FIXED =
  'Ask for less: limits of a key are fixed, and for others the user makes another key.';

/**
 * Returns what a model can do about a refusal, in the words of tools; `detail` is its
 * sentence.
 */
export function toolRemedy(code: ErrorCode, detail = ''): string {
  if (code === 'cap_exceeded' && detail.includes('API key')) return KEY_IS_FIXED;
  const remedy = REMEDIES[code] ?? ERROR_HELP[code].remedy;
  return remedy.replaceAll('Idempotency-Key', 'clientRequestId');
}

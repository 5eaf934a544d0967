import type { ErrorCode } from '../domain/errors.ts';
import { ERROR_HELP } from '../http/error-help.ts';

/** What to do, where the one table says it in words of HTTP that a model has no use for. */
const REMEDIES: Partial<Readonly<Record<ErrorCode, string>>> = {
  invalid_request: 'Correct each argument named here.',
  username_required: 'The user chooses a username in the application first.',
  confirmation_required:
    'This cannot be put forward for the user to confirm: they do it themselves, in the application.',
  rate_limited: 'Wait; do not repeat the call meanwhile.',
  cap_exceeded: 'Order less. Limits are for the user to raise, in the application.',
  market_fenced: 'Wait until the earlier order is decided; the list of orders shows it.',
  wallet_not_ready: 'Repeat it in a while: the account of the user is being made ready.',
  verification_required: 'The user proves who they are in the application; repeat the call then.',
  order_unknown: 'Do not place it again. The list of orders shows it once it is decided.',
  order_not_cancellable: 'The list of orders shows how it stands.',
  ambiguous_token: 'Search for the token, and name it by its address.',
};

/** Returns what a model is told to do about a refusal, in the words of tools. */
export function toolRemedy(code: ErrorCode): string {
  const remedy = REMEDIES[code] ?? ERROR_HELP[code].remedy;
  return remedy.replaceAll('Idempotency-Key', 'clientRequestId');
}

import type { Output } from '../../api/routes.ts';
import { words } from '../../format/text.ts';

/** An order an assistant put forward, as the daemon shows it. */
export type Confirmation = Output<'GET /api/user/confirmations/'>['data'][number];

/** Reports whether an order can still be confirmed or refused, or is being placed just now. */
export function isWaiting({ state }: Pick<Confirmation, 'state'>): boolean {
  return state === 'asked' || state === 'confirmed';
}

const ENDS: Readonly<Record<Confirmation['state'], string>> = {
  asked: 'waits',
  confirmed: 'being placed',
  placed: 'confirmed and placed',
  refused: 'refused by you',
  failed: 'confirmed, but not placed',
  expired: 'not answered in time',
};

/** How an order ended, in a few words. */
export function endOf({ state, failure }: Pick<Confirmation, 'state' | 'failure'>): string {
  return failure === null ? ENDS[state] : `${ENDS[state]}: ${words(failure)}`;
}

/** How an order ended and what follows, in sentences. */
export function endSentence({ state, failure }: Pick<Confirmation, 'state' | 'failure'>): string {
  switch (state) {
    case 'asked':
    case 'confirmed':
      return 'It waits for your answer.';
    case 'placed':
      return 'You confirmed this order, and it was placed once. Your assistant finds it in the list of orders.';
    case 'refused':
      return 'You refused this order. It is never placed; your assistant can ask for another.';
    case 'failed':
      return `You confirmed this order, but it was not placed${failure === null ? '' : ` (${words(failure)})`}. Your assistant can ask again.`;
    case 'expired':
      return failure === 'api_key_invalid'
        ? 'The key that asked was revoked before you answered, so this order was not placed and never will be.'
        : 'This order was not answered in time, so it was not placed and never will be. Your assistant can ask again.';
  }
}

import type { OrderIntent, OrderLife } from './order.ts';

/**
 * How long an order lives, as trading interfaces name it: all at once or nothing (FOK), what is to
 * be had at once (FAK), until it is cancelled (GTC), until its expiry (GTD).
 */
export type TimeInForce = 'FOK' | 'FAK' | 'GTC' | 'GTD';

/** Returns the name of an order's life. */
export function timeInForceOf({
  life,
  expiresAtMs,
}: Pick<OrderIntent, 'life' | 'expiresAtMs'>): TimeInForce {
  if (life === 'rests') return expiresAtMs === null ? 'GTC' : 'GTD';
  return life === 'all_now' ? 'FOK' : 'FAK';
}

/** Returns the life a name means. */
export function lifeOf(timeInForce: TimeInForce): OrderLife {
  if (timeInForce === 'FOK') return 'all_now';
  return timeInForce === 'FAK' ? 'part_now' : 'rests';
}

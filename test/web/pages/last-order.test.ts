import { describe, expect, it } from 'vitest';
import type { ListedOrder } from '../../../src/web/api/venues.ts';
import { lastOrder, RECENT_MS } from '../../../src/web/pages/markets/last-order.ts';

const OPENED_MS = 1_000_000_000;
const BY_HAND = { kind: 'manual', agent: null, decisionId: null, purpose: null, keyId: null };

/** Of a listed order the fields by which it is chosen. */
function anOrder(id: string, part: Partial<ListedOrder> = {}): ListedOrder {
  return {
    id,
    venue: 'venue_a',
    state: 'filled',
    orderType: 'market',
    origin: BY_HAND,
    isRedemption: false,
    clientOrderId: null,
    createdAtMs: OPENED_MS - 5_000,
    ...part,
  } as ListedOrder;
}

function chosen(orders: readonly ListedOrder[], pendingKey: string | null = null): string | null {
  return lastOrder(orders, { venue: 'venue_a', openedAtMs: OPENED_MS, pendingKey })?.id ?? null;
}

const OLD_MS = OPENED_MS - RECENT_MS - 1;

describe('a ticket that is opened in the middle of an order goes on with', () => {
  it('the newest order by hand of these minutes, whatever became of it', () => {
    expect(chosen([anOrder('new'), anOrder('old')])).toBe('new');
    expect(chosen([anOrder('refused', { state: 'rejected' })])).toBe('refused');
    expect(chosen([anOrder('placed since', { createdAtMs: OPENED_MS + 9_000 })])).toBe(
      'placed since',
    );
  });

  it('none that has ended longer ago, and none that rests since', () => {
    expect(chosen([anOrder('old', { createdAtMs: OLD_MS })])).toBeNull();
    const rests = anOrder('rests', { createdAtMs: OLD_MS, state: 'live', orderType: 'limit' });
    expect(chosen([rests])).toBeNull();
  });

  it.each(['intended', 'signed', 'submitting', 'delayed', 'unknown'] as const)(
    'one that is %s, however long ago it was placed',
    (state) => {
      expect(chosen([anOrder('it', { createdAtMs: OLD_MS, state })])).toBe('it');
    },
  );

  it('the one whose answer the page before did not see, by its key', () => {
    const orders = [
      anOrder('other', { createdAtMs: OLD_MS + 1, origin: { ...BY_HAND, keyId: 'key' } as never }),
      anOrder('its', { createdAtMs: OLD_MS, clientOrderId: 'k' }),
    ];
    expect(chosen(orders, 'k')).toBe('its');
  });

  it('none of an agent, of an API key, of another venue, and no payout', () => {
    expect(
      chosen([
        anOrder('agent', { origin: { ...BY_HAND, kind: 'agent' } as never }),
        anOrder('key', { origin: { ...BY_HAND, keyId: 'key' } as never }),
        anOrder('venue', { venue: 'venue_b' }),
        anOrder('payout', { isRedemption: true }),
      ]),
    ).toBeNull();
  });
});

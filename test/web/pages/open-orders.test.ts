import { QueryClientProvider } from '@tanstack/react-query';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, describe, expect, it } from 'vitest';
import { Router } from 'wouter';
import { queryClient } from '../../../src/web/api/query.ts';
import type { ListedOrder } from '../../../src/web/api/venues.ts';
import { OpenOrders } from '../../../src/web/pages/activity/open-orders.tsx';

function anOrder(id: string): ListedOrder {
  return {
    id,
    venue: 'venue_a',
    marketId: '0x1',
    action: 'buy',
    side: 'yes',
    outcome: 'Yes',
    orderType: 'limit',
    state: 'live',
    question: `Question of ${id}?`,
    eventTitle: null,
    marketEndsAtMs: null,
    requestedShares: '10',
    filledShares: '0',
    price: '0.4',
    amountUsdc: '4',
    createdAtMs: 0,
    cancelRequested: false,
  } as ListedOrder;
}

/** The card over pages that were read so far; `nextCursor` of the last one. */
function shown(pages: readonly (readonly string[])[], nextCursor: string | null): string {
  queryClient.setQueryData(['GET /api/portfolio/orders', 'pages', 'open', ''], {
    pages: pages.map((ids, index) => ({
      data: ids.map(anOrder),
      nextCursor: index < pages.length - 1 ? `page ${index + 1}` : nextCursor,
    })),
    pageParams: pages.map((_, index) => (index === 0 ? null : `page ${index}`)),
  });
  return renderToStaticMarkup(
    createElement(
      QueryClientProvider,
      { client: queryClient },
      createElement(Router, { ssrPath: '/portfolio', children: createElement(OpenOrders) }),
    ),
  );
}

describe('the card of open orders', () => {
  afterEach(() => queryClient.clear());

  it('has a button for older ones while there are more than it read', () => {
    const html = shown([['one', 'two']], 'page 1');
    expect(html).toContain('Question of two?');
    expect(html).toContain('Show older ones');
  });

  it('shows the orders of all pages that were read, and no button behind the last', () => {
    const html = shown([['one'], ['two']], null);
    expect(html).toContain('Question of one?');
    expect(html).toContain('Question of two?');
    expect(html).not.toContain('Show older ones');
  });

  it('is not there without an open order', () => {
    expect(shown([[]], null)).toBe('');
  });
});

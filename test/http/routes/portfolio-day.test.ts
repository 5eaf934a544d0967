import { expect, it } from 'vitest';
import { asId, type SwapId } from '../../../src/domain/ids.ts';
import type { SwapRecord } from '../../../src/domain/swap.ts';
import { pendingOf } from '../../../src/http/routes/portfolio-day.ts';
import type { ApiServices } from '../../../src/http/services.ts';
import { aUserId } from '../../support/builders.ts';
import { aSwap } from '../../support/fakes/fake-swaps.ts';

it('a swap waits for its end, and after it for the booking of what it brought', () => {
  const none = { list: () => ({ data: [], nextCursor: null }) };
  const swaps = (['following', 'completed', 'refunded'] as const).map((state, index) =>
    aSwap({ state, swapId: asId<SwapId>(`swp_${index}`) }),
  );
  const services = {
    orders: { listOpen: () => [] },
    confirmations: { list: () => [] },
    swaps: { list: () => ({ data: swaps, nextCursor: null }) },
    awaitsBooking: ({ state }: SwapRecord) => state === 'completed',
    launches: none,
    withdrawals: none,
    tokenTransfers: none,
  } as unknown as ApiServices; // what else there is, it does not ask
  expect(pendingOf({ services, userId: aUserId(1), wallNowMs: 1 })).toEqual([
    { kind: 'swap', id: 'swp_0', state: 'following' },
    { kind: 'swap', id: 'swp_1', state: 'completed' },
  ]);
});

import { expect, it } from 'vitest';
import { AppError } from '../../../src/domain/errors.ts';
import { asId } from '../../../src/domain/ids.ts';
import type { OrderRecord } from '../../../src/domain/order.ts';
import { cancelAll } from '../../../src/services/orders/cancel-all.ts';
import { aUserId } from '../../support/builders.ts';
import { VENUE_A, VENUE_B } from '../../support/venue-ids.ts';
import { aSignedOrder } from '../../support/worlds/folded-orders.ts';

const USER = aUserId(1);

const anOpen = (id: string, venue = VENUE_A) =>
  aSignedOrder({ state: 'live' }, { intentId: asId(id), venue });

/** Cancels all of what is open, where asking to cancel fails and the orders then stand as given. */
function cancelled(open: readonly OrderRecord[], error: Error, after: OrderRecord | null) {
  return cancelAll(
    { listOpen: () => open, cancel: () => Promise.reject(error), get: () => after },
    USER,
  );
}

const refusal = new AppError('conflict', 'it cannot be cancelled now');

it.each([
  ['filled', 'filled', null],
  ['cancelled', 'cancelled', 'by the venue'],
  ['expired', 'cancelled', null],
] as const)(
  'an order that ended %s while it was to be cancelled is reported as that, not as refused',
  async (state, outcome, reason) => {
    const open = anOpen('int_1');
    const order = { ...open, state, reason };
    expect(await cancelled([open], refusal, order)).toEqual([{ order, outcome, reason }]);
  },
);

it('an order that is still open is refused with why, as it is now, or as it was', async () => {
  const open = anOpen('int_1');
  const moved: OrderRecord = { ...open, state: 'delayed', reason: 'earlier' };
  const reason = 'it cannot be cancelled now';
  expect([await cancelled([open], refusal, moved), await cancelled([open], refusal, null)]).toEqual(
    [[{ order: moved, outcome: 'refused', reason }], [{ order: open, outcome: 'refused', reason }]],
  );
});

it('an unexpected error is no refusal', async () => {
  const error = new Error('an internal error');
  await expect(cancelled([anOpen('int_1')], error, null)).rejects.toBe(error);
});

it('names one venue or all, newest first', async () => {
  const open = [anOpen('int_1'), anOpen('int_2', VENUE_B), anOpen('int_3')];
  const idsOf = async (venue?: typeof VENUE_A) => {
    const ended = await cancelAll(
      {
        listOpen: () => open,
        cancel: async (_user, id) => {
          const found = open.find(({ intent }) => intent.intentId === id);
          return { ...(found ?? anOpen('none')), state: 'cancelled' };
        },
        get: () => null,
      },
      USER,
      venue,
    );
    return ended.map(({ order, outcome }) => `${order.intent.intentId} ${outcome}`);
  };
  expect([await idsOf(), await idsOf(VENUE_B)]).toEqual([
    ['int_3 cancelled', 'int_2 cancelled', 'int_1 cancelled'],
    ['int_2 cancelled'],
  ]);
});

import type { VenueAccounts } from '../../../src/ports/venue.ts';
import type { OrderGateway } from '../../../src/ports/order-gateway.ts';
import type { FakeVenue } from './fake-venue.ts';

/**
 * A process's own line to the venue: once cut, what it asks goes nowhere and it hears nothing more.
 */
export interface Leash {
  readonly gateway: OrderGateway;
  readonly accounts: Pick<VenueAccounts, 'deposits'>;
  readonly directory: Pick<FakeVenue, 'resolution'>;
  cut(): void;
}

/** Puts a line between one process and the venue that outlives it. */
export function leash(venue: FakeVenue): Leash {
  let isCut = false;
  const orNever = <T>(ask: () => Promise<T>): Promise<T> =>
    isCut
      ? new Promise(() => undefined)
      : ask().then((answer) => (isCut ? new Promise<T>(() => undefined) : answer));
  return {
    gateway: {
      submit: (order, leave) => orNever(() => venue.submit(order, leave)),
      cancel: (order) => orNever(() => venue.cancel(order)),
      lookup: (order) => orNever(() => venue.lookup(order)),
      fills: (userId, sinceMs) => orNever(() => venue.fills(userId, sinceMs)),
      openOrders: (userId) => orNever(() => venue.openOrders(userId)),
      watch: (userId, listener) =>
        venue.watch(userId, {
          next: (event) => {
            if (!isCut) listener.next(event);
          },
          error: (cause) => {
            if (!isCut) listener.error(cause);
          },
        }),
    },
    accounts: { deposits: (userId, sinceMs) => orNever(() => venue.deposits(userId, sinceMs)) },
    directory: { resolution: (marketId) => orNever(() => venue.resolution(marketId)) },
    cut: () => void (isCut = true),
  };
}

import { AppError } from '../domain/errors.ts';
import type { Lease } from '../ports/lease.ts';
import type { PhoneVerifier } from '../ports/phone-verifier.ts';
import type { PushService } from '../ports/push.ts';
import type { ChainReceipt, Rail } from '../ports/transactions.ts';
import type { Venue } from '../ports/venue.ts';
import type { OrderGateway } from '../ports/order-gateway.ts';

const NOT_HELD = 'the lease of the store is not held';
const NEVER = new AbortController().signal;

/**
 * Returns the same venue, whose orders and cancels leave only while the lease is held: looked at
 * where they leave, after any wait for their turn. An order that does not leave is sent later, or
 * never, as its machine says.
 */
export function leasedVenue(venue: Venue, lease: Lease): Venue {
  const mechanisms = Object.entries(venue.mechanisms).map(
    ([id, trading]) =>
      [id, { ...trading, gateway: leasedGateway(trading.gateway, lease) }] as const,
  );
  return { ...venue, mechanisms: Object.fromEntries(mechanisms) };
}

function leasedGateway(gateway: OrderGateway, lease: Lease): OrderGateway {
  return {
    ...gateway,
    submit: (order, permission) =>
      gateway.submit(order, {
        signal: permission?.signal ?? NEVER,
        isGranted: () => lease.isHeld() && permission?.isGranted() !== false,
      }),
    async cancel(order) {
      return lease.isHeld() ? gateway.cancel(order) : { kind: 'unknown', cause: NOT_HELD };
    },
  };
}

/**
 * Returns the same rail, which hands nothing to a chain or a relayer while the lease is not held.
 */
export function leasedRail<R extends ChainReceipt>(rail: Rail<R>, lease: Lease): Rail<R> {
  return {
    ...rail,
    async send(attempt) {
      return lease.isHeld() ? rail.send(attempt) : { kind: 'busy', reason: NOT_HELD };
    },
  };
}

/** Returns the same push service, which sends nothing while the lease is not held. */
export function leasedPush(push: PushService, lease: Lease): PushService {
  return {
    ...push,
    async send(...message) {
      return lease.isHeld()
        ? push.send(...message)
        : { kind: 'later', retryAfterMs: null, reason: NOT_HELD };
    },
  };
}

/** Returns the same verifier, which sends no code while the lease is not held. */
export function leasedPhones(phones: PhoneVerifier, lease: Lease): PhoneVerifier {
  return {
    ...phones,
    async send(...phone) {
      if (lease.isHeld()) return phones.send(...phone);
      throw new AppError('sign_in_unavailable', NOT_HELD, { retryable: true });
    },
  };
}

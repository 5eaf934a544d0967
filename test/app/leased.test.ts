import { describe, expect, it, vi } from 'vitest';
import { leasedPhones, leasedPush, leasedRail, leasedVenue } from '../../src/app/leased.ts';
import type { Attempt } from '../../src/domain/transaction.ts';
import type { PhoneVerifier } from '../../src/ports/phone-verifier.ts';
import type { PushService } from '../../src/ports/push.ts';
import type { ChainReceipt, Rail } from '../../src/ports/transactions.ts';
import type { OrderHandle } from '../../src/domain/order.ts';
import type { Venue } from '../../src/ports/venue.ts';
import type { SubmitPermission, OrderGateway } from '../../src/ports/order-gateway.ts';
import { aSignedOrder } from '../support/worlds/folded-orders.ts';
import { anOrderSender } from '../support/worlds/order-sender.ts';

const never = () => new AbortController().signal;

/** A venue that takes whatever leaves, once it is its turn. */
function aGateway() {
  const lease = { isHeld: vi.fn(() => true) };
  const left: unknown[] = [];
  const turn = { wait: (): Promise<void> => Promise.resolve() };
  const gateway: Pick<OrderGateway, 'submit' | 'cancel'> = {
    async submit({ attempt }: OrderHandle, permission?: SubmitPermission) {
      await turn.wait();
      if (permission?.isGranted() === false)
        return { kind: 'deferred', retryAfterMs: 1_000, reason: 'given up before its turn' };
      left.push(attempt.body);
      return { kind: 'sent' };
    },
    async cancel({ attempt }: OrderHandle) {
      left.push(`cancel ${attempt.attemptId}`);
      return { kind: 'cancelled' };
    },
  };
  const venue = leasedVenue({ mechanisms: { order_book: { gateway } } } as unknown as Venue, lease);
  return { lease, left, turn, gateway: venue.mechanisms['order_book']?.gateway ?? null };
}

async function anOrder(afterMs = 0) {
  const { lease, left, turn, gateway } = aGateway();
  const order = aSignedOrder();
  const sender = await anOrderSender(order, gateway ?? {}, { afterMs });
  return {
    lease,
    left,
    turn,
    order,
    sender,
    send() {
      sender.submit(order);
      return sender.effects.submit(sender.input, never());
    },
  };
}

describe('while the lease of the store is lost', () => {
  it('L1: a durable order does not leave, and leaves as the same bytes once it is held again', async () => {
    const { lease, left, order, sender, send } = await anOrder();
    lease.isHeld.mockReturnValue(false);
    expect(await send()).toMatchObject({ state: 'signed', next: 'defer' });
    expect(await sender.effects.resend(sender.input, never())).toMatchObject({ next: 'defer' });
    expect(left).toEqual([]);
    lease.isHeld.mockReturnValue(true);
    await sender.effects.resend(sender.input, never());
    expect(left).toEqual([order.attempts[0]?.body]);
  });

  it('L1: one that lost it while it waited for its turn does not leave', async () => {
    const { lease, left, turn, send } = await anOrder();
    turn.wait = async () => void lease.isHeld.mockReturnValue(false);
    expect(await send()).toMatchObject({ state: 'signed', next: 'defer' });
    expect(left).toEqual([]);
  });

  it('one whose time is over meanwhile ends, never taken', async () => {
    const { lease, left, send } = await anOrder(60_000);
    lease.isHeld.mockReturnValue(false);
    expect(await send()).toMatchObject({ state: 'rejected' });
    expect(left).toEqual([]);
  });

  it('no cancel leaves, and nothing is concluded', async () => {
    const { lease, left, sender, order } = await anOrder();
    lease.isHeld.mockReturnValue(false);
    expect(await sender.effects.cancel(sender.input, never())).toMatchObject({
      state: order.state,
    });
    expect(left).toEqual([]);
    lease.isHeld.mockReturnValue(true);
    await sender.effects.cancel(sender.input, never());
    expect(left).toHaveLength(1);
  });

  it('no transaction, message or code leaves; each gets a refusal that has it tried again', async () => {
    const lease = { isHeld: () => false };
    const left = vi.fn();
    const rail = leasedRail({ send: left } as unknown as Rail<ChainReceipt>, lease);
    const push = leasedPush({ send: left } as unknown as PushService, lease);
    const phones = leasedPhones({ send: left } as unknown as PhoneVerifier, lease);
    expect(await rail.send({} as Attempt)).toMatchObject({ kind: 'busy' });
    const message = {} as Parameters<PushService['send']>;
    expect(await push.send(message[0], message[1], never())).toMatchObject({ kind: 'later' });
    await expect(phones.send('+41', null)).rejects.toMatchObject({
      code: 'sign_in_unavailable',
      retryable: true,
    });
    expect(left).not.toHaveBeenCalled();
  });
});

describe('while the lease of the store is held', () => {
  it('L6: what holds an order back for another reason still does', async () => {
    const { left, gateway } = aGateway();
    const { attempts, intent } = aSignedOrder();
    const [attempt] = attempts;
    const handle = { intent, attempt } as OrderHandle;
    const stopped = { signal: never(), isGranted: () => false };
    expect(await gateway?.submit(handle, stopped)).toMatchObject({ kind: 'deferred' });
    expect(left).toEqual([]);
    expect(await gateway?.submit(handle)).toEqual({ kind: 'sent' });
    expect(left).toEqual([attempt?.body]);
  });

  it('transactions, messages and codes leave', async () => {
    const lease = { isHeld: () => true };
    const left = vi.fn();
    await leasedRail({ send: left } as unknown as Rail<ChainReceipt>, lease).send({} as Attempt);
    const message = {} as Parameters<PushService['send']>;
    const push = leasedPush({ send: left } as unknown as PushService, lease);
    await push.send(message[0], message[1], never());
    await leasedPhones({ send: left } as unknown as PhoneVerifier, lease).send('+41', null);
    expect(left).toHaveBeenCalledTimes(3);
  });
});

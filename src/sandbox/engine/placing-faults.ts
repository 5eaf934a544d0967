import { endOrder, isMakerOwner, type EngineState, type OrderRecord } from './engine-state.ts';
import { withdraw } from './funding.ts';
import { HEARTBEAT_SILENCE_MS } from './heartbeats.ts';
import type { RunScheduled } from './settlement.ts';

const DRAIN_MS = 500;

/** Has the dead-man switch of an order's key fire while it rests. */
export function loseHeartbeat(
  state: EngineState,
  { order, marketId }: OrderRecord,
  run: RunScheduled,
): void {
  if (isMakerOwner(order.owner)) return;
  const lost = state.faults.take('heartbeat-lost', {
    owner: order.owner,
    address: order.maker,
    marketId,
    orderId: order.orderId,
  });
  if (lost === null) return;
  state.clock.after(lost.delayOr(HEARTBEAT_SILENCE_MS), () =>
    run(() => {
      for (const open of state.openByOwner.get(order.owner) ?? [])
        if (open.status === 'LIVE') endOrder(state, open, 'CANCELED', null);
    }),
  );
}

/** Lets the account's collateral leave by another way while its order rests. */
export function drainElsewhere(
  state: EngineState,
  { order, marketId }: OrderRecord,
  run: RunScheduled,
): void {
  if (isMakerOwner(order.owner)) return;
  const drop = state.faults.take('balance-drops-elsewhere', {
    owner: order.owner,
    address: order.maker,
    marketId,
    orderId: order.orderId,
  });
  if (drop === null) return;
  state.clock.after(drop.delayOr(DRAIN_MS), () =>
    run(() => {
      const balance = state.accounts.balance(order.maker, 'usdc');
      if (balance > 0) withdraw(state, order.maker, balance);
    }),
  );
}

/** A finished order promises nothing, unless the venue forgets to take it off the sum. */
export function setPhantomHold(state: EngineState, record: OrderRecord, run: RunScheduled): void {
  if (isMakerOwner(record.order.owner)) return;
  const phantom = state.faults.take('phantom-reservation', {
    owner: record.order.owner,
    address: record.order.maker,
  });
  if (phantom === null) return;
  const {
    order: { maker },
    matchedShares,
  } = record;
  state.accounts.hold(maker, 'usdc', matchedShares);
  const endsAfterMs = phantom.delayOr(0);
  if (endsAfterMs > 0)
    state.clock.after(endsAfterMs, () =>
      run(() => state.accounts.hold(maker, 'usdc', -matchedShares)),
    );
}

import type { Address, MarketId } from '../../domain/ids.ts';
import { VENUE_MODEL } from '../../../config/limits/sandbox.ts';
import { escrowAccount } from '../exchange/accounts.ts';
import { endOrder, post, type ActivityEntry, type EngineState } from './engine-state.ts';
import { transactionHashOf } from './settlement.ts';

/** Credits collateral out of nothing: the faucet's, and the market makers'. */
export function deposit(state: EngineState, address: Address, usdc: number): void {
  if (usdc <= 0) throw new RangeError(`not a deposit: ${usdc}`);
  if (state.faults.take('balance-cache-stale', { address }) !== null)
    state.accounts.freeze(address, 'usdc');
  post(state, [{ account: address, holding: 'usdc', micros: usdc }]);
  recordActivity(state, {
    kind: 'DEPOSIT',
    account: address,
    usdcMicros: usdc,
    sharesMicros: 0,
    marketId: null,
    tokenId: null,
  });
}

/**
 * Takes collateral out of the venue; orders it backed end as INVALID. Throws a RangeError when
 * there is too little.
 */
export function withdraw(state: EngineState, address: Address, usdc: number): void {
  if (usdc <= 0 || usdc > state.accounts.balance(address, 'usdc'))
    throw new RangeError(`cannot withdraw ${usdc} from ${address}`);
  post(state, [{ account: address, holding: 'usdc', micros: -usdc }]);
  recordActivity(state, {
    kind: 'WITHDRAWAL',
    account: address,
    usdcMicros: usdc,
    sharesMicros: 0,
    marketId: null,
    tokenId: null,
  });
  const backed = [...state.openByOwner.values()]
    .flatMap((records) => [...records])
    .filter(({ order }) => order.maker === address && order.side === 'buy');
  for (const record of backed)
    if (state.accounts.isOverdrawn(address, 'usdc'))
      endOrder(state, record, 'INVALID', 'not enough balance');
}

/**
 * Turns collateral into equal shares of both outcomes. Throws a RangeError when there is too
 * little.
 */
export function split(
  state: EngineState,
  address: Address,
  { marketId, shares }: { marketId: MarketId; shares: number },
): void {
  const market = state.markets.get(marketId);
  const { balance, held } = state.accounts.visible(address, 'usdc');
  if (market === undefined || market.payoutTicks !== null)
    throw new RangeError(`market ${marketId} is not open`);
  if (shares <= 0 || shares > balance - held)
    throw new RangeError(`cannot split ${shares} for ${address}`);
  post(state, [
    { account: address, holding: 'usdc', micros: -shares },
    { account: escrowAccount(marketId), holding: 'usdc', micros: shares },
    ...market.market.tokens.map((holding) => ({ account: address, holding, micros: shares })),
  ]);
}

/** Adds an entry to the activity feed. */
export function recordActivity(
  state: EngineState,
  entry: Omit<ActivityEntry, 'atMs' | 'transactionHash'>,
): void {
  const atMs = state.clock.nowMs();
  const name = `${entry.kind}:${entry.account}:${entry.marketId ?? ''}:${entry.tokenId ?? ''}:${atMs}:${state.activity.length}`;
  const full = { ...entry, atMs, transactionHash: transactionHashOf(name, 0) };
  state.activity.push(full);
  state.dirty.activity.push(full);
  if (state.activity.length > VENUE_MODEL.activityMaximum * 1.25)
    state.activity.splice(0, state.activity.length - VENUE_MODEL.activityMaximum);
}

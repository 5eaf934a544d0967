import { mulDiv, TICKS_PER_USD } from '../../domain/units.ts';
import type { AccountName, Holding } from '../exchange/accounts.ts';
import { endOrder, holdingOf, post, type EngineState, type TradeRecord } from './engine-state.ts';
import type { ChainMovement, ChainNews } from './settler.ts';
import { advance } from './settlement.ts';

/**
 * Takes over what the chain says. Of accounts that live on it the model's balance is the chain's
 * plus the trades that are not on it yet; what remains when trades are counted came or went by
 * another way. Orders that lost their funds by it end as INVALID.
 */
export function takeChainNews(state: EngineState, { words, balances, movements }: ChainNews): void {
  for (const word of words) {
    const record = state.trades.get(word.tradeId);
    if (record !== undefined && record.job !== null && mayBecome(record, word.status))
      advance(state, record, word.status, word.transactionHash);
  }
  const pending = pendingMoves(state);
  for (const { account: name, holding, micros } of balances) {
    const account = name as AccountName; // an address: the chain has no other names
    state.onChain.add(account);
    const wanted = micros + (pending.get(`${account} ${holding}`) ?? 0);
    const difference = wanted - state.accounts.balance(account, holding);
    if (difference === 0) continue;
    if (
      difference > 0 &&
      holding === 'usdc' &&
      state.faults.take('balance-cache-stale', { address: account }) !== null
    )
      state.accounts.freeze(account, 'usdc');
    post(state, [{ account, holding, micros: difference }]);
    if (difference < 0) endUnbacked(state, account, holding);
  }
  for (const movement of movements) record(state, movement);
}

/**
 * A word may come twice, or late; a final trade stays as it is. A reorganisation takes a mined one
 * back.
 */
function mayBecome({ trade }: TradeRecord, status: TradeRecord['trade']['status']): boolean {
  return trade.status !== status && trade.status !== 'CONFIRMED' && trade.status !== 'FAILED';
}

/** What trades have moved here and not on the chain, by account and holding. */
function pendingMoves(state: EngineState): ReadonlyMap<string, number> {
  const pending = new Map<string, number>();
  for (const { trade, job, postings } of state.trades.values()) {
    if (job === null || (trade.status !== 'MATCHED' && trade.status !== 'RETRYING')) continue;
    for (const { account, holding, micros } of postings)
      pending.set(`${account} ${holding}`, (pending.get(`${account} ${holding}`) ?? 0) + micros);
  }
  return pending;
}

function endUnbacked(state: EngineState, account: AccountName, holding: Holding): void {
  const backed = [...state.openByOwner.values()]
    .flatMap((records) => [...records])
    .filter(
      ({ order, status }) =>
        order.maker === account && holdingOf(order) === holding && status === 'LIVE',
    );
  for (const order of backed)
    if (state.accounts.isOverdrawn(account, holding))
      endOrder(state, order, 'INVALID', 'not enough balance');
}

/** Adds a movement to the activity feed; one that was added before stays as it was. */
function record(
  state: EngineState,
  { account: name, tokenId, transactionHash, kind, ...amounts }: ChainMovement,
): void {
  const account = name as AccountName; // an address: the chain has no other names
  if (
    state.activity.some(
      (known) =>
        known.transactionHash === transactionHash &&
        known.account === account &&
        known.tokenId === tokenId,
    )
  )
    return;
  const market = tokenId === null ? null : (state.marketByToken.get(tokenId) ?? null);
  if (tokenId !== null && (market === null || market.payoutTicks === null)) return;
  const payout =
    market === null || tokenId === null
      ? 0
      : (market.payoutTicks?.[market.market.tokens[0] === tokenId ? 0 : 1] ?? 0);
  const usdcMicros =
    tokenId === null
      ? amounts.usdcMicros
      : mulDiv(amounts.sharesMicros, payout, TICKS_PER_USD, 'floor');
  const entry = {
    kind,
    account,
    usdcMicros,
    sharesMicros: amounts.sharesMicros,
    marketId: market?.market.marketId ?? null,
    tokenId,
    atMs: state.clock.nowMs(),
    transactionHash,
  };
  state.activity.push(entry);
  state.dirty.activity.push(entry);
}

import type { DepositRecord } from '../../domain/deposit.ts';
import type { DomainEvent } from '../../domain/events.ts';
import type { AgentId, UserId } from '../../domain/ids.ts';
import type { LaunchRecord } from '../../domain/launch.ts';
import type { FoundByStop, NotificationFacts, StoppedBy } from '../../domain/notification.ts';
import { isTerminal } from '../../domain/order.ts';
import type { RegistryRecord } from '../../domain/registry.ts';
import { formatTokenAmount } from '../../domain/token-amount.ts';
import { isSwapOver, receivedSide, type SwapRecord } from '../../domain/swap.ts';
import type { TokenArrival } from '../../domain/token-arrival.ts';
import { isTransactionOver, type TransactionRecord } from '../../domain/transaction.ts';
import type { Key, StoreReader } from '../../ports/store.ts';
import { AGENTS, OPEN_ORDERS, ORDERS, POSITION_TIMES, STOPS } from '../books/tables.ts';
import { API_KEY_QUESTIONS } from '../api-keys/tables.ts';
import { movementFacts } from './movement-facts.ts';
import { endedFacts, endFacts, reversalFacts, tradeFacts } from './trade-facts.ts';

/** A fact a user is to be notified of. */
export interface Notification {
  readonly facts: NotificationFacts;
  /** What it is about, where the same fact may be stated twice; null where it cannot. */
  readonly subject: string | null;
}

/**
 * What a fact tells its user, read in the transaction that states it; null where it tells nothing.
 * Trades of agents are notified where `notifyOnTrade` says so, those of orders placed manually
 * where the user did not turn them off, each as it is in this transaction, with the trade.
 */
export function notificationOf(reader: StoreReader, event: DomainEvent): Notification | null {
  switch (event.type) {
    case 'fill.recorded':
      return once(tradeFacts(reader, event.fill));
    case 'order.changed':
      return once(endedFacts(reader, event));
    case 'fill.reversed':
      return once(reversalFacts(reader, event));
    case 'position.changed':
      return endFacts(reader, event.position);
    case 'ledger.posted':
      return event.isToldByTransfer === true ? null : once(movementFacts(reader, event));
    case 'deposit.changed':
      return failedDeposit(event.deposit);
    case 'deposit.noticed': {
      const { cashAccount, usdc, transactionHash } = event;
      return once({ kind: 'deposit_booked', cashAccount, usdc, transactionHash });
    }
    case 'transaction.changed':
      return once(transactionFacts(event.transaction));
    case 'swap.changed':
      return once(swapFacts(event.swap));
    case 'launch.changed':
      return once(launchFacts(event.launch));
    case 'registry.changed':
      return once(registryFacts(event.record));
    case 'token.arrived':
      return event.arrival.isKnown ? once(arrivalFacts(event.arrival)) : null;
    case 'funds.disputed':
    case 'funds.agreed': {
      const { asset, refusals, reason, retryAtMs } = event.dispute;
      return once({
        kind: event.type === 'funds.disputed' ? 'funds_disputed' : 'funds_agreed',
        asset,
        refusals,
        reason,
        retryAtMs,
      });
    }
    case 'agents.stopped':
      return once({ kind: 'agents_stopped', agents: event.agents });
    case 'agent.unwound':
      return once({ kind: 'agent_wound_up', agentId: event.agentId, policy: event.policy });
    case 'trading.stopped':
      return once({
        kind: 'trading_stopped',
        by: event.by,
        reason: event.reason,
        found: foundByStop(reader, event),
      });
    case 'trading.resumed':
      return once({
        kind: 'trading_resumed',
        by: event.by,
        reason: event.reason,
        stillStoppedBy: stoppedBy(reader, event.userId),
        ...(event.by === 'user' ? agentsOff(reader, event.userId) : {}),
      });
    case 'audit.recorded':
      if (event.action === 'confirmation_asked') return once(confirmationFacts(reader, event));
      if (event.action === 'api_key_created')
        return once({ kind: 'key_created', keyId: event.subject, key: event.detail ?? '' });
      if (event.action === 'key_export_asked')
        return once({ kind: 'key_export_asked', phone: event.subject });
      return event.action === 'key_exported'
        ? once({ kind: 'key_exported', wallet: event.subject, address: event.detail })
        : null;
    default:
      return null;
  }
}

function once(facts: NotificationFacts | null): Notification | null {
  return facts === null ? null : { facts, subject: null };
}

/** What is open as the stop is set, and what its policy does with purchases. */
function foundByStop(
  reader: StoreReader,
  { userId, by }: { readonly userId: UserId; readonly by: StoppedBy },
): FoundByStop {
  const buys = reader.range(OPEN_ORDERS, { prefix: [userId] }).filter(({ key }) => {
    const order = reader.get(ORDERS, key)?.value;
    return order?.intent.side === 'buy' && !isTerminal(order.state);
  });
  const stop = reader.get(STOPS, [by === 'user' ? 'self' : 'user', userId])?.value;
  return {
    openBuys: buys.length,
    areCancelled: stop?.policy === 'cancel_only',
    positions: reader.range(POSITION_TIMES, { prefix: [userId, 'open'] }).length,
  };
}

function stoppedBy(reader: StoreReader, userId: UserId): readonly StoppedBy[] {
  const isSet = (key: Key) => reader.get(STOPS, key)?.value.stopped === true;
  return [
    ...(isSet(['all']) || isSet(['user', userId]) ? (['operator'] as const) : []),
    ...(isSet(['self', userId]) ? (['user'] as const) : []),
  ];
}

/** A stop of all switches agents off, and trading that is resumed does not switch them on. */
function agentsOff(
  reader: StoreReader,
  userId: UserId,
): { readonly agentsOff?: readonly AgentId[] } {
  const off = reader
    .range(AGENTS, { prefix: [userId] })
    .flatMap(({ value: { agentId, enabled, onStop, mode } }) =>
      enabled || (onStop ?? mode) === undefined ? [] : [agentId],
    );
  return off.length === 0 ? {} : { agentsOff: off };
}

/**
 * Once for each deposit: one that will not be credited is so from when the bridge reports it, and
 * may fail after that.
 */
function failedDeposit({
  depositId,
  address,
  state,
  problem,
  transfer: { chainId, tokenAddress, amount },
}: DepositRecord): Notification | null {
  if (problem === null && state !== 'failed' && state !== 'vanished') return null;
  const about = { depositId, address, state, problem, chainId, tokenAddress, amount };
  return { facts: { kind: 'deposit_failed', ...about }, subject: `deposit_failed:${depositId}` };
}

function arrivalFacts({
  chain,
  token,
  symbol,
  units,
  decimals,
  transactionHash,
}: TokenArrival): NotificationFacts {
  const amount = formatTokenAmount(BigInt(units), decimals);
  return { kind: 'token_arrived', chain, token, symbol, amount, transactionHash };
}

function launchFacts({
  launchId,
  state,
  name,
  symbol,
  mint,
  reason,
}: LaunchRecord): NotificationFacts | null {
  if (state === 'queued') return null;
  return { kind: 'launch_ended', launchId, state, name, symbol, mint, reason };
}

/** How it ended; what is under way tells nothing. */
function registryFacts({
  entryId,
  state,
  agentId,
  asset,
  reason,
}: RegistryRecord): NotificationFacts | null {
  if (state === 'queued') return null;
  return { kind: 'registry_ended', entryId, state, agentId, asset, reason };
}

/** How a swap ended; one under way tells nothing. */
function swapFacts(swap: SwapRecord): NotificationFacts | null {
  const { swapId, state, sell, buy, amount, received, reason } = swap;
  if (!isSwapOver(state)) return null;
  const side = receivedSide(swap);
  return {
    kind: 'swap_ended',
    swapId,
    state,
    from: sell.chain,
    to: buy.chain,
    sold: formatTokenAmount(BigInt(amount), sell.decimals),
    sellSymbol: sell.symbol,
    received:
      received === null || side === null
        ? null
        : formatTokenAmount(BigInt(received), side.decimals),
    buySymbol: (side ?? (state === 'refunded' ? sell : buy)).symbol,
    reason,
  };
}

/** How a withdrawal or a transfer of the user's own ended. */
function transactionFacts({
  transactionId,
  account,
  purpose,
  state,
  reason,
  transactionHash,
}: TransactionRecord): NotificationFacts | null {
  if (!isTransactionOver(state)) return null;
  const isDone = state === 'done';
  if (purpose.kind === 'send') {
    const { symbol, to, units, decimals } = purpose.data;
    return {
      kind: isDone ? 'send_settled' : 'send_failed',
      transactionId,
      chain: account.chain,
      symbol,
      to,
      reason,
      transactionHash,
      amount: formatTokenAmount(BigInt(units), decimals),
    };
  }
  if (purpose.kind !== 'withdraw' && purpose.kind !== 'transfer') return null;
  const about = { transactionId, token: purpose.data.token, reason, transactionHash };
  return purpose.kind === 'withdraw'
    ? {
        kind: isDone ? 'withdrawal_settled' : 'withdrawal_returned',
        usdc: purpose.data.usdc,
        ...about,
      }
    : {
        kind: isDone ? 'transfer_settled' : 'transfer_failed',
        usdc: purpose.data.amount,
        ...about,
      };
}

/** What an assistant waits for, as it was put forward in this transaction. */
function confirmationFacts(
  reader: StoreReader,
  { userId, subject }: { readonly userId: UserId; readonly subject: string },
): NotificationFacts | null {
  const asked = reader.get(API_KEY_QUESTIONS, [userId, subject])?.value;
  if (asked === undefined) return null;
  const { side, setsAside, expiresAtMs, market } = asked;
  return {
    kind: 'confirmation_asked',
    confirmationId: subject,
    side,
    expiresAtMs,
    ...setsAside,
    ...(market === undefined ? {} : { market }),
  };
}

import { asId, type Address } from '../../domain/ids.ts';
import { formatTokenAmount } from '../../domain/token-amount.ts';
import type { SendPurpose } from '../../domain/transaction.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EvmReceipt } from '../../ports/evm.ts';
import type { ChainReceipt } from '../../ports/transactions.ts';
import { audit } from '../audit.ts';
import { endHold } from '../books/holds.ts';
import type { TransactionBooks } from '../transactions/transaction-effects.ts';
import { transfersOf } from '../wallets/contract-calls.ts';
import { isSameAddress } from '../wallets/contracts.ts';

/**
 * Creates what transfers to others mean for the books. A final block with our bytes is the proof
 * that the coin has left, and on Solana any token; a contract of an EVM chain may do otherwise than
 * it is told, so that its own events say what has. What was held is booked then, and given back
 * where it never leaves.
 */
export function createSendBooks(marketClock: Clock): TransactionBooks<ChainReceipt | EvmReceipt> {
  return {
    verdict: ({ account, purpose }, receipt) =>
      purpose.kind === 'send' && purpose.token !== null && account.rail === 'evm'
        ? verdictOf(account.address, purpose, receipt)
        : { state: 'done', reason: null },
    close(tx, { userId, transactionId, purpose, state, reason, transactionHash, updatedAtMs }) {
      const isDone = state === 'done';
      if (purpose.kind === 'send' && purpose.usdc !== null)
        endHold(
          tx,
          { userId, holdId: transactionId },
          { how: isDone ? 'booked' : 'released', atMs: marketClock.nowMs() },
        );
      audit(tx, {
        userId,
        atMs: updatedAtMs,
        action: 'send_ended',
        subject: transactionId,
        detail: isDone
          ? `done in ${transactionHash ?? 'no transaction'}`
          : `failed: ${reason ?? 'no reason'}`,
      });
    },
  };
}

/** What the token's own events say: nothing left, all of it arrived, or less than was sent. */
function verdictOf(
  from: string,
  { token, symbol, decimals, to, units }: SendPurpose,
  receipt: ChainReceipt | EvmReceipt | null,
): ReturnType<TransactionBooks<ChainReceipt>['verdict']> {
  const moves =
    receipt !== null && 'logs' in receipt && token !== null
      ? transfersOf(receipt, asId<Address>(token))
      : [];
  const sum = (isOurs: (move: (typeof moves)[number]) => boolean) =>
    moves.filter(isOurs).reduce((total, { amount }) => total + amount, 0n);
  if (sum((move) => isSameAddress(move.from, from)) === 0n)
    return { state: 'failed', reason: `executed, and no ${symbol} left your wallet` };
  const arrived = sum((move) => isSameAddress(move.to, to));
  return {
    state: 'done',
    reason:
      arrived === BigInt(units)
        ? null
        : `${formatTokenAmount(arrived, decimals)} ${symbol} arrived: the token keeps the rest`,
  };
}

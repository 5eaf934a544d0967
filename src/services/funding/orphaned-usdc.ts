import { ORPHANED_USDC } from '../../../config/limits/funds.ts';
import type { Address, UserId } from '../../domain/ids.ts';
import { isTransactionOver } from '../../domain/transaction.ts';
import type { TransactionPurpose } from '../../domain/transaction-purpose.ts';
import { formatMicros, usdcMicros } from '../../domain/units.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { StoreReader } from '../../ports/store.ts';
import { audit } from '../audit.ts';
import { openTransactions, pageOfTransactions } from '../transactions/transaction-records.ts';
import { approveCall, callsBody, wrapCall } from '../wallets/contract-calls.ts';
import { isSameAddress, safeAccount, symbolOf, type MoneyContracts } from '../wallets/contracts.ts';
import type { Onboarding } from '../wallets/onboarding.ts';
import type { Transactions } from '../transactions/transactions.ts';

/**
 * Plain dollars that lie in Safes: nothing can be done with them there, so they are turned into
 * collateral.
 */
export interface OrphanedUsdc {
  /** Tokens whose balance `tend` receives. */
  readonly tokens: readonly Address[];
  /**
   * Queues the wrapping of what a Safe holds of them, in the order of `tokens`, unless it is dust,
   * under way, or failed a short while ago; gives how many it queued. What comes of it is a
   * deposit. Errors: `limit_reached`, `store_unavailable`.
   */
  tend(userId: UserId, held: readonly bigint[]): Promise<number>;
}

/** Makes the service. */
export function createOrphanedUsdc({
  store,
  commit,
  transactions,
  onboarding,
  contracts,
  clock,
}: Pick<Runtime, 'store' | 'commit' | 'clock'> & {
  readonly transactions: Transactions;
  readonly onboarding: Pick<Onboarding, 'safeOf' | 'missing'>;
  readonly contracts: Pick<MoneyContracts, 'collateral' | 'onramp' | 'dollars'>;
}): OrphanedUsdc {
  const { collateral, onramp, dollars } = contracts;
  const tokens = dollars
    .map(({ address }) => address)
    .filter((address) => !isSameAddress(address, collateral));

  /**
   * Dust of others must not cost a transaction, nor an onramp that does not take a token one
   * a minute.
   */
  function isDue(reader: StoreReader, userId: UserId, token: Address): boolean {
    const isOfToken = (purpose: TransactionPurpose) =>
      purpose.kind === 'wrap' && isSameAddress(purpose.data.token, token);
    if (openTransactions(reader, userId).some(({ purpose }) => isOfToken(purpose))) return false;
    const { data } = pageOfTransactions(reader, userId, {
      kind: 'wrap',
      limit: tokens.length * ORPHANED_USDC.attemptsRead,
      cursor: null,
    });
    const last = data.find(({ purpose, state }) => isOfToken(purpose) && isTransactionOver(state));
    return (
      last === undefined ||
      last.state === 'done' ||
      clock.nowMs() - last.updatedAtMs >= ORPHANED_USDC.retryMs
    );
  }

  async function wrap(userId: UserId, token: Address, held: bigint): Promise<boolean> {
    const amount = usdcMicros(Number(held));
    const safe = onboarding.safeOf(userId);
    const body = callsBody([
      approveCall(token, onramp, held),
      wrapCall(onramp, { asset: token, to: safe, amount: held }),
    ]);
    const isQueued = await commit((tx) => {
      if (!isDue(tx, userId, token)) return false;
      const { transactionId } = transactions.intend(tx, {
        userId,
        account: safeAccount(safe),
        purpose: { owner: 'safe', kind: 'wrap', data: { token, amount } },
        body,
      });
      audit(tx, {
        userId,
        atMs: clock.nowMs(),
        action: 'wrap_started',
        subject: transactionId,
        detail: `${formatMicros(amount)} ${symbolOf(dollars, token)} in the Safe`,
      });
      return true;
    });
    if (isQueued) transactions.wake(userId);
    return isQueued;
  }

  return {
    tokens,
    async tend(userId, held) {
      if (onboarding.missing(userId).length > 0) return 0;
      let queued = 0;
      for (const [index, token] of tokens.entries()) {
        const amount = held[index] ?? 0n;
        if (
          amount < BigInt(ORPHANED_USDC.minimumMicros) ||
          amount > BigInt(Number.MAX_SAFE_INTEGER) ||
          !isDue(store, userId, token)
        )
          continue;
        if (await wrap(userId, token, amount)) queued += 1;
      }
      return queued;
    },
  };
}

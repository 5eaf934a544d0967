import { VENUE_C_ALLOWANCE, VENUE_C_POOL } from '../../../../config/limits/venue-c.ts';
import { AppError } from '../../../domain/errors.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { VenueTrading } from '../../../ports/venue.ts';
import { createSharedQuestions } from '../../../services/shared-questions.ts';
import { within } from '../../../services/tokens/within.ts';
import type { Accounts } from '../accounts.ts';
import type { Allowances } from '../allowances.ts';
import { ownOf } from '../own.ts';

/**
 * Creates the statement of what the network takes for an order of a book: nothing of the order
 * itself, but of the rights that the wallet gives before its first. It is refused in the words of
 * `Allowances.ensure` where the wallet cannot pay for them.
 */
export function createOrderGas({
  accounts,
  allowances,
  wallClock,
}: {
  readonly accounts: Pick<Accounts, 'gas'>;
  readonly allowances: Pick<Allowances, 'missing'>;
  /** Of the chain. */
  readonly wallClock: Clock;
}): NonNullable<VenueTrading['gas']> {
  const asked = createSharedQuestions({
    clock: wallClock,
    keptMs: VENUE_C_POOL.gasKeptMs,
    failedKeptMs: VENUE_C_POOL.gasKeptMs,
    keptMaximum: VENUE_C_POOL.gasWalletsRemembered,
  });
  const read = async (
    ...[userId, { side, market }]: Parameters<NonNullable<VenueTrading['gas']>>
  ) => {
    const own = ownOf(market);
    // Refused as what it is, whatever its rights.
    if (market.notTradeable !== undefined || own.tradeType !== 'clob') return 'none';
    const missing = await allowances.missing(userId, { ...own, side });
    if (missing === 0) return 'none';
    const { fees, needed, held, problem } = await accounts.gas(userId);
    return {
      chain: 'BASE',
      // what is signed allows for twice the base fee (`src/adapters/evm`)
      amount:
        (BigInt(VENUE_C_ALLOWANCE.gasUsed * missing) *
          (fees.maxFeePerGas + fees.maxPriorityFeePerGas)) /
        2n,
      needed,
      held,
      lacking:
        problem === null ? null : new AppError('wallet_not_ready', problem, { retryable: true }),
    } as const;
  };
  return async (userId, order) => {
    const name = `${userId} ${order.side} ${order.market.marketId}`;
    try {
      return await within(
        asked(name, () => read(userId, order)),
        wallClock,
        VENUE_C_POOL.gasWaitMs,
      );
    } catch (cause) {
      if (cause instanceof AppError && cause.code === 'chain_unavailable') return null;
      throw cause;
    }
  };
}

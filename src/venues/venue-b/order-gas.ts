import { VENUE_B_ORDER } from '../../../config/limits/venue-b.ts';
import { associatedAccounts } from '../../adapters/solana/history.ts';
import { AppError } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Solana, SolanaTrials } from '../../ports/solana.ts';
import type { VenueTrading } from '../../ports/venue.ts';
import { within } from '../../services/tokens/within.ts';
import type { Sponsor } from './sponsor.ts';
import { lacksSol } from './transaction-check.ts';

/**
 * Creates the statement of what the network takes of the wallet for an order, before the venue is
 * asked for its transaction: the fee with the highest priority that is bid, the rent of the account
 * for the token that comes in where the wallet has none yet. It is the most: what holds an order
 * until it is filled gives its rent back. What the first buyer of a market pays for its tokens is
 * beside it, and stated with the market.
 */
export function createOrderGas(parts: {
  readonly walletOf: (userId: UserId) => Promise<string>;
  readonly solana: Pick<Solana, 'lamports'>;
  readonly trials: Pick<SolanaTrials, 'accounts'>;
  /** Null where each wallet pays for itself. */
  readonly sponsor: Pick<Sponsor, 'canPay'> | null;
  readonly settlementMint: string;
  /** Of the chain. */
  readonly wallClock: Clock;
}): NonNullable<VenueTrading['gas']> {
  const { solana, sponsor, trials, settlementMint, walletOf } = parts;
  const read = async (
    ...[userId, { side, outcome, market }]: Parameters<NonNullable<VenueTrading['gas']>>
  ) => {
    const { feeLamports, priorityLamports, rentLamports, lamportsNeeded } = VENUE_B_ORDER;
    const wallet = await walletOf(userId);
    const comesIn = side === 'buy' ? market.outcomes[outcome].tokenId : settlementMint;
    const [held, isSponsored, own] = await Promise.all([
      solana.lamports(wallet),
      sponsor?.canPay(userId) ?? false,
      trials.accounts(associatedAccounts(wallet, comesIn)),
    ]);
    if (isSponsored) return 'none';
    const rent = own.some((account) => account !== null) ? 0 : rentLamports;
    const needed = BigInt(lamportsNeeded);
    return {
      chain: 'SOLANA',
      amount: BigInt(feeLamports + priorityLamports + rent),
      rent: BigInt(rent),
      needed,
      held,
      lacking: held < needed ? lacksSol() : null,
    } as const;
  };
  return async (userId, order) => {
    try {
      return await within(read(userId, order), parts.wallClock, VENUE_B_ORDER.gasWaitMs);
    } catch (cause) {
      if (cause instanceof AppError && cause.code === 'chain_unavailable') return null;
      throw cause;
    }
  };
}

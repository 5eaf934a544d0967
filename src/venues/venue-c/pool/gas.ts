import { EVM_TRANSFER } from '../../../../config/limits/funds.ts';
import { VENUE_C_POOL } from '../../../../config/limits/venue-c.ts';
import { AppError } from '../../../domain/errors.ts';
import type { Address, UserId } from '../../../domain/ids.ts';
import type { TradeSide } from '../../../domain/order.ts';
import { formatTokenAmount } from '../../../domain/token-amount.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { EvmChain } from '../../../ports/evm.ts';
import type { EvmAccounts, EvmFees } from '../../../ports/evm-account.ts';
import type { OrderGas } from '../../../ports/venue.ts';
import { createSharedQuestions } from '../../../services/shared-questions.ts';
import { within } from '../../../services/tokens/within.ts';

/** What the network takes for a trade; null where the chain does not tell soon. */
export type PoolGas = (
  userId: UserId,
  order: { readonly side: TradeSide },
) => Promise<OrderGas | null>;

/**
 * Creates the statement of what the network takes for a trade, before it is made: one reading of
 * the fees for all who ask within a block's time, and one of each wallet.
 */
export function createPoolGas({
  chain,
  walletOf,
  wallClock,
}: {
  readonly chain: {
    readonly evm: Pick<EvmChain, 'chainId' | 'balances'>;
    readonly accounts: Pick<EvmAccounts, 'fees'>;
  };
  readonly walletOf: (userId: UserId) => Promise<Address>;
  /** Of the chain. */
  readonly wallClock: Clock;
}): PoolGas {
  const shared = { clock: wallClock, keptMs: VENUE_C_POOL.gasKeptMs };
  const feesAsked = createSharedQuestions({
    ...shared,
    failedKeptMs: VENUE_C_POOL.gasKeptMs,
    keptMaximum: 1,
  });
  const coinsAsked = createSharedQuestions({
    ...shared,
    failedKeptMs: VENUE_C_POOL.gasKeptMs,
    keptMaximum: VENUE_C_POOL.gasWalletsRemembered,
  });
  const read = async (userId: UserId, side: TradeSide) => {
    const wallet = await walletOf(userId);
    const [fees, { wei: held }] = await Promise.all([
      feesAsked('fees', () => chain.accounts.fees()),
      coinsAsked(wallet, () => chain.evm.balances(wallet, [])),
    ]);
    const needed = gasNeeded(chain, fees);
    return {
      chain: 'BASE',
      // what is signed allows for twice the base fee (`src/adapters/evm`)
      amount:
        (BigInt(VENUE_C_POOL.gasUsed[side]) * (fees.maxFeePerGas + fees.maxPriorityFeePerGas)) / 2n,
      needed,
      held,
      lacking: held >= needed ? null : gasLacking(wallet, { needed, held }),
    } as const;
  };
  return async (userId, { side }) => {
    try {
      return await within(read(userId, side), wallClock, VENUE_C_POOL.gasWaitMs);
    } catch (cause) {
      if (cause instanceof AppError && cause.code === 'chain_unavailable') return null;
      throw cause;
    }
  };
}

/**
 * Returns the coin, wei, that a right and a trade may take, also where they have to pay more to be
 * taken.
 */
export function gasNeeded(
  { evm }: { readonly evm: Pick<EvmChain, 'chainId'> },
  { maxFeePerGas }: Pick<EvmFees, 'maxFeePerGas'>,
): bigint {
  return (
    (BigInt(VENUE_C_POOL.gasUnits) * maxFeePerGas * EVM_TRANSFER.reservePercent) / 100n +
    (EVM_TRANSFER.publishingWei[evm.chainId] ?? 0n)
  );
}

/** Returns the refusal of a trade whose wallet cannot pay the network. */
export function gasLacking(
  wallet: Address,
  { needed, held }: { readonly needed: bigint; readonly held: bigint },
): AppError {
  const coin = (amount: bigint): string => formatTokenAmount(amount, 18);
  return new AppError(
    'wallet_not_ready',
    `a trade with a pool needs ETH for gas: about ${coin(roundedUp(needed))} ETH on Base, and your wallet ${wallet} holds ${coin(held)}`,
  );
}

/** Rounds up to the first two digits: fees change with each block. */
function roundedUp(amount: bigint): bigint {
  const unit = 10n ** BigInt(Math.max(0, String(amount).length - 2));
  return ((amount + unit - 1n) / unit) * unit;
}

import { VENUE_B_ORDER } from '../../../config/limits/venue-b.ts';
import type { UserId } from '../../domain/ids.ts';
import { formatTokenAmount } from '../../domain/token-amount.ts';
import { usdcMicros } from '../../domain/units.ts';
import type { KeyVault } from '../../ports/key-vault.ts';
import type { Solana } from '../../ports/solana.ts';
import type { VenueAccounts } from '../../ports/venue.ts';

const SOL_DECIMALS = 9;

/** What the accounts are made of. */
export interface AccountParts {
  readonly vault: Pick<KeyVault, 'has' | 'load' | 'solanaAddressOf'>;
  readonly solana: Pick<Solana, 'lamports' | 'tokenAccounts'>;
  readonly settlementMint: string;
}

/**
 * Creates the users' accounts, of which the venue has none: a wallet is one by itself, and what
 * arrives in it the chain tells (venue_b.md section 10).
 */
export function createAccounts({ vault, solana, settlementMint }: AccountParts): VenueAccounts {
  async function walletOf(userId: UserId): Promise<string> {
    if (!vault.has(userId)) await vault.load(userId);
    return vault.solanaAddressOf(userId);
  }
  return {
    async open(userId) {
      await walletOf(userId);
    },
    async missing(userId) {
      const wallet = await walletOf(userId);
      const lamports = await solana.lamports(wallet);
      const needed = BigInt(VENUE_B_ORDER.lamportsNeeded);
      if (lamports >= needed) return [];
      return [
        `not enough SOL for fees: a trade takes about ${sol(needed)} SOL, and your wallet ${wallet} holds ${sol(lamports)}`,
      ];
    },
    deposits: () => Promise.resolve([]),
    async collateral(userId) {
      const accounts = await solana.tokenAccounts(await walletOf(userId));
      const held = accounts
        .filter(({ mint }) => mint === settlementMint)
        .reduce((sum, { amount }) => sum + amount, 0n);
      return usdcMicros(Number(held));
    },
  };
}

function sol(lamports: bigint): string {
  return formatTokenAmount(lamports, SOL_DECIMALS);
}

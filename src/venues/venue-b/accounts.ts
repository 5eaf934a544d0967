import { VENUE_B_ORDER } from '../../../config/limits/venue-b.ts';
import { asId, type TokenId, type UserId } from '../../domain/ids.ts';
import { formatTokenAmount } from '../../domain/token-amount.ts';
import { shareMicros, usdcMicros, type ShareMicros } from '../../domain/units.ts';
import type { KeyVault } from '../../ports/key-vault.ts';
import type { Solana, SolanaHistories } from '../../ports/solana.ts';
import type { VenueAccounts, WalletHoldings, WalletReads } from '../../ports/venue.ts';
import type { Sponsor } from './sponsor.ts';

const SOL_DECIMALS = 9;
/** Of USDC and of every outcome's token (venue_b.md section 6). */
const SHARE_DECIMALS = 6;

/**
 * Creates the users' accounts, of which the venue has none: a wallet is one by itself, and what
 * arrives in it the chain tells (venue_b.md section 10).
 */
export function createAccounts({
  vault,
  solana,
  histories,
  settlementMint,
  sponsor,
}: {
  readonly vault: Pick<KeyVault, 'has' | 'load' | 'solanaAddressOf'>;
  readonly solana: Pick<Solana, 'lamports' | 'tokenAccounts'>;
  readonly histories: SolanaHistories;
  readonly settlementMint: string;
  /** Null where each wallet pays for itself. */
  readonly sponsor: Pick<Sponsor, 'canPay'> | null;
}): VenueAccounts & { readonly wallet: WalletReads } {
  async function walletOf(userId: UserId): Promise<string> {
    if (!vault.has(userId)) await vault.load(userId);
    return vault.solanaAddressOf(userId);
  }
  async function holdings(userId: UserId): Promise<WalletHoldings> {
    const tokens = new Map<TokenId, ShareMicros>();
    let usdc = 0n;
    for (const { mint, amount, decimals } of await solana.tokenAccounts(await walletOf(userId))) {
      if (mint === settlementMint) usdc += amount;
      else if (decimals === SHARE_DECIMALS && amount <= BigInt(Number.MAX_SAFE_INTEGER)) {
        const tokenId = asId<TokenId>(mint);
        tokens.set(tokenId, shareMicros((tokens.get(tokenId) ?? 0) + Number(amount)));
      }
    }
    return { usdc: usdcMicros(Number(usdc)), tokens };
  }
  return {
    async open(userId) {
      await walletOf(userId);
    },
    async missing(userId) {
      const wallet = await walletOf(userId);
      const lamports = await solana.lamports(wallet);
      const needed = BigInt(VENUE_B_ORDER.lamportsNeeded);
      if (lamports >= needed || (await sponsor?.canPay(userId)) === true) return [];
      return [
        `not enough SOL for fees: a trade takes about ${sol(needed)} SOL, and your wallet ${wallet} holds ${sol(lamports)}`,
      ];
    },
    deposits: () => Promise.resolve([]),
    collateral: async (userId) => (await holdings(userId)).usdc,
    wallet: {
      holdings,
      async history(userId, tokenId, since) {
        const mint = tokenId ?? settlementMint;
        const history = await histories.of(await walletOf(userId), mint, since);
        if (history.kind !== 'read') return history;
        const movements = history.movements.map(({ signature, units }) => ({
          transactionHash: signature,
          micros: Number(units),
        }));
        return { ...history, movements };
      },
    },
  };
}

function sol(lamports: bigint): string {
  return formatTokenAmount(lamports, SOL_DECIMALS);
}

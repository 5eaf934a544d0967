import { z } from 'zod';
import { NewestKept } from '../../adapters/memory/newest-kept.ts';
import { base58Of } from '../../adapters/wire/base58.ts';
import { VENUE_B } from '../../../config/limits/venue-b.ts';
import { AppError } from '../../domain/errors.ts';
import type { SolanaAddress, UserId } from '../../domain/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KeyVault } from '../../ports/key-vault.ts';
import type { IdentityCheck } from '../../ports/venue.ts';
import type { VenueClient } from './client.ts';

/** Wallets whose person the venue is known to know, over restarts. */
export interface VerifiedWallets {
  has(address: SolanaAddress): boolean;
  keep(address: SolanaAddress): Promise<void>;
}

const verifiedSchema = z.object({ verified: z.boolean() });

/**
 * Creates the check of who a wallet belongs to (venue_b.md section 11): "verified" is kept for
 * good, its absence never.
 */
export function createIdentityCheck({
  client,
  vault,
  verified,
  proofPageUrl,
  returnUrl,
  wallClock,
}: {
  readonly client: VenueClient;
  readonly vault: Pick<KeyVault, 'has' | 'load' | 'solanaAddressOf' | 'signSolana'>;
  readonly verified: VerifiedWallets;
  /** The page where people prove who they are. */
  readonly proofPageUrl: string;
  /** Where it sends them afterwards; null for nowhere. */
  readonly returnUrl: string | null;
  /** Wall time: the page refuses a signature made long ago. */
  readonly wallClock: Clock;
}): IdentityCheck {
  const recent = new NewestKept<true>(VENUE_B.tokensKnownMaximum);

  async function addressOf(userId: UserId): Promise<SolanaAddress> {
    if (!vault.has(userId)) await vault.load(userId);
    return vault.solanaAddressOf(userId);
  }

  return {
    async isVerified(userId) {
      const address = await addressOf(userId);
      if (recent.get(address) === true || verified.has(address)) return true;
      const value = await client.read({ family: 'identity', path: `/verify/${address}` });
      const answer = verifiedSchema.safeParse(value ?? { verified: false });
      if (!answer.success)
        throw new AppError('venue_protocol', 'unexpected format of the answer about a wallet');
      if (!answer.data.verified) return false;
      recent.keep(address, true);
      await verified.keep(address);
      return true;
    },
    async link(userId) {
      const address = await addressOf(userId);
      const timestamp = String(Math.floor(wallClock.nowMs()));
      const message = Buffer.from(`Proof KYC verification: ${timestamp}`, 'utf8');
      const url = new URL(proofPageUrl);
      url.searchParams.set('wallet', address);
      url.searchParams.set('signature', base58Of(vault.signSolana(userId, message)));
      url.searchParams.set('timestamp', timestamp);
      if (returnUrl !== null) url.searchParams.set('redirect_uri', returnUrl);
      return url.href;
    },
  };
}

import { sign } from 'node:crypto';
import { VENUE_B_SPONSOR } from '../../../config/limits/venue-b.ts';
import { base58Bytes, base58Of } from '../../adapters/wire/base58.ts';
import { ed25519Key, ed25519PublicBytes } from '../../adapters/wire/ed25519.ts';
import { AppError } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Solana } from '../../ports/solana.ts';
import type { StoreReader, Table } from '../../ports/store.ts';
import { VENUE_B_ID } from './id.ts';

/** Pays the network for orders of users, in SOL of the service's own (venue_b.md section 9.1). */
export interface Sponsor {
  readonly address: string;
  /** Options sent to `/order` on how it is carried out; null: none. */
  readonly exec: boolean | null;
  /**
   * Resolves with whether it can pay for an order of this user now. Errors: `chain_unavailable`.
   */
  canPay(userId: UserId): Promise<boolean>;
  /**
   * Counts what an order takes, lamports, before it is signed; it is never given back. Errors:
   * `insufficient_funds` where it is more than is left of the day; `store_unavailable`.
   */
  take(userId: UserId, lamports: bigint): Promise<void>;
  /** Signs a message: 64 bytes. */
  sign(message: Uint8Array): Uint8Array;
}

/** How a sponsor is set. */
export interface SponsorSettings {
  /** As Solana wallets write a secret key: seed and public key in base58. */
  readonly key: string;
  /** What all users' orders may take in a UTC day, lamports. */
  readonly dailyLamports: number;
  readonly exec: boolean | null;
}

/** What a sponsor's orders took: [UTC day], and each user's part of it: [UTC day, userId]. */
export const SPONSORED: Table<{ readonly lamports: number }> = { name: 'venue_b_sponsored' };

const DAY_MS = 86_400_000;

/** Reports whether a text is a secret key: a seed with the public key that belongs to it. */
export function isSecretKey(text: string): boolean {
  const bytes = base58Bytes(text);
  if (bytes?.length !== 64) return false;
  const belongs = ed25519PublicBytes(ed25519Key(bytes.subarray(0, 32)));
  return Buffer.from(belongs).equals(bytes.subarray(32));
}

/** Makes the sponsor of a key that is one (`isSecretKey`). */
export function createSponsor(
  { key, dailyLamports, exec }: SponsorSettings,
  {
    store,
    solana,
    wallClock,
    metrics,
  }: Pick<Runtime, 'store' | 'metrics'> & {
    readonly solana: Pick<Solana, 'lamports'>;
    /** Wall time: it makes the days. */
    readonly wallClock: Clock;
  },
): Sponsor {
  const bytes = base58Bytes(key) ?? new Uint8Array();
  const secret = ed25519Key(bytes.subarray(0, 32));
  bytes.fill(0);
  const address = base58Of(ed25519PublicBytes(secret));
  const venue = VENUE_B_ID;
  metrics.count('venue_sponsored_lamports_total', { venue }, 0);
  const today = (): number => Math.floor(wallClock.nowMs() / DAY_MS);
  /** What an order of this user may still take today. */
  const leftFor = (reader: StoreReader, userId: UserId): number => {
    const taken = (parts: readonly UserId[]): number =>
      reader.get(SPONSORED, [today(), ...parts])?.value.lamports ?? 0;
    return Math.min(
      dailyLamports - taken([]),
      VENUE_B_SPONSOR.perUserDailyLamports - taken([userId]),
    );
  };
  return {
    address,
    exec,
    async canPay(userId) {
      if (leftFor(store, userId) < VENUE_B_SPONSOR.lamportsNeeded) return false;
      const held = await solana.lamports(address);
      metrics.gauge('venue_sponsor_lamports', Number(held), { venue });
      return held >= BigInt(VENUE_B_SPONSOR.lamportsNeeded);
    },
    async take(userId, lamports) {
      const wanted = Math.max(0, Number(lamports));
      await store.write((tx) => {
        if (leftFor(tx, userId) < wanted) throw spent();
        const day = today();
        for (const { key: past } of tx.range(SPONSORED, { limit: VENUE_B_SPONSOR.rowsForgotten }))
          if (Number(past[0]) < day) tx.remove(SPONSORED, past);
        for (const row of [[day], [day, userId]])
          tx.put(SPONSORED, row, {
            lamports: (tx.get(SPONSORED, row)?.value.lamports ?? 0) + wanted,
          });
      });
      await store.flushed();
      metrics.count('venue_sponsored_lamports_total', { venue }, wanted);
    },
    sign: (message) => new Uint8Array(sign(null, message, secret)),
  };
}

function spent(): AppError {
  return new AppError(
    'insufficient_funds',
    'not enough SOL for fees: the service has paid all it pays for orders today; send some SOL to the Solana wallet, or try again tomorrow',
    { retryable: true },
  );
}

import { AppError } from '../../domain/errors.ts';
import { asId, type Address, type UserId } from '../../domain/ids.ts';
import type { JsonValue } from '../../domain/json-value.ts';
import type { OrderIntent, SignedAttempt } from '../../domain/order.ts';
import { timeInForceOf } from '../../domain/time-in-force.ts';
import { VENUE_A, VENUE_A_TRAITS } from '../../../config/limits/venue-a.ts';
import { SIGNING } from '../../../config/limits/signing.ts';
import type { KeyVault } from '../../ports/key-vault.ts';
import type { OrderSigner, Prepared } from '../../ports/order-signer.ts';
import type { Random } from '../../ports/random.ts';
import { hexOf } from '../../adapters/wire/hex.ts';
import type { Keccak } from '../../adapters/wire/keccak.ts';
import { addressBytes, domainSeparator, wordOfToken } from '../../adapters/wire/typed-data.ts';
import { orderBody } from './orders/order-body.ts';
import { createOrderHasher, type OrderFields, type SignatureType } from './orders/order-hash.ts';
import { cachedReading } from '../../adapters/memory/cached-reading.ts';
import { createWalletSigner } from './orders/wallet-signature.ts';
import { ownOf } from './own.ts';

/** Signs orders of venue_a. */
export interface VenueASigner extends OrderSigner {
  /** Whose funds an order of this user moves. */
  makerOf(userId: UserId): Address;
}

/** What the venue's signatures are bound to, and on whose behalf they are given. */
export interface OrderSignerConfig {
  readonly chainId: number;
  readonly exchange: Address;
  readonly negRiskExchange: Address;
  readonly domainName: string;
  readonly domainVersion: string;
  /** Whose funds move: the key's own account, or a wallet it controls. */
  readonly account:
    | { readonly signatureType: 0 }
    | { readonly signatureType: 2 | 3; walletOf(userId: UserId): Address };
  /**
   * API key that owns the user's orders. Errors: `not_found` while the venue account is not open.
   */
  ownerOf(userId: UserId): string;
}

/** What an order of venue_a says beside its intent: kept with it, opaque to the services. */
interface OrderExtra {
  readonly [name: string]: JsonValue;
  /** Integer up to 2^53 − 1. */
  readonly salt: number;
  readonly timestampMs: number;
  /** Signed for the exchange of markets that share their risk with others of an event. */
  readonly negRisk: boolean;
}

const API_KEY = /^[0-9A-Za-z-]{1,64}$/;

/**
 * Makes the venue's order signer: fixed-layout EIP-712, the order id is the digest, the signature
 * is deterministic (RFC 6979), so the same intent gives the same bytes. Errors of `sign`:
 * `internal`, `not_found`.
 */
export function createOrderSigner({
  vault,
  keccak,
  random,
  config,
}: {
  readonly vault: KeyVault;
  readonly keccak: Keccak;
  readonly random: Random;
  readonly config: OrderSignerConfig;
}): VenueASigner {
  const hash = createOrderHasher(keccak);
  const separatorOf = (contract: Address): Uint8Array =>
    domainSeparator(keccak, {
      name: config.domainName,
      version: config.domainVersion,
      chainId: config.chainId,
      contract: addressBytes(contract),
    });
  const separators = {
    standard: separatorOf(config.exchange),
    negRisk: separatorOf(config.negRiskExchange),
  };
  const signWallet = createWalletSigner(keccak, config.chainId);
  const { account } = config;
  const makerOf = (userId: UserId): Address =>
    account.signatureType === 0 ? vault.addressOf(userId) : account.walletOf(userId);
  const read: Readings = {
    tokenWord: cachedReading(wordOfToken, SIGNING.textsRemembered),
    addressBytes: cachedReading(addressBytes, SIGNING.textsRemembered),
  };

  return {
    makerOf,
    prepare: ({ market, atMs }): OrderExtra => ({
      salt: random.integer(VENUE_A.saltBound),
      timestampMs: atMs,
      negRisk: ownOf(market).negRisk,
    }),
    sign(intent: OrderIntent, prepared: Prepared | null): SignedAttempt {
      const extra = prepared as OrderExtra; // what `prepare` above made
      checkIntent(intent, extra);
      const owner = config.ownerOf(intent.userId);
      if (!API_KEY.test(owner))
        throw new AppError('internal', `user ${intent.userId} has a malformed API key`);
      const maker = makerOf(intent.userId);
      const signer = account.signatureType === 3 ? maker : vault.addressOf(intent.userId);
      const separator = extra.negRisk ? separators.negRisk : separators.standard;
      const fields = fieldsOf(intent, extra, read, {
        maker,
        signer,
        signatureType: account.signatureType,
      });
      const { structHash, digest } = hash(separator, fields);
      const signDigest = (bytes: Uint8Array): Uint8Array => vault.signDigest(intent.userId, bytes);
      const signature =
        account.signatureType === 3
          ? signWallet({ separator, structHash, wallet: fields.maker, signDigest })
          : signDigest(digest);
      const id = hexOf(digest);
      return {
        attemptId: asId(id),
        orderId: asId(id),
        extra,
        body: orderBody({
          salt: extra.salt,
          tokenId: intent.tokenId,
          side: intent.side,
          makerMicros: intent.spendMicros,
          takerMicros: intent.receiveMicros,
          maker,
          signer,
          owner,
          signatureType: account.signatureType,
          signature: hexOf(signature),
          timestampMs: extra.timestampMs,
          expirationS: expirationOf(intent),
          orderType: timeInForceOf(intent),
        }),
      };
    },
  };
}

/** Readings of texts that come again with every order of a user or a token. */
interface Readings {
  readonly tokenWord: (tokenId: string) => Uint8Array;
  readonly addressBytes: (address: string) => Uint8Array;
}

function fieldsOf(
  intent: OrderIntent,
  extra: OrderExtra,
  read: Readings,
  parts: {
    readonly maker: Address;
    readonly signer: Address;
    readonly signatureType: SignatureType;
  },
): OrderFields {
  const maker = read.addressBytes(parts.maker);
  return {
    salt: extra.salt,
    maker,
    signer: parts.signer === parts.maker ? maker : read.addressBytes(parts.signer),
    tokenId: read.tokenWord(intent.tokenId),
    makerMicros: intent.spendMicros,
    takerMicros: intent.receiveMicros,
    side: intent.side,
    signatureType: parts.signatureType,
    timestampMs: extra.timestampMs,
  };
}

/**
 * Unix seconds, rounded down: the venue stops the order its safety time before this (venue_a.md
 * section 6.2).
 */
function expirationOf(intent: OrderIntent): number {
  return intent.expiresAtMs === null
    ? 0
    : Math.floor((intent.expiresAtMs + VENUE_A_TRAITS.endsEarlyMs) / 1_000);
}

function checkIntent(intent: OrderIntent, { salt, timestampMs }: OrderExtra): void {
  const refuse = (why: string): never => {
    throw new AppError('internal', `intent ${intent.intentId}: ${why}`);
  };
  if (intent.venue !== 'venue_a') refuse(`venue ${intent.venue} has another signer`);
  if (!Number.isSafeInteger(salt) || salt < 0) refuse('salt is no safe integer');
  if (!Number.isSafeInteger(intent.spendMicros) || intent.spendMicros <= 0)
    refuse('maker amount is not positive');
  if (!Number.isSafeInteger(intent.receiveMicros) || intent.receiveMicros <= 0)
    refuse('taker amount is not positive');
  if (!Number.isSafeInteger(timestampMs) || timestampMs <= 0)
    refuse('creation time is not positive');
  if (intent.life !== 'rests' && intent.expiresAtMs !== null)
    refuse('only a resting order has an expiry');
}

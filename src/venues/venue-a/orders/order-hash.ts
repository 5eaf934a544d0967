import type { Keccak } from '../../../adapters/wire/keccak.ts';
import {
  WORD_BYTES,
  hashText,
  typedDataDigest,
  writeSafeInteger,
} from '../../../adapters/wire/typed-data.ts';

/**
 * Type of the venue's V2 order (venue_a.md section 5.1). The type-3 signature carries this text, so
 * it is kept verbatim.
 */
export const ORDER_TYPE =
  'Order(uint256 salt,address maker,address signer,uint256 tokenId,uint256 makerAmount,uint256 takerAmount,uint8 side,uint8 signatureType,uint256 timestamp,bytes32 metadata,bytes32 builder)';

/**
 * How the venue learns who signed: 0 the account's own key, 2 the key of a Safe, 3 the key of a
 * deposit wallet (venue_a.md section 5.1).
 */
export type SignatureType = 0 | 2 | 3;

/** The signed fields of a V2 order, in the venue's words. Metadata and builder are zero. */
export interface OrderFields {
  /** Integer from 0 to 2^53 − 1. */
  readonly salt: number;
  /** 20 bytes. */
  readonly maker: Uint8Array;
  /** 20 bytes. */
  readonly signer: Uint8Array;
  /** 32 bytes. */
  readonly tokenId: Uint8Array;
  readonly makerMicros: number;
  readonly takerMicros: number;
  readonly side: 'buy' | 'sell';
  readonly signatureType: SignatureType;
  /** Epoch ms. */
  readonly timestampMs: number;
}

/** Struct hash and digest of an order; the digest is the venue's order id. */
interface OrderHash {
  readonly structHash: Uint8Array;
  readonly digest: Uint8Array;
}

/** Hashes orders for the given domain separator. */
export type OrderHasher = (separator: Uint8Array, order: OrderFields) => OrderHash;

const WORDS = 12;
const ADDRESS_GAP = WORD_BYTES - 20;

/**
 * Makes a hasher with one reused buffer: type hash and eleven fields at fixed places, the last two
 * always zero. Not re-entrant, and need not be: it is synchronous.
 */
export function createOrderHasher(keccak: Keccak): OrderHasher {
  const bytes = new Uint8Array(WORDS * WORD_BYTES);
  const view = new DataView(bytes.buffer);
  bytes.set(hashText(keccak, ORDER_TYPE), 0);
  return (separator, order) => {
    writeSafeInteger(view, 1, order.salt);
    bytes.set(order.maker, 2 * WORD_BYTES + ADDRESS_GAP);
    bytes.set(order.signer, 3 * WORD_BYTES + ADDRESS_GAP);
    bytes.set(order.tokenId, 4 * WORD_BYTES);
    writeSafeInteger(view, 5, order.makerMicros);
    writeSafeInteger(view, 6, order.takerMicros);
    bytes[8 * WORD_BYTES - 1] = order.side === 'buy' ? 0 : 1;
    bytes[9 * WORD_BYTES - 1] = order.signatureType;
    writeSafeInteger(view, 9, order.timestampMs);
    const structHash = keccak(bytes);
    return { structHash, digest: typedDataDigest(keccak, separator, structHash) };
  };
}

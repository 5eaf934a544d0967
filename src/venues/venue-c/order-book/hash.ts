import type { Keccak } from '../../../adapters/wire/keccak.ts';
import {
  WORD_BYTES,
  domainSeparator,
  hashText,
  typedDataDigest,
  writeSafeInteger,
} from '../../../adapters/wire/typed-data.ts';

/** What is signed of an order, beside what is the same in all of them. */
interface OrderFields {
  /** Integer from 0 to 2^53 − 1. */
  readonly salt: number;
  /** 20 bytes: the account that gives, and signs for itself. */
  readonly maker: Uint8Array;
  /** 32 bytes. */
  readonly tokenId: Uint8Array;
  readonly makerMicros: number;
  readonly takerMicros: number;
  readonly feeRateBps: number;
  readonly side: 'buy' | 'sell';
}

/** Returns the digest of an order for a domain: what its owner signs, and its name on the chain. */
export type OrderHasher = (separator: Uint8Array, order: OrderFields) => Uint8Array;

/** The venue's order, version 1 (venue_c.md section 8.1). */
const ORDER_TYPE =
  'Order(uint256 salt,address maker,address signer,address taker,uint256 tokenId,uint256 makerAmount,uint256 takerAmount,uint256 expiration,uint256 nonce,uint256 feeRateBps,uint8 side,uint8 signatureType)';

/** Name and version of the domain; the chain and the market's own exchange complete it. */
const DOMAIN = { name: 'Limitless CTF Exchange', version: '1' };

const WORDS = 13;
const ADDRESS_GAP = WORD_BYTES - 20;

/** Returns the separator of an exchange's domain; `contract` is 20 bytes. */
export function exchangeSeparator(
  keccak: Keccak,
  chainId: number,
  contract: Uint8Array,
): Uint8Array {
  return domainSeparator(keccak, { ...DOMAIN, chainId, contract });
}

/**
 * Makes a hasher with one reused buffer: type hash and twelve fields at fixed places. Taker,
 * expiration, nonce and signature type (an account that signs for itself) are zero in every order.
 * Not re-entrant, and need not be: it is synchronous.
 */
export function createOrderHasher(keccak: Keccak): OrderHasher {
  const bytes = new Uint8Array(WORDS * WORD_BYTES);
  const view = new DataView(bytes.buffer);
  bytes.set(hashText(keccak, ORDER_TYPE), 0);
  return (separator, order) => {
    writeSafeInteger(view, 1, order.salt);
    bytes.set(order.maker, 2 * WORD_BYTES + ADDRESS_GAP);
    bytes.set(order.maker, 3 * WORD_BYTES + ADDRESS_GAP);
    bytes.set(order.tokenId, 5 * WORD_BYTES);
    writeSafeInteger(view, 6, order.makerMicros);
    writeSafeInteger(view, 7, order.takerMicros);
    writeSafeInteger(view, 10, order.feeRateBps);
    bytes[12 * WORD_BYTES - 1] = order.side === 'buy' ? 0 : 1;
    return typedDataDigest(keccak, separator, keccak(bytes));
  };
}

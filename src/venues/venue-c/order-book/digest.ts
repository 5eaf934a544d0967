import { SIGNING } from '../../../../config/limits/signing.ts';
import { VENUE_C_ORDER } from '../../../../config/limits/venue-c.ts';
import { cachedReading } from '../../../adapters/memory/cached-reading.ts';
import type { Keccak } from '../../../adapters/wire/keccak.ts';
import { addressBytes, wordOfToken } from '../../../adapters/wire/typed-data.ts';
import type { Address } from '../../../domain/ids.ts';
import type { OrderIntent } from '../../../domain/order.ts';
import { createOrderHasher, exchangeSeparator } from './hash.ts';
import type { PreparedOrder } from './prepared.ts';

/**
 * Returns what is signed of an order, 32 bytes; its exchange has it under this name. `maker` is the
 * wallet of the intent's user. Errors: `internal` for a token that is no number.
 */
export type OrderDigest = (
  maker: Address,
  intent: OrderIntent,
  prepared: PreparedOrder,
) => Uint8Array;

/** Makes it for a chain. Not re-entrant, and need not be: it is synchronous. */
export function createOrderDigest(keccak: Keccak, chainId: number): OrderDigest {
  const hash = createOrderHasher(keccak);
  const tokenWord = cachedReading(wordOfToken, SIGNING.textsRemembered);
  const bytesOf = cachedReading(addressBytes, SIGNING.textsRemembered);
  const separatorOf = cachedReading(
    (exchange) => exchangeSeparator(keccak, chainId, addressBytes(exchange)),
    VENUE_C_ORDER.exchangesRemembered,
  );
  return (maker, { side, tokenId, spendMicros, receiveMicros }, { exchange, salt, feeRateBps }) =>
    hash(separatorOf(exchange), {
      makerMicros: spendMicros,
      takerMicros: receiveMicros,
      salt,
      feeRateBps,
      side,
      maker: bytesOf(maker),
      tokenId: tokenWord(tokenId),
    });
}

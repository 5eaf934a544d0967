import { AppError } from '../../domain/errors.ts';
import { bytesOfHex } from './hex.ts';
import type { Keccak } from './keccak.ts';

/** Bytes of one slot of an EIP-712 encoding. */
export const WORD_BYTES = 32;

const DOMAIN_TYPE =
  'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)';

/** Keccak-256 of UTF-8 text: how EIP-712 encodes strings and types. */
export function hashText(keccak: Keccak, text: string): Uint8Array {
  return keccak(Buffer.from(text, 'utf8'));
}

/** Joins words of exactly 32 bytes and hashes them. */
export function hashWords(keccak: Keccak, words: readonly Uint8Array[]): Uint8Array {
  return keccak(Buffer.concat(words));
}

/** Writes an unsigned integer below 2^256 as a word. */
export function wordOf(value: bigint): Uint8Array {
  const word = new Uint8Array(WORD_BYTES);
  writeUint256(new DataView(word.buffer), 0, value);
  return word;
}

/** Writes an unsigned integer below 2^256 at `offset`, big-endian. */
function writeUint256(view: DataView, offset: number, value: bigint): void {
  view.setBigUint64(offset, value >> 192n);
  view.setBigUint64(offset + 8, value >> 128n);
  view.setBigUint64(offset + 16, value >> 64n);
  view.setBigUint64(offset + 24, value);
}

/**
 * Writes an integer from 0 to 2^53 − 1 as the low 64 bits of a word, in two halves: cheaper than a
 * bigint. The bits above must never have been set.
 */
export function writeSafeInteger(view: DataView, word: number, value: number): void {
  const end = (word + 1) * WORD_BYTES;
  view.setUint32(end - 8, Math.floor(value / 0x1_0000_0000));
  view.setUint32(end - 4, value % 0x1_0000_0000);
}

/** Reads the decimal text of an outcome token's id as a word. Errors: `internal`. */
export function wordOfToken(tokenId: string): Uint8Array {
  if (!TOKEN_ID.test(tokenId))
    throw new AppError('internal', `token id ${tokenId} is no decimal text`);
  const value = BigInt(tokenId);
  if (value >= UINT256_LIMIT)
    throw new AppError('internal', `token id ${tokenId} is beyond 256 bits`);
  return wordOf(value);
}

const TOKEN_ID = /^[0-9]{1,78}$/;
const UINT256_LIMIT = 1n << 256n;

/** Reads the 20 bytes of an address. Errors: `internal`. */
export function addressBytes(address: string): Uint8Array {
  const bytes = bytesOfHex(address, 20);
  if (bytes === null) throw new AppError('internal', `not an address: ${address}`);
  return bytes;
}

/** The digest a wallet signs: keccak(0x1901 ‖ domain separator ‖ struct hash). */
export function typedDataDigest(
  keccak: Keccak,
  separator: Uint8Array,
  structHash: Uint8Array,
): Uint8Array {
  const bytes = new Uint8Array(2 + 2 * WORD_BYTES);
  bytes[0] = 0x19;
  bytes[1] = 0x01;
  bytes.set(separator, 2);
  bytes.set(structHash, 2 + WORD_BYTES);
  return keccak(bytes);
}

/** What an exchange's signatures are bound to. */
export interface ExchangeDomain {
  readonly name: string;
  readonly version: string;
  readonly chainId: number;
  /** 20 bytes. */
  readonly contract: Uint8Array;
}

/** Domain separator of an exchange contract. */
export function domainSeparator(keccak: Keccak, domain: ExchangeDomain): Uint8Array {
  const contract = new Uint8Array(WORD_BYTES);
  contract.set(domain.contract, WORD_BYTES - 20);
  return hashWords(keccak, [
    hashText(keccak, DOMAIN_TYPE),
    hashText(keccak, domain.name),
    hashText(keccak, domain.version),
    wordOf(BigInt(domain.chainId)),
    contract,
  ]);
}

import type { Keccak } from '../../adapters/wire/keccak.ts';

/** Bytes of one slot of an EIP-712 encoding. */
export const WORD_BYTES = 32;

/**
 * Type of the venue's V2 order (venue_a.md section 5.1). The type-3 signature carries this text, so
 * it is kept verbatim.
 */
export const ORDER_TYPE =
  'Order(uint256 salt,address maker,address signer,uint256 tokenId,uint256 makerAmount,uint256 takerAmount,uint8 side,uint8 signatureType,uint256 timestamp,bytes32 metadata,bytes32 builder)';

const DOMAIN_TYPE =
  'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)';
const AUTH_DOMAIN_TYPE = 'EIP712Domain(string name,string version,uint256 chainId)';

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

/**
 * Domain separator without a contract, as the venue's sign-in message uses it (venue_a.md section
 * 2.1).
 */
export function authDomainSeparator(keccak: Keccak, chainId: number): Uint8Array {
  return hashWords(keccak, [
    hashText(keccak, AUTH_DOMAIN_TYPE),
    hashText(keccak, 'ClobAuthDomain'),
    hashText(keccak, '1'),
    wordOf(BigInt(chainId)),
  ]);
}

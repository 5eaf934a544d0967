import { assert } from '../../domain/errors.ts';
import type { Address, UserId } from '../../domain/ids.ts';
import type { KeyVault } from '../../ports/key-vault.ts';
import { bytesOfHex, hexOf } from '../../adapters/wire/hex.ts';
import { hmacBase64Url } from '../../adapters/wire/hmac.ts';
import type { Keccak } from '../../adapters/wire/keccak.ts';
import {
  WORD_BYTES,
  hashText,
  hashWords,
  typedDataDigest,
  wordOf,
} from '../../adapters/wire/typed-data.ts';

/** Credentials of one trading account at the venue. Secrets: they stay inside the adapter (L12). */
export interface ApiCredentials {
  readonly key: string;
  readonly secret: string;
  readonly passphrase: string;
}

/** Headers of a request. */
export type AuthHeaders = Readonly<Record<string, string>>;

const AUTH_DOMAIN_TYPE = 'EIP712Domain(string name,string version,uint256 chainId)';
const AUTH_TYPE = 'ClobAuth(address address,string timestamp,uint256 nonce,string message)';
const AUTH_MESSAGE = 'This message attests that I control the given wallet';

/** Digest of the venue's sign-in message for an account (venue_a.md section 2.1). */
export function authDigest(
  keccak: Keccak,
  message: {
    readonly chainId: number;
    readonly address: Address;
    readonly timestampS: number;
    readonly nonce: number;
  },
): Uint8Array {
  const account = new Uint8Array(WORD_BYTES);
  const address = bytesOfHex(message.address, 20);
  assert(address !== null, `the vault gives addresses: ${message.address}`);
  account.set(address, WORD_BYTES - 20);
  const structHash = hashWords(keccak, [
    hashText(keccak, AUTH_TYPE),
    account,
    hashText(keccak, String(message.timestampS)),
    wordOf(BigInt(message.nonce)),
    hashText(keccak, AUTH_MESSAGE),
  ]);
  return typedDataDigest(keccak, authDomainSeparator(keccak, message.chainId), structHash);
}

/** Domain separator without a contract (venue_a.md section 2.1). */
function authDomainSeparator(keccak: Keccak, chainId: number): Uint8Array {
  return hashWords(keccak, [
    hashText(keccak, AUTH_DOMAIN_TYPE),
    hashText(keccak, 'ClobAuthDomain'),
    hashText(keccak, '1'),
    wordOf(BigInt(chainId)),
  ]);
}

/** Headers that prove control of the user's key: asked for only to create or derive an API key. */
export function walletHeaders(
  parts: { readonly keccak: Keccak; readonly vault: KeyVault; readonly chainId: number },
  userId: UserId,
  timestampS: number,
): AuthHeaders {
  const address = parts.vault.addressOf(userId);
  const digest = authDigest(parts.keccak, {
    chainId: parts.chainId,
    address,
    timestampS,
    nonce: 0,
  });
  return {
    POLY_ADDRESS: address,
    POLY_SIGNATURE: hexOf(parts.vault.signDigest(userId, digest)),
    POLY_TIMESTAMP: String(timestampS),
    POLY_NONCE: '0',
  };
}

/**
 * A private request as it is signed: the path without its query, the body exactly as sent or empty.
 */
export interface SignedRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body: string;
  readonly timestampS: number;
}

/** Headers of a private request (venue_a.md section 2.2). */
export function accountHeaders(
  address: Address,
  credentials: ApiCredentials,
  request: SignedRequest,
): AuthHeaders {
  return {
    POLY_ADDRESS: address,
    POLY_API_KEY: credentials.key,
    POLY_PASSPHRASE: credentials.passphrase,
    POLY_TIMESTAMP: String(request.timestampS),
    POLY_SIGNATURE: hmacBase64Url(
      credentials.secret,
      `${request.timestampS}${request.method}${request.path}${request.body}`,
    ),
  };
}

import { createHmac, timingSafeEqual } from 'node:crypto';
import { getAddress, hashTypedData, isAddress, isHex } from 'viem';
import { asId, type Address } from '../../../../domain/ids.ts';
import type { ApiKey, ApiKeys } from '../../../engine/api-keys.ts';
import { timeOfStamp, type CallerTime } from '../../../wire/caller-times.ts';
import { recovers } from './order-signature.ts';
import type { Call } from '../../../wire/http-server.ts';
import { VENUE_CONTRACTS } from '../chain/chain-addresses.ts';

/** How far a caller's clock may be off (venue_a.md section 2.2). */
const SKEW_MS = 60_000;
const AUTH_MESSAGE = 'This message attests that I control the given wallet';
const AUTH_FIELDS = [
  { name: 'address', type: 'address' },
  { name: 'timestamp', type: 'string' },
  { name: 'nonce', type: 'uint256' },
  { name: 'message', type: 'string' },
] as const;

/** Who signed a request with a wallet, and for which key. */
export interface WalletProof {
  readonly address: Address;
  readonly nonce: string;
}

/** Reads an address in any case; null for any other text. */
export function readAddress(text: string): Address | null {
  return isAddress(text, { strict: false }) ? asId<Address>(getAddress(text)) : null;
}

/**
 * Returns the clock a caller goes by, read from the stamp of its request; null when that is near
 * none.
 */
export function callerTime(
  call: Pick<Call, 'header'>,
  times: readonly CallerTime[],
): CallerTime | null {
  const timestamp = call.header('poly_timestamp');
  return /^\d{1,12}$/.test(timestamp)
    ? timeOfStamp(Number(timestamp) * 1_000, times, SKEW_MS + 999)
    : null;
}

/**
 * Checks the wallet headers (L1, venue_a.md section 2.1); null when anything about them is wrong.
 */
export function walletProof(call: Call, times: readonly CallerTime[]): WalletProof | null {
  const address = readAddress(call.header('poly_address'));
  const timestamp = call.header('poly_timestamp');
  const nonce = call.header('poly_nonce') === '' ? '0' : call.header('poly_nonce');
  const signature = call.header('poly_signature');
  if (
    address === null ||
    callerTime(call, times) === null ||
    !/^\d{1,38}$/.test(nonce) ||
    !isHex(signature)
  )
    return null;
  const digest = hashTypedData({
    domain: { name: 'ClobAuthDomain', version: '1', chainId: VENUE_CONTRACTS.chainId },
    types: { ClobAuth: AUTH_FIELDS },
    primaryType: 'ClobAuth',
    message: {
      address: getAddress(address),
      timestamp,
      nonce: BigInt(nonce),
      message: AUTH_MESSAGE,
    },
  });
  return recovers(getAddress(address), digest, signature) ? { address, nonce } : null;
}

/**
 * Checks the key headers (L2, venue_a.md section 2.2): HMAC over time, method, path without query
 * and raw body. Null when wrong.
 */
export function keyProof(call: Call, keys: ApiKeys, times: readonly CallerTime[]): ApiKey | null {
  const key = keys.find(call.header('poly_api_key'));
  const timestamp = call.header('poly_timestamp');
  if (key === null || key.kind === 'builder' || callerTime(call, times) === null) return null;
  if (key.kind === 'readonly' && call.method !== 'GET') return null;
  if (
    readAddress(call.header('poly_address')) !== key.address ||
    !equals(call.header('poly_passphrase'), key.passphrase)
  )
    return null;
  const message = `${timestamp}${call.method}${call.path}${call.body}`;
  const expected = createHmac('sha256', Buffer.from(key.secret, 'base64')).update(message).digest();
  const given = Buffer.from(call.header('poly_signature'), 'base64');
  return given.length === expected.length && timingSafeEqual(given, expected) ? key : null;
}

/**
 * The key of three credentials as the user channel sends them; null when they do not belong
 * together.
 */
export function keyOfCredentials(
  keys: ApiKeys,
  given: { readonly apiKey: string; readonly secret: string; readonly passphrase: string },
): ApiKey | null {
  const key = keys.find(given.apiKey);
  if (key === null || key.kind === 'builder') return null;
  const secretMatches = equals(
    Buffer.from(given.secret, 'base64').toString('hex'),
    Buffer.from(key.secret, 'base64').toString('hex'),
  );
  return secretMatches && equals(given.passphrase, key.passphrase) ? key : null;
}

function equals(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

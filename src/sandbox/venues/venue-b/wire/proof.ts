import { createPublicKey, verify } from 'node:crypto';
import { getAddressEncoder, getBase58Encoder, isAddress } from '@solana/kit';
import { z } from 'zod';
import { CONTRACT_VENUE } from '../../../../../config/limits/sandbox.ts';
import type { Clock } from '../../../../ports/clock.ts';
import type { FaultBoard } from '../../../faults.ts';
import type { RecordStore } from '../../../storage/record-store.ts';
import { failed, ok, readJson, type Reply, type VenueRoute } from '../../../wire/http-server.ts';
import { createNamedCalls } from '../../../wire/named-calls.ts';
import { refused } from './query.ts';

/** A wallet that a person has proven to be behind, and from when that counts. Plain JSON. */
export interface VerifiedWallet {
  readonly address: string;
  readonly fromMs: number;
}

/** Who has proven who they are. */
export interface Verified {
  has(wallet: string): boolean;
  add(wallet: string): void;
}

/** Creates the list. `clock` is wall time: people take theirs. */
export function createVerified(
  kept: RecordStore<VerifiedWallet>,
  { clock, faults }: { readonly clock: Clock; readonly faults: FaultBoard },
): Verified {
  return {
    has: (wallet) =>
      !faults.isArmed('unverified-wallet', { address: wallet }) &&
      (kept.get(wallet)?.fromMs ?? Number.POSITIVE_INFINITY) <= clock.nowMs(),
    add(wallet) {
      if (kept.get(wallet) === null && kept.size() >= CONTRACT_VENUE.verifiedMaximum) return;
      const lateMs = faults.take('verification-late', { address: wallet })?.delayOr(LATE_MS) ?? 0;
      kept.put(wallet, { address: wallet, fromMs: clock.nowMs() + lateMs });
    },
  };
}

const LATE_MS = 10_000;

const endowmentSchema = z.strictObject({
  address: z.string().refine((text) => isAddress(text), 'not a key of 32 bytes in base58'),
  usdc: z
    .string()
    .regex(/^\d{1,7}(\.\d{1,6})?$/)
    .optional(),
  lamports: z
    .string()
    .regex(/^\d{1,12}$/)
    .optional(),
  verified: z.boolean().optional(),
  /** A call of this name gives once, however often it is made. */
  name: z.string().max(200).optional(),
});

/**
 * Proof (venue_b.md section 11): `GET /verify/{address}`, the page a person is sent to with a
 * wallet's signature, and the sandbox's own `POST /endowment
 * {"address":"…","usdc":"100","lamports":"1000000000","verified":true}`, which no real portal has.
 */
export function proofRoutes({
  verified,
  faults,
  give,
}: {
  readonly verified: Verified;
  readonly faults: FaultBoard;
  /** Gives test money; false where the chain refuses. */
  give(wallet: string, gift: { readonly lamports: bigint; readonly usdcMicros: bigint }): boolean;
}): readonly VenueRoute[] {
  const gifts = createNamedCalls<boolean>();
  const unavailable = (): Reply | null =>
    faults.take('verification-unavailable') === null
      ? null
      : refused(503, 'unavailable', 'Service unavailable');
  return [
    {
      method: 'GET',
      path: '/verify/:address',
      run: ({ params: { address = '' } }) =>
        unavailable() ??
        (isAddress(address)
          ? ok({ verified: verified.has(address) })
          : refused(400, 'invalid_address', 'Invalid address')),
    },
    {
      method: 'GET',
      path: '/proof',
      run: ({ query }) => unavailable() ?? page(readVisit(query), query),
    },
    {
      method: 'POST',
      path: '/proof',
      run: ({ query }) => {
        const visit = readVisit(query);
        if (typeof visit === 'string') return page(visit, query);
        if (faults.take('verification-refused', { address: visit.wallet }) !== null)
          return page('You could not be verified.', query);
        verified.add(visit.wallet);
        return { kind: 'html', status: 302, body: '', headers: { location: visit.returnTo } };
      },
    },
    {
      method: 'POST',
      path: '/endowment',
      run: ({ body }) => {
        const read = endowmentSchema.safeParse(readJson(body));
        if (!read.success) return failed(400, z.prettifyError(read.error));
        const { address, usdc = '0', lamports = '0', verified: proven, name } = read.data;
        const gift = { lamports: BigInt(lamports), usdcMicros: micros(usdc) };
        if (!gifts(name, () => give(address, gift)))
          return failed(409, 'the chain refused the gift');
        if (proven === true) verified.add(address);
        return ok({ address, usdc, lamports, verified: verified.has(address) });
      },
    },
  ];
}

interface Visit {
  readonly wallet: string;
  readonly returnTo: string;
}

/** What the page was opened with, or why it shows nothing but a sentence. */
function readVisit(query: URLSearchParams): Visit | string {
  const field = (name: string): string => query.get(name) ?? '';
  const [wallet, signature, timestamp] = [field('wallet'), field('signature'), field('timestamp')];
  const returnTo = field('redirect_uri');
  if (!isAddress(wallet)) return 'The wallet is missing.';
  if (!isReturnAddress(returnTo)) return 'The address to return to is not one of https.';
  if (!/^\d{13}$/.test(timestamp) || !isSigned(wallet, signature, timestamp))
    return 'The signature is not that of the wallet.';
  return { wallet, returnTo };
}

/**
 * https and the two schemes of browser extensions, as at the real portal; loopback too, since
 * no other person is here.
 */
function isReturnAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return (
    ['https:', 'chrome-extension:', 'moz-extension:'].includes(protocol) ||
    (protocol === 'http:' && ['127.0.0.1', 'localhost'].includes(hostname))
  );
}

/** What precedes the 32 bytes of an Ed25519 public key (RFC 8410). */
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex');

function isSigned(wallet: string, signature: string, timestamp: string): boolean {
  if (!/^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(signature) || !isAddress(wallet)) return false;
  const key = createPublicKey({
    key: Buffer.concat([SPKI_HEAD, Uint8Array.from(getAddressEncoder().encode(wallet))]),
    format: 'der',
    type: 'spki',
  });
  return verify(
    null,
    Buffer.from(`Proof KYC verification: ${timestamp}`),
    key,
    Uint8Array.from(getBase58Encoder().encode(signature)),
  );
}

function page(visit: Visit | string, query: URLSearchParams): Reply {
  const body =
    typeof visit === 'string'
      ? `<p>${visit}</p>`
      : `<p>Prove who is behind ${visit.wallet}.</p><form method="post" action="/proof?${escaped(query.toString())}"><button>I am who I am</button></form>`;
  return {
    kind: 'html',
    status: typeof visit === 'string' ? 400 : 200,
    body: `<html><head><title>Proof</title></head><body><h1>Proof</h1>${body}</body></html>`,
  };
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

/** Digits to millionths; the pattern has checked them. */
function micros(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, '0'));
}

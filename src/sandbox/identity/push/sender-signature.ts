import { createPublicKey, verify } from 'node:crypto';
import { z } from 'zod';
import { PUSH_MODEL } from '../../../../config/limits/sandbox.ts';

const headerSchema = z.object({ alg: z.literal('ES256'), typ: z.string().optional() });
const claimsSchema = z.object({
  aud: z.string(),
  exp: z.number(),
  sub: z.string().regex(/^(mailto:|https:)/),
});

/** What a push service holds a signature against. */
export interface SenderTerms {
  /** Our own origin. */
  readonly audience: string;
  /** The key the browser subscribed with, base64url. */
  readonly senderKey: string;
  readonly nowMs: number;
}

/**
 * Judges the Authorization of a message (RFC 8292, sections 2 to 4): null when it is right, else
 * what is wrong.
 */
export function signatureFault(
  authorization: string,
  { audience, senderKey, nowMs }: SenderTerms,
): string | null {
  const token = /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), ?k=([\w-]+)$/.exec(authorization);
  if (token === null) return 'no vapid authorization';
  const [, head = '', body = '', signature = '', key = ''] = token;
  if (key !== senderKey) return 'signed by another key than the browser subscribed with';
  const header = headerSchema.safeParse(readPart(head));
  const claims = claimsSchema.safeParse(readPart(body));
  if (!header.success || !claims.success) return 'no token of ES256 with aud, exp and sub';
  const { aud, exp } = claims.data;
  if (aud !== audience) return `for ${aud}, not for ${audience}`;
  if (exp * 1_000 <= nowMs || exp * 1_000 > nowMs + PUSH_MODEL.signatureLifeMaximumSeconds * 1_000)
    return 'expired, or good for more than a day';
  const isRight = verify(
    'sha256',
    Buffer.from(`${head}.${body}`),
    { key: publicKey(key), dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  return isRight ? null : 'the signature is wrong';
}

/** Checks a key a browser is to subscribe with. */
export function isSenderKey(text: string): boolean {
  try {
    publicKey(text);
    return true;
  } catch {
    return false;
  }
}

function publicKey(text: string): ReturnType<typeof createPublicKey> {
  const point = Buffer.from(text, 'base64url');
  if (point.length !== 65 || point[0] !== 4) throw new RangeError('no uncompressed point');
  const x = point.subarray(1, 33).toString('base64url');
  const y = point.subarray(33).toString('base64url');
  return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
}

function readPart(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    return null;
  }
}

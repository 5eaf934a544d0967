import { createHmac, timingSafeEqual } from 'node:crypto';
import { LINK_PROTOCOL } from './protocol.ts';

/** Which side of a link proves itself. */
type Side = 'reader' | 'feed';

/** What both sides have said once, and never again. */
export interface Nonces {
  readonly feed: string;
  readonly reader: string;
}

/**
 * Proves that a side knows the secret of the links, which never goes over the wire: HMAC-SHA256
 * over both nonces in hex. Each side has a sentence of its own, so that neither can be shown the
 * other's.
 */
export function proofOf(side: Side, secret: string, { feed, reader }: Nonces): string {
  return createHmac('sha256', secret)
    .update(`predictd feed link ${LINK_PROTOCOL} ${side} ${feed} ${reader}`)
    .digest('hex');
}

/** Reports whether a proof is right, in a time that does not depend on where it differs. */
export function isProof(shown: string, right: string): boolean {
  const [one, other] = [Buffer.from(shown), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}

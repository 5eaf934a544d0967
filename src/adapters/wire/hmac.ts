import { createHmac } from 'node:crypto';

/**
 * HMAC-SHA256 of `message` under a base64 or base64url secret, as base64url with padding.
 * Source: venue_a.md section 2.2.
 */
export function hmacBase64Url(secret: string, message: string): string {
  // Node's base64 decoder takes both alphabets.
  const digest = createHmac('sha256', Buffer.from(secret, 'base64'))
    .update(message)
    .digest('base64');
  return digest.replaceAll('+', '-').replaceAll('/', '_');
}

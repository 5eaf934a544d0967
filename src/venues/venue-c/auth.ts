import { createHmac } from 'node:crypto';

/** A scoped token of an account at the venue. Its secret stays inside the adapter (L12). */
export interface AccountToken {
  readonly tokenId: string;
  /** Base64. */
  readonly secret: string;
}

/** A request as it is signed. */
export interface SignedRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** With its query, exactly as it travels. */
  readonly path: string;
  /** Exactly as sent; empty without one. */
  readonly body: string;
  /** Wall time, epoch ms: the venue takes 30 s of difference. */
  readonly atMs: number;
}

/** Headers of a request of an account, or of the opening of a socket (venue_c.md section 2). */
export function accountHeaders(
  { tokenId, secret }: AccountToken,
  { method, path, body, atMs }: SignedRequest,
): Readonly<Record<string, string>> {
  const timestamp = new Date(atMs).toISOString();
  return {
    'lmts-api-key': tokenId,
    'lmts-timestamp': timestamp,
    'lmts-signature': createHmac('sha256', Buffer.from(secret, 'base64'))
      .update(`${timestamp}\n${method}\n${path}\n${body}`)
      .digest('base64'),
  };
}

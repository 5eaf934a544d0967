import { createHash, createHmac } from 'node:crypto';

/** Data Streams credentials: a UUID and its secret. */
export interface DataStreamsCredentials {
  readonly key: string;
  readonly secret: string;
}

const EMPTY_BODY_HASH = createHash('sha256').digest('hex');

/**
 * The three headers of a Data Streams GET call or WebSocket upgrade at `atMs`. `pathAndQuery` must
 * be byte for byte what travels. The server refuses times more than 5 s off. Source: feeds.md
 * section 2.1.
 */
export function dataStreamsHeaders(
  credentials: DataStreamsCredentials,
  pathAndQuery: string,
  atMs: number,
): Record<string, string> {
  const message = `GET ${pathAndQuery} ${EMPTY_BODY_HASH} ${credentials.key} ${atMs}`;
  return {
    Authorization: credentials.key,
    'X-Authorization-Timestamp': String(atMs),
    'X-Authorization-Signature-SHA256': createHmac('sha256', credentials.secret)
      .update(message)
      .digest('hex'),
  };
}

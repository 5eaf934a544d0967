import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { COMPRESSION } from '../../config/limits/compression.ts';
import { preferredCoding, type Coding } from './accept.ts';
import type { RequestHead } from './guard.ts';
import type { Answer } from './respond.ts';
import type { Route } from './route.ts';

/** Gives answers in the coding their caller takes, and none to who has the same one already. */
export interface Compression {
  /** Never rejects: what cannot be compressed goes out as it is. */
  apply(head: RequestHead, route: Route | null, answer: Answer): Promise<Answer>;
}

/**
 * Reports whether answers of a route may be compressed. What only a session may read can hold
 * secrets (exported keys, API keys), as answers to changes can (tokens): their length would tell of
 * them where a caller's own words stand beside (BREACH).
 */
export function isCompressible({ method, scope, auth, produces }: CompressibleRoute): boolean {
  return (
    method === 'GET' &&
    auth !== 'internal' &&
    (auth === 'public' || scope !== 'session') &&
    !produces.includes('text/event-stream')
  );
}

type CompressibleRoute = Pick<Route, 'method' | 'scope' | 'auth' | 'produces'>;
type Compress = (bytes: Uint8Array) => Promise<Uint8Array>;

const gzipped = promisify(gzip);
const brotlied = promisify(brotliCompress);
const LEVELS = {
  document: {
    gzipLevel: COMPRESSION.documentGzipLevel,
    brotliQuality: COMPRESSION.documentBrotliQuality,
  },
  list: { gzipLevel: COMPRESSION.listGzipLevel, brotliQuality: COMPRESSION.listBrotliQuality },
} as const;

function compressorOf(coding: Coding, kind: keyof typeof LEVELS): Compress {
  const { gzipLevel, brotliQuality } = LEVELS[kind];
  return coding === 'gzip'
    ? (bytes) => gzipped(bytes, { level: gzipLevel })
    : (bytes) =>
        brotlied(bytes, {
          params: {
            [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
            [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength,
          },
        });
}

/** A body that does not change, with what was made of it. */
interface Document {
  readonly etag: string;
  readonly compressed: Map<Coding, Promise<Uint8Array>>;
}

/** Makes the compression. */
export function createCompression(): Compression {
  const documents = new Map<string | Uint8Array, Document>();
  let running = 0;

  function documentOf(body: string | Uint8Array): Document {
    const known = documents.get(body);
    if (known !== undefined) return known;
    const made: Document = { etag: etagOf(body), compressed: new Map() };
    documents.set(body, made);
    if (documents.size > COMPRESSION.documentsKept) {
      const [oldest] = documents.keys();
      if (oldest !== undefined) documents.delete(oldest);
    }
    return made;
  }

  async function compressDocument(
    document: Document,
    body: string | Uint8Array,
    coding: Coding,
  ): Promise<Uint8Array> {
    const making =
      document.compressed.get(coding) ?? compressorOf(coding, 'document')(bytesOf(body));
    document.compressed.set(coding, making);
    return making;
  }

  async function compressList(
    body: string | Uint8Array,
    coding: Coding,
  ): Promise<Uint8Array | null> {
    if (running >= COMPRESSION.atATimeMaximum) return null;
    running += 1;
    try {
      return await compressorOf(coding, 'list')(bytesOf(body));
    } finally {
      running -= 1;
    }
  }

  return {
    async apply(head, route, answer) {
      const { body } = answer;
      if (route === null || !isCompressible(route) || answer.status !== 200 || body === null)
        return answer;
      const length = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
      if (length < COMPRESSION.bytesMinimum || length > COMPRESSION.bytesMaximum) return answer;
      const document = route.auth === 'public' ? documentOf(body) : null;
      const etag = document?.etag ?? etagOf(body);
      const headers = { ...answer.headers, ETag: etag, Vary: 'Accept-Encoding' };
      if (isNamed(etag, head.headers.get('if-none-match')))
        return { status: 304, headers, body: null };
      const coding = preferredCoding(head.headers.get('accept-encoding') ?? null);
      if (coding === null) return { ...answer, headers };
      const compressed =
        document === null
          ? await compressList(body, coding)
          : await compressDocument(document, body, coding);
      return compressed === null
        ? { ...answer, headers }
        : { ...answer, headers: { ...headers, 'Content-Encoding': coding }, body: compressed };
    },
  };
}

function bytesOf(body: string | Uint8Array): Uint8Array {
  return typeof body === 'string' ? Buffer.from(body) : body;
}

/** A weak tag: it names the content, whatever coding it goes out in (RFC 9110, section 8.8.1). */
function etagOf(body: string | Uint8Array): string {
  return `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
}

/** Reports whether `If-None-Match` names the tag, compared weakly (RFC 9110, section 13.1.2). */
export function isNamed(etag: string, field: string | undefined): boolean {
  if (field === undefined) return false;
  if (field.trim() === '*') return true;
  const opaque = etag.replace('W/', '');
  return field.split(',').some((each) => each.trim().replace(/^W\//, '') === opaque);
}

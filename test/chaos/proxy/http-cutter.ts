/** A whole HTTP/1.1 message as it came, byte for byte. */
export interface HttpMessage {
  readonly bytes: Buffer;
  /** `GET /path HTTP/1.1` or `HTTP/1.1 200 OK`. */
  readonly startLine: string;
  /** Asks to become a WebSocket, or agrees to it: nothing after it is HTTP. */
  readonly isUpgrade: boolean;
}

/** Cuts a stream of bytes into whole HTTP messages; nothing is changed. */
export interface HttpCutter {
  /**
   * Whole messages so far complete; bytes of a message under way are kept. Throws a RangeError for
   * what is no HTTP, or too long.
   */
  push(bytes: Buffer): readonly HttpMessage[];
  /** What came after an upgrade, or of a message that never became whole. */
  rest(): Buffer;
}

/** Larger than any answer of the sandbox: pages of 500 trades. */
const MESSAGE_MAXIMUM_BYTES = 16 << 20;
const HEAD_END = '\r\n\r\n';

/**
 * Makes a cutter of requests or of answers. Bodies have a length or come in chunks (RFC 9112,
 * sections 6.2 and 7.1); none that ends with its connection is served here.
 */
export function createHttpCutter(): HttpCutter {
  let kept: Buffer = Buffer.alloc(0);
  let isOver = false;
  return {
    push(bytes) {
      kept = kept.length === 0 ? bytes : Buffer.concat([kept, bytes]);
      const messages: HttpMessage[] = [];
      while (!isOver) {
        const message = firstOf(kept);
        if (message === null) break;
        messages.push(message);
        kept = kept.subarray(message.bytes.length);
        isOver = message.isUpgrade;
      }
      if (!isOver && kept.length > MESSAGE_MAXIMUM_BYTES)
        throw new RangeError('an HTTP message without end');
      return messages;
    },
    rest: () => kept,
  };
}

function firstOf(bytes: Buffer): HttpMessage | null {
  const headEnd = bytes.indexOf(HEAD_END, 0, 'latin1');
  if (headEnd < 0) return null;
  const head = bytes.toString('latin1', 0, headEnd);
  const [startLine = '', ...lines] = head.split('\r\n');
  const headers = new Map(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).trim().toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  );
  const bodyStart = headEnd + HEAD_END.length;
  const status = /^HTTP\/1\.1 (\d{3})/.exec(startLine)?.[1];
  if (status === undefined && !startLine.endsWith(' HTTP/1.1'))
    throw new RangeError(`no HTTP message begins with ${startLine.slice(0, 80)}`);
  const isUpgrade =
    status === undefined ? headers.get('upgrade')?.toLowerCase() === 'websocket' : status === '101';
  const hasNoBody =
    status !== undefined && (status.startsWith('1') || status === '204' || status === '304');
  const length = hasNoBody ? 0 : bodyLength(bytes, bodyStart, headers);
  if (length === null || bytes.length < bodyStart + length) return null;
  return { bytes: bytes.subarray(0, bodyStart + length), startLine, isUpgrade };
}

/** Null while the end is not in sight. */
function bodyLength(
  bytes: Buffer,
  start: number,
  headers: ReadonlyMap<string, string>,
): number | null {
  if (headers.get('transfer-encoding')?.toLowerCase() === 'chunked')
    return chunkedLength(bytes, start);
  const stated = headers.get('content-length') ?? '0';
  if (!/^\d{1,9}$/.test(stated)) throw new RangeError(`no length of a body: ${stated}`);
  return Number(stated);
}

function chunkedLength(bytes: Buffer, start: number): number | null {
  let at = start;
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at, 'latin1');
    if (lineEnd < 0) return null;
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    if (!Number.isSafeInteger(size)) throw new RangeError('no size of a chunk');
    at = lineEnd + 2 + size + 2;
    if (size === 0) return bytes.length < at ? null : at - start;
  }
}

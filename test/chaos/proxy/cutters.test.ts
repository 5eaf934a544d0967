import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFrameCutter } from './frame-cutter.ts';
import { createHttpCutter } from './http-cutter.ts';

const body = fc.string({ unit: 'binary', maxLength: 200 }).map((text) => Buffer.from(text, 'utf8'));

/** A message with a length, in chunks, or without a body. */
const message = fc.oneof(
  body.map((bytes) =>
    Buffer.concat([
      Buffer.from(`POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes.length}\r\n\r\n`),
      bytes,
    ]),
  ),
  fc
    .array(
      body.filter((bytes) => bytes.length > 0),
      { maxLength: 4 },
    )
    .map((chunks) =>
      Buffer.concat([
        Buffer.from('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'),
        ...chunks.flatMap((chunk) => [
          Buffer.from(`${chunk.length.toString(16)}\r\n`),
          chunk,
          Buffer.from('\r\n'),
        ]),
        Buffer.from('0\r\n\r\n'),
      ]),
    ),
  fc
    .constantFrom(
      'GET /b?c=d HTTP/1.1\r\nHost: x\r\n\r\n',
      'HTTP/1.1 204 No Content\r\n\r\n',
      'HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n',
    )
    .map((text) => Buffer.from(text)),
);

/** A frame of any kind and of any of the three forms of length, masked or not. */
const frame = fc
  .tuple(
    fc.constantFrom(0x81, 0x82, 0x01, 0x80, 0x88, 0x89, 0x8a),
    fc.constantFrom(0, 5, 125, 126, 300, 65_535, 65_536),
    fc.boolean(),
  )
  .map(([first, length, isMasked]) => {
    const mask = isMasked ? 0x80 : 0;
    const head =
      length < 126
        ? Buffer.from([first, mask | length])
        : length < 65_536
          ? Buffer.from([first, mask | 126, length >> 8, length & 0xff])
          : Buffer.concat([Buffer.from([first, mask | 127]), long(length)]);
    return Buffer.concat([head, Buffer.alloc((isMasked ? 4 : 0) + length, 7)]);
  });

function long(length: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(length));
  return bytes;
}

/** The same bytes in other pieces. */
function pieces(bytes: Buffer, sizes: readonly number[]): readonly Buffer[] {
  const cut: Buffer[] = [];
  for (let at = 0, index = 0; at < bytes.length; index += 1) {
    const size = sizes[index % sizes.length] ?? 1;
    cut.push(bytes.subarray(at, at + size));
    at += size;
  }
  return cut;
}

const sizes = fc.array(fc.integer({ min: 1, max: 70_000 }), { minLength: 1, maxLength: 5 });

describe('cutters', () => {
  it('cut a stream into the HTTP messages it was made of, in whatever pieces it comes', () => {
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 5 }),
        (messages, parts) => {
          const cutter = createHttpCutter();
          const cut = pieces(Buffer.concat(messages), parts).flatMap((piece) => cutter.push(piece));
          expect(cut.map(({ bytes }) => bytes.toString('latin1'))).toEqual(
            messages.map((bytes) => bytes.toString('latin1')),
          );
          expect(cutter.rest()).toHaveLength(0);
        },
      ),
    );
  });

  it('leave what follows an upgrade alone', () => {
    const cutter = createHttpCutter();
    const [upgrade, ...others] = cutter.push(
      Buffer.from('GET /ws HTTP/1.1\r\nUpgrade: websocket\r\n\r\n\u0001\u0002GET'),
    );
    expect([
      upgrade?.isUpgrade,
      others,
      cutter.rest().toString('latin1'),
      cutter.push(Buffer.from('!')),
      cutter.rest().toString('latin1'),
    ]).toEqual([true, [], '\u0001\u0002GET', [], '\u0001\u0002GET!']);
  });

  it('refuse what is no HTTP: another protocol, an invalid length', () => {
    for (const text of [
      'EHLO x\r\n\r\n',
      'GET / HTTP/1.1\r\nContent-Length: many\r\n\r\n',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    ])
      expect(() => createHttpCutter().push(Buffer.from(text))).toThrow(RangeError);
  });

  it('cut a stream into the WebSocket frames it was made of, and know which are whole messages', () => {
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 6 }), sizes, (frames, parts) => {
        const cut = createFrameCutter();
        const found = pieces(Buffer.concat(frames), parts).flatMap((piece) => cut(piece));
        expect(found.map(({ bytes }) => bytes.toString('latin1'))).toEqual(
          frames.map((bytes) => bytes.toString('latin1')),
        );
        expect(found.map(({ isMessage }) => isMessage)).toEqual(
          frames.map((bytes) => bytes[0] === 0x81 || bytes[0] === 0x82),
        );
      }),
      { numRuns: 50 },
    );
  });

  it('refuse a frame without end', () => {
    expect(() =>
      createFrameCutter()(Buffer.concat([Buffer.from([0x81, 127]), long(2 ** 40)])),
    ).toThrow(RangeError);
  });
});

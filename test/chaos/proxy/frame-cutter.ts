/** A whole WebSocket frame as it came, byte for byte. */
export interface Frame {
  readonly bytes: Buffer;
  /**
   * A message of its own: text or binary, not a part of one, not a control frame. Only such can
   * come twice or change places.
   */
  readonly isMessage: boolean;
}

/** Longer than any frame of the sandbox: a snapshot of 200 books. */
const FRAME_MAXIMUM_BYTES = 32 << 20;

/**
 * Cuts a stream of bytes into whole WebSocket frames (RFC 6455, section 5.2). Throws a RangeError
 * for one that is too long.
 */
export function createFrameCutter(): (bytes: Buffer) => readonly Frame[] {
  let kept: Buffer = Buffer.alloc(0);
  return (bytes) => {
    kept = kept.length === 0 ? bytes : Buffer.concat([kept, bytes]);
    const frames: Frame[] = [];
    for (;;) {
      const length = frameLength(kept);
      if (length === null || kept.length < length) return frames;
      const first = kept.readUInt8(0);
      frames.push({
        bytes: kept.subarray(0, length),
        isMessage: (first & 0x80) !== 0 && ((first & 0x0f) === 1 || (first & 0x0f) === 2),
      });
      kept = kept.subarray(length);
    }
  };
}

/** Length of the whole frame; null while its head is not there. */
function frameLength(bytes: Buffer): number | null {
  if (bytes.length < 2) return null;
  const second = bytes.readUInt8(1);
  const short = second & 0x7f;
  const mask = (second & 0x80) === 0 ? 0 : 4;
  if (short < 126) return 2 + mask + short;
  if (bytes.length < (short === 126 ? 4 : 10)) return null;
  const length =
    short === 126 ? 4 + mask + bytes.readUInt16BE(2) : 10 + mask + Number(bytes.readBigUInt64BE(2));
  if (length > FRAME_MAXIMUM_BYTES) throw new RangeError('a frame without end');
  return length;
}

import type { Random } from '../../../src/ports/random.ts';
import { oneOf } from './frame-source.ts';

/** Bytes and texts on which readers of JSON differ. */
const PIECES = [
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '.',
  '-',
  '+',
  'e',
  '0',
  '1',
  '9',
  ' ',
  '\t',
  '\n',
  '\r',
  '\f',
  '\u0000',
  '\u001f',
  '\u007f',
  '\u2028',
  '\ufeff',
  'é',
  '\\u0030',
  '\\u0022',
  '\\"',
  '\\/',
  'null',
  'true',
  '""',
  '{}',
  '[]',
  '"price":"0.5",',
  '"side":"BUY",',
  '"size":"1",',
  '"asset_id":"1",',
  '"hash":"",',
  '"event_type":"book",',
].map((text) => Buffer.from(text));
/** Bytes that are no UTF-8, or only the beginning of it. */
const BROKEN = [
  Buffer.from([0x80]),
  Buffer.from([0xc3]),
  Buffer.from([0xff, 0xfe]),
  Buffer.from([0xed, 0xa0, 0x80]),
  Buffer.from([0xc0, 0xaf]),
];
const MOST_AT_ONCE = 3;

/**
 * A frame with mostly one thing wrong with it, sometimes up to three; one in five is left as it is.
 */
export function mutateFrame(random: Random, frame: Buffer, other: Buffer): Buffer {
  if (random.integer(5) === 0) return frame;
  let mutated = frame;
  for (
    let left = random.integer(4) === 0 ? 1 + random.integer(MOST_AT_ONCE) : 1;
    left > 0;
    left -= 1
  )
    mutated = mutateOnce(random, mutated, other);
  return mutated;
}

function mutateOnce(random: Random, frame: Buffer, other: Buffer): Buffer {
  const at = random.integer(frame.length + 1);
  const end = Math.min(frame.length, at + random.integer(random.integer(4) === 0 ? 120 : 6));
  switch (random.integer(9)) {
    case 0:
      return spliced(frame, { at, end: at, by: oneOf(random, PIECES) });
    case 1:
      return spliced(frame, { at, end, by: oneOf(random, PIECES) });
    case 2:
      return spliced(frame, { at, end, by: Buffer.alloc(0) });
    case 3:
      return spliced(frame, { at: end, end, by: frame.subarray(at, end) });
    case 4:
      return flipped(frame, at, random.integer(8));
    case 5:
      return random.integer(4) === 0
        ? frame.subarray(0, at)
        : spliced(frame, { at, end, by: oneOf(random, BROKEN) });
    case 6:
      return random.integer(4) === 0
        ? Buffer.concat([frame.subarray(0, at), other.subarray(random.integer(other.length + 1))])
        : digitChanged(random, frame, at);
    case 7:
      return escaped(frame, at);
    default:
      return digitChanged(random, frame, at);
  }
}

function spliced(
  frame: Buffer,
  { at, end, by }: { readonly at: number; readonly end: number; readonly by: Uint8Array },
): Buffer {
  return Buffer.concat([frame.subarray(0, at), by, frame.subarray(end)]);
}

function flipped(frame: Buffer, at: number, bit: number): Buffer {
  const copy = Buffer.from(frame);
  if (at < copy.length) copy[at] = (copy[at] ?? 0) ^ (1 << bit);
  return copy;
}

/** The next digit behind a place becomes another, or is doubled. */
function digitChanged(random: Random, frame: Buffer, from: number): Buffer {
  const at = frame.subarray(from).findIndex((byte) => byte >= 0x30 && byte <= 0x39);
  if (at < 0) return frame;
  const digit = Buffer.from(String(random.integer(10)));
  return spliced(frame, { at: from + at, end: from + at + random.integer(2), by: digit });
}

/**
 * A letter or digit written as an escape: the same JSON where it is inside a string, none
 * elsewhere.
 */
function escaped(frame: Buffer, at: number): Buffer {
  const byte = frame[at];
  if (byte === undefined) return frame;
  return spliced(frame, {
    at,
    end: at + 1,
    by: Buffer.from(`\\u${byte.toString(16).padStart(4, '0')}`),
  });
}

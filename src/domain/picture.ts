import { crc32 } from './crc32.ts';
import type { ImageType } from './launch.ts';

/** Width and height in pixels. */
type Sides = readonly [number, number];

/** Bytes with what reads numbers in them, and how many parts are read. */
interface Bytes {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly partsMaximum: number;
}

/**
 * Returns the widths and heights that a picture says of itself and of its frames; null where it is
 * not whole: its parts do not follow one another to the end its format has, within as many as are
 * read. Pixels are not decoded.
 */
export function sidesOf(
  type: ImageType,
  bytes: Uint8Array,
  partsMaximum: number,
): readonly Sides[] | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return READERS[type]({ bytes, view, partsMaximum });
}

const READERS: Readonly<Record<ImageType, (picture: Bytes) => readonly Sides[] | null>> = {
  'image/png': pngSides,
  'image/jpeg': jpegSides,
  'image/gif': gifSides,
  'image/webp': webpSides,
};

/** Chunks of length, type, data and CRC, IHDR first and IEND last (W3C PNG, section 5). */
function pngSides({ bytes, view, partsMaximum }: Bytes): readonly Sides[] | null {
  let sides: Sides | null = null;
  let isDrawn = false;
  for (let at = 8, part = 0; part < partsMaximum && at + 12 <= bytes.length; part += 1) {
    const size = view.getUint32(at);
    const end = at + 12 + size;
    if (end > bytes.length) return null;
    if (crc32(bytes.subarray(at + 4, end - 4)) !== view.getUint32(end - 4)) return null;
    const type = textAt(bytes, at + 4);
    if (sides === null) {
      if (type !== 'IHDR' || size !== 13) return null;
      sides = [view.getUint32(at + 8), view.getUint32(at + 12)];
    }
    if (type === 'IDAT') isDrawn = true;
    if (type === 'IEND') return size === 0 && end === bytes.length && isDrawn ? [sides] : null;
    at = end;
  }
  return null;
}

/**
 * Segments of a marker and their length, scans between them, up to the end marker (ITU T.81, annex
 * B). Cameras write more pictures behind it.
 */
function jpegSides({ bytes, view, partsMaximum }: Bytes): readonly Sides[] | null {
  const sides: Sides[] = [];
  let isDrawn = false;
  for (let at = 2, part = 0; part < partsMaximum; part += 1) {
    if (bytes[at] !== 0xff) return null;
    while (bytes[at + 1] === 0xff) at += 1;
    const marker = bytes[at + 1] ?? 0;
    at += 2;
    if (marker === 0xd9) return isDrawn ? sides : null;
    if (marker === 0x01 || isRestart(marker)) continue;
    if (marker < 0xc0 || at + 2 > bytes.length) return null;
    const end = at + view.getUint16(at);
    if (end < at + 2 || end > bytes.length) return null;
    if (isFrame(marker)) {
      if (end < at + 7) return null;
      sides.push([view.getUint16(at + 5), view.getUint16(at + 3)]);
    }
    if (marker === 0xda) {
      if (sides.length === 0) return null;
      isDrawn = true;
    }
    at = marker === 0xda ? scanEnd(bytes, end) : end;
  }
  return null;
}

/** Start of a frame, of all but the codes that say something else (DHT, JPG, DAC). */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

function isRestart(marker: number): boolean {
  return marker >= 0xd0 && marker <= 0xd7;
}

/** Returns where the next marker is behind a scan's data, in which FF is followed by 00. */
function scanEnd(bytes: Uint8Array, from: number): number {
  for (let at = from; ; at += 2) {
    at = bytes.indexOf(0xff, at);
    if (at === -1) return bytes.length;
    const next = bytes[at + 1] ?? 0;
    if (next !== 0 && !isRestart(next)) return at;
  }
}

/** Extensions and frames, each of blocks, up to the trailer (GIF89a). */
function gifSides({ bytes, view, partsMaximum }: Bytes): readonly Sides[] | null {
  if (bytes.length < 13) return null;
  const sides: Sides[] = [[view.getUint16(6, true), view.getUint16(8, true)]];
  let at = 13 + colours(bytes[10]);
  for (let part = 0; part < partsMaximum && at < bytes.length; part += 1) {
    const kind = bytes[at];
    if (kind === 0x3b) return at + 1 === bytes.length && sides.length > 1 ? sides : null;
    if (kind === 0x21) at = blocksEnd(bytes, at + 2);
    else if (kind === 0x2c && at + 10 <= bytes.length) {
      sides.push([view.getUint16(at + 5, true), view.getUint16(at + 7, true)]);
      at = blocksEnd(bytes, at + 11 + colours(bytes[at + 9]));
    } else return null;
  }
  return null;
}

/** Bytes of the table of colours that flags tell of. */
function colours(flags = 0): number {
  return (flags & 0x80) === 0 ? 0 : 3 << ((flags & 7) + 1);
}

/** Returns where a run of blocks ends: behind one of no bytes. */
function blocksEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  while ((bytes[at] ?? 0) !== 0) at += 1 + (bytes[at] ?? 0);
  return at + 1;
}

/** One RIFF of the whole file, of chunks of even length (RFC 9649, section 2). */
function webpSides({ bytes, view, partsMaximum }: Bytes): readonly Sides[] | null {
  if (view.getUint32(4, true) + 8 !== bytes.length) return null;
  const sides: Sides[] = [];
  let isDrawn = false;
  let at = 12;
  for (let part = 0; part < partsMaximum && at + 8 <= bytes.length; part += 1) {
    const size = view.getUint32(at + 4, true);
    const data = at + 8;
    const end = data + size + (size & 1);
    if (end > bytes.length) return null;
    const chunk = WEBP_CHUNKS.get(textAt(bytes, at));
    if (chunk !== undefined) {
      if (size < chunk.leastBytes) return null;
      sides.push(chunk.sidesAt(view, data));
      isDrawn ||= chunk.isDrawn;
    }
    at = end;
  }
  return at === bytes.length && isDrawn ? sides : null;
}

/** Chunks of WebP that say how large a picture is, and whether it is in them. */
const WEBP_CHUNKS: ReadonlyMap<
  string,
  {
    readonly leastBytes: number;
    readonly isDrawn: boolean;
    sidesAt(view: DataView, data: number): Sides;
  }
> = new Map([
  ['VP8X', { leastBytes: 10, isDrawn: false, sidesAt: canvasSides }],
  ['VP8 ', { leastBytes: 10, isDrawn: true, sidesAt: lossySides }],
  ['VP8L', { leastBytes: 5, isDrawn: true, sidesAt: losslessSides }],
  ['ANMF', { leastBytes: 16, isDrawn: true, sidesAt: frameSides }],
]);

function canvasSides(view: DataView, data: number): Sides {
  return [threeBytes(view, data + 4) + 1, threeBytes(view, data + 7) + 1];
}

function frameSides(view: DataView, data: number): Sides {
  return [threeBytes(view, data + 6) + 1, threeBytes(view, data + 9) + 1];
}

function lossySides(view: DataView, data: number): Sides {
  return [view.getUint16(data + 6, true) & 0x3fff, view.getUint16(data + 8, true) & 0x3fff];
}

function losslessSides(view: DataView, data: number): Sides {
  const bits = view.getUint32(data + 1, true);
  return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
}

function threeBytes(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
}

function textAt(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4));
}

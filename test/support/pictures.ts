import { crc32 } from '../../src/domain/crc32.ts';

const of = (base64: string) => Buffer.from(base64, 'base64');

/** A whole picture of each kind, of 3 by 2 pixels (the GIF: of one), as a browser writes them. */
export const PICTURES = {
  png: of(
    'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAYAAACddGYaAAAAEklEQVR4AWL6z8DwH4aZGJAAAAAA//+GpNPhAAAABklEQVQDAHTzBf+1yIrkAAAAAElFTkSuQmCC',
  ),
  jpeg: of(
    '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAFA3PEY8MlBGQUZaVVBfeMiCeG5uePWvuZHI////////////////////////////////////////////////////2wBDAVVaWnhpeOuCguv/////////////////////////////////////////////////////////////////////////wAARCAACAAMDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAP/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFQEBAQAAAAAAAAAAAAAAAAAAAwT/xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oADAMBAAIRAxEAPwCQA1j/2Q==',
  ),
  gif: of('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'),
  lossyWebp: of('UklGRjQAAABXRUJQVlA4ICgAAACQAQCdASoDAAIAB0CWJaACdLoAA5gA/uUK+Cepco/+N48CvJdjoAAA'),
  losslessWebp: of('UklGRhwAAABXRUJQVlA4TA8AAAAvAkAAAAcQ/Y/+ByKi/wEA'),
  extendedWebp: of(
    'UklGRlYAAABXRUJQVlA4WAoAAAAwAAAAAgAAAQAAQUxQSAcAAAAAAP//////AFZQOCAoAAAAkAEAnQEqAwACAAdAliWgAnS6AAOYAP7lCvgnqXKP/jePAryXY6AAAA==',
  ),
} as const;

/** A whole PNG that says it is so wide and high. */
export function pngOf(width: number, height: number): Buffer {
  const png = Buffer.from(PICTURES.png);
  png.writeUInt32BE(width, 16);
  png.writeUInt32BE(height, 20);
  png.writeUInt32BE(crc32(png.subarray(12, 29)), 29);
  return png;
}

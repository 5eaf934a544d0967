import { PUBLIC_FILES } from '../../../config/limits/launches.ts';
import { AppError } from '../../domain/errors.ts';
import { asId, type ImageId, type UserId } from '../../domain/ids.ts';
import { IMAGE_TYPES, imageTypeOf, type ImageRecord, type ImageType } from '../../domain/launch.ts';
import { sidesOf } from '../../domain/picture.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { PublicFiles } from '../../ports/public-files.ts';
import type { StoreReader } from '../../ports/store.ts';
import { newIdBody } from '../new-id.ts';
import { IMAGES } from './tables.ts';

const DAY_MS = 86_400_000;

/**
 * Keeps a whole picture for everybody to see. What it is its first bytes say, never its sender.
 * Errors: those of `Launches.addImage`.
 */
export async function addImage(
  {
    store,
    commit,
    files,
    clock,
    random,
  }: Pick<Runtime, 'store' | 'commit' | 'clock' | 'random'> & { readonly files: PublicFiles },
  userId: UserId,
  bytes: Uint8Array,
): Promise<ImageRecord> {
  const mediaType = imageTypeOf(bytes);
  if (mediaType === null)
    throw new AppError(
      'unsupported_media_type',
      `not a picture: its first bytes are those of none of ${IMAGE_TYPES.join(', ')}`,
    );
  assertShown(mediaType, bytes);
  assertRoom(store, userId, clock.nowMs());
  const imageId = asId<ImageId>(`img_${newIdBody({ clock, random })}`);
  const name = `${imageId}.${nameOf(mediaType)}`;
  const uri = await files.put({ bytes, mediaType, name });
  const record: ImageRecord = {
    imageId,
    userId,
    uri,
    mediaType,
    bytes: bytes.length,
    createdAtMs: clock.nowMs(),
  };
  return commit((tx) => {
    const kept = assertRoom(tx, userId, record.createdAtMs);
    for (const { key } of kept.slice(
      0,
      Math.max(0, kept.length + 1 - PUBLIC_FILES.imagesKeptMaximum),
    ))
      tx.remove(IMAGES, key);
    tx.put(IMAGES, [userId, imageId], record);
    return record;
  });
}

/** It is kept for good, and shown by programs that may read each format less strictly. */
function assertShown(mediaType: ImageType, bytes: Uint8Array): void {
  const { imagePartsMaximum } = PUBLIC_FILES;
  const sides = sidesOf(mediaType, bytes, imagePartsMaximum);
  if (sides === null)
    throw badPicture(
      `a whole picture of at most ${imagePartsMaximum} parts: this ${nameOf(mediaType)} is damaged, cut off, or has more`,
    );
  const most = PUBLIC_FILES.imageSideMaximum;
  const bad = sides.find((pair) => pair.some((side) => side === 0 || side > most));
  if (bad !== undefined)
    throw badPicture(`a picture of 1 to ${most} pixels a side, not ${bad.join(' by ')}`);
}

/** The body is the picture, so that the path is that of the whole. */
function badPicture(message: string): AppError {
  return new AppError('invalid_request', `the body must be ${message}`, {
    fields: [{ path: '', message: `must be ${message}` }],
  });
}

function nameOf(mediaType: ImageType): string {
  return mediaType.slice('image/'.length);
}

/** Returns a picture of this user. Errors: `not_found`. */
export function readImage(reader: StoreReader, userId: UserId, imageId: ImageId): ImageRecord {
  const found = reader.get(IMAGES, [userId, imageId])?.value;
  if (found === undefined)
    throw new AppError('not_found', 'you have uploaded no such image, or too many after it', {
      fields: [{ path: '/imageId', message: 'the imageId of an uploaded picture' }],
    });
  return found;
}

function assertRoom(reader: StoreReader, userId: UserId, nowMs: number) {
  const kept = reader.range(IMAGES, { prefix: [userId] });
  const dayStartMs = nowMs - (nowMs % DAY_MS);
  const today = kept.filter(({ value }) => value.createdAtMs >= dayStartMs).length;
  if (today < PUBLIC_FILES.imagesPerDay) return kept;
  throw new AppError(
    'limit_reached',
    `${PUBLIC_FILES.imagesPerDay} pictures may be uploaded in a UTC day`,
    { retryable: true, retryAfterMs: dayStartMs + DAY_MS - nowMs },
  );
}

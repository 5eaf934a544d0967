import type { ImageId, LaunchId, TransactionId, UserId } from './ids.ts';

/** What a token is called and shown as. */
export interface TokenTexts {
  readonly name: string;
  readonly symbol: string;
  readonly description: string;
}

/** A picture that was uploaded and may be shown with a token. */
export interface ImageRecord {
  readonly imageId: ImageId;
  readonly userId: UserId;
  /** Where anybody can read it. */
  readonly uri: string;
  readonly mediaType: ImageType;
  readonly bytes: number;
  readonly createdAtMs: number;
}

/** Pictures that are taken (web3.md section 4). */
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;
/** The kind of a picture. */
export type ImageType = (typeof IMAGE_TYPES)[number];

/**
 * Life of a launch. `queued`: its transaction waits or is on its way; `launched`: a final block has
 * the token; `failed`: nothing but a fee has left, on proof.
 */
export type LaunchState = 'queued' | 'launched' | 'failed';

/** The durable record of one launch. */
export interface LaunchRecord extends TokenTexts {
  readonly launchId: LaunchId;
  readonly userId: UserId;
  readonly state: LaunchState;
  /** The token's address: the public half of a key that was made for it alone. */
  readonly mint: string;
  readonly imageUri: string;
  readonly metadataUri: string;
  /** What a trial of the very transaction took out of the wallet, fees included. */
  readonly costLamports: number;
  /** The same at our own price, in millionths of a dollar; null where SOL had none. */
  readonly costMicros: number | null;
  readonly transactionId: TransactionId;
  readonly transactionHash: string | null;
  readonly reason: string | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** Tells what a picture is by its first bytes; null for any type that is not taken. */
export function imageTypeOf(bytes: Uint8Array): ImageType | null {
  const starts = (text: string, at = 0): boolean =>
    Array.from(text).every((char, index) => bytes[at + index] === char.charCodeAt(0));
  if (starts('\x89PNG\r\n\x1a\n') && starts('IHDR', 12)) return 'image/png';
  if (starts('\xff\xd8\xff')) return 'image/jpeg';
  if (starts('GIF87a') || starts('GIF89a')) return 'image/gif';
  return starts('RIFF') && starts('WEBP', 8) ? 'image/webp' : null;
}

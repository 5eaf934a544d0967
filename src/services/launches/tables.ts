import type { ImageRecord, LaunchRecord } from '../../domain/launch.ts';
import type { Table } from '../../ports/store.ts';

/** Launches: [userId, launchId]. Ids are in the order of their making. */
export const LAUNCHES: Table<LaunchRecord> = { name: 'launches' };
/** Pictures: [userId, imageId]. At most PUBLIC_FILES.imagesKeptMaximum a user. */
export const IMAGES: Table<ImageRecord> = { name: 'images' };

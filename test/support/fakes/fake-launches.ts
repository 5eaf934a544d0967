import {
  asId,
  type ImageId,
  type LaunchId,
  type TransactionId,
  type UserId,
} from '../../../src/domain/ids.ts';
import type { ImageRecord, LaunchRecord } from '../../../src/domain/launch.ts';
import type { Launches } from '../../../src/services/launches/launches.ts';

const NOW_MS = 1_700_000_000_000;
const WALLET = '7fUAJdStEuGbc3sM84cKRL6yYaaSstyLSU4ve5oovLS7';

/** Id of the one picture, and of the one launch. */
export const IMAGE_ID = asId<ImageId>('img_00000000000000000000000001');
export const LAUNCH_ID = asId<LaunchId>('lnc_00000000000000000000000001');

/** A launch that is done. */
export function aLaunch(parts: Partial<LaunchRecord> = {}): LaunchRecord {
  return {
    launchId: LAUNCH_ID,
    userId: asId<UserId>('usr_1'),
    state: 'launched',
    name: 'Morning Coffee',
    symbol: 'BREW',
    description: 'A token for who is up first.',
    mint: 'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB',
    imageUri: 'https://ipfs.io/ipfs/bafkreiimage',
    metadataUri: 'https://ipfs.io/ipfs/bafkreimetadata',
    costLamports: 7_210_000,
    costMicros: 1_081_500,
    transactionId: asId<TransactionId>('txn_00000000000000000000000001'),
    transactionHash:
      '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW',
    reason: null,
    createdAtMs: NOW_MS,
    updatedAtMs: NOW_MS,
    ...parts,
  };
}

/** Launches of whoever asks. */
export function createFakeLaunches(): Launches {
  const made = new Set<UserId>();
  const image = (userId: UserId, bytes: number): ImageRecord => ({
    imageId: IMAGE_ID,
    userId,
    uri: 'https://ipfs.io/ipfs/bafkreiimage',
    mediaType: 'image/png',
    bytes,
    createdAtMs: NOW_MS,
  });
  return {
    addImage: async (userId, bytes) => image(userId, bytes.length),
    estimate: async () => ({
      rentLamports: 7_220_000,
      feeLamports: 35_000,
      costMicros: 1_088_250,
      walletAddress: WALLET,
      walletLamports: 1_000_000_000n,
      warnings: [],
      refusal: null,
      mayLaunchAtMs: null,
    }),
    async launch(userId) {
      made.add(userId);
      return aLaunch();
    },
    curveOf: () => '4LpSoN2rnDx3xEhqwXRxSrhKpR4tsNfRtktBKTTgWEBu',
    get: (userId, launchId) => (launchId === LAUNCH_ID && made.has(userId) ? aLaunch() : null),
    list: (userId) => ({ data: made.has(userId) ? [aLaunch()] : [], nextCursor: null }),
  };
}

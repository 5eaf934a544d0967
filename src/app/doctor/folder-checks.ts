import { existsSync, statSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ROOM } from '../../../config/limits/doctor.ts';
import { dataSizes } from '../data-sizes.ts';
import { MASTER_KEY_FILE } from '../storage.ts';
import { check, fail, ok, skipped, warn, type Check, type Finding } from './check.ts';

/** A file system: its number, and what is free in it. */
export interface FileSystem {
  readonly type: number;
  readonly bavail: number;
  readonly bsize: number;
  readonly files: number;
  readonly ffree: number;
}

/** What the checks of a data folder are about. */
export interface FolderParts {
  /** Whole path; it need not be there yet. */
  readonly folder: string;
  /** The account that doctor runs as; null on a system without. */
  readonly uid: number | null;
  /** Reads the file system that a path is on, as statfs(2) does. */
  readonly statfs: (path: string) => Promise<FileSystem>;
  /** Wall time, epoch ms. */
  readonly nowMs: number;
}

/** File systems by the number of statfs(2) that keep nothing, or not as a store needs it. */
const UNFIT: Readonly<Record<number, string>> = {
  0x01021994: 'tmpfs: it is memory, and empty after a restart of the machine',
  0x858458f6: 'ramfs: it is memory, and empty after a restart of the machine',
  0x6969: 'NFS: it does not lock and sync as a disk does',
  0xff534d42: 'CIFS: it does not lock and sync as a disk does',
  0x794c7630: 'overlay: it is part of a container, and gone with it',
};
const FIT: Readonly<Record<number, string>> = {
  0xef53: 'ext4',
  0x58465342: 'XFS',
  0x9123683e: 'btrfs',
  0x2fc12fc1: 'ZFS',
};

const ANOTHER_FOLDER = 'put PREDICTD_DATA on a local disk';

/** Checks of the data folder: whose it is, what it lies on, and how much room is left there. */
export function folderChecks(parts: FolderParts): readonly Check[] {
  const lost = { level: 'fail', remedy: `see that ${parts.folder} can be read` } as const;
  return [
    check('data folder', lost, async () => ownerFinding(parts)),
    check('file system', lost, () => fileSystemFinding(parts)),
    check('free space', lost, () => spaceFinding(parts)),
    check('free files', lost, () => inodesFinding(parts)),
  ];
}

/** The folder, or the nearest one above it that is there: the folder will lie on the same disk. */
export function nearestFolder(folder: string): string {
  let nearest = folder;
  while (!existsSync(nearest)) nearest = dirname(nearest);
  return nearest;
}

function ownerFinding({ folder, uid }: FolderParts): Finding {
  if (!existsSync(folder)) return ok(`${folder} is not there yet; the first start makes it`);
  const { mode, uid: owner } = statSync(folder);
  const bits = (mode & 0o777).toString(8);
  if (!statSync(folder).isDirectory())
    return fail(`${folder} is no folder`, 'name another one with PREDICTD_DATA');
  if (uid !== null && owner !== uid)
    return warn(
      `${folder} belongs to account ${owner}, and doctor runs as ${uid}`,
      'run doctor as the account of the daemon',
    );
  return (mode & 0o077) === 0
    ? ok(`${folder}, mode ${bits}, is its owner's alone`)
    : fail(
        `${folder} is open to others (mode ${bits})`,
        holdsOurs(folder)
          ? `run "chmod 700 ${folder}"`
          : 'it has no files of predictd: name a folder of its own with PREDICTD_DATA or --data',
      );
}

function holdsOurs(folder: string): boolean {
  return [join('store', 'journal'), MASTER_KEY_FILE].some((name) => existsSync(join(folder, name)));
}

async function fileSystemFinding({ folder, statfs }: FolderParts): Promise<Finding> {
  const nearest = nearestFolder(folder);
  const { type } = await statfs(nearest);
  const unfit = UNFIT[type >>> 0];
  if (unfit !== undefined) return fail(`${nearest} lies on ${unfit}`, ANOTHER_FOLDER);
  const name = FIT[type >>> 0] ?? `a file system of type 0x${(type >>> 0).toString(16)}`;
  const store = join(folder, 'store', 'journal');
  if (existsSync(store) && statSync(store).dev !== statSync(folder).dev)
    return warn(
      `${store} lies on another file system than ${folder}`,
      'put both on one: what is renamed between them is not whole after a power failure',
    );
  return ok(`${nearest} lies on ${name}`);
}

async function spaceFinding({ folder, nowMs, statfs }: FolderParts): Promise<Finding> {
  const { bavail, bsize } = await statfs(nearestFolder(folder));
  const free = bavail * bsize;
  const growth = await growthOf(folder, nowMs);
  const wanted = Math.max(ROOM.leastBytes, growth === null ? 0 : growth * ROOM.days);
  const grows =
    growth === null ? 'its growth is not known yet' : `it grows by ${mib(growth)} MiB a day`;
  const text = `${mib(free)} MiB are free, and ${grows}`;
  const remedy = 'make room, or move what is not needed; packed files of the log may lie elsewhere';
  if (free < ROOM.failBytes) return fail(text, remedy);
  return free < wanted
    ? warn(`${text}: less than the ${mib(wanted)} MiB of ${ROOM.days} days`, remedy)
    : ok(text);
}

async function inodesFinding({ folder, statfs }: FolderParts): Promise<Finding> {
  const { files, ffree } = await statfs(nearestFolder(folder));
  if (files === 0) return skipped('this file system makes room for files as they come');
  return ffree >= ROOM.leastInodes
    ? ok(`room for ${ffree} files more`)
    : warn(`room for ${ffree} files more`, 'remove small files that are not needed');
}

/**
 * Bytes a day that the folder grew by since its oldest file of the log was made; null for a folder
 * too young to say.
 */
async function growthOf(folder: string, nowMs: number): Promise<number | null> {
  const journal = join(folder, 'store', 'journal');
  const names = await readdir(journal).catch(() => []);
  const times = await Promise.all(
    names.map(async (name) => {
      const { birthtimeMs, mtimeMs } = await stat(join(journal, name));
      return birthtimeMs > 0 ? Math.min(birthtimeMs, mtimeMs) : mtimeMs;
    }),
  );
  const ageMs = nowMs - Math.min(...times);
  if (times.length === 0 || ageMs < ROOM.judgedAfterMs) return null;
  const { log, small_files: small, lmdb } = await dataSizes(folder);
  return ((log + small + lmdb) / ageMs) * 86_400_000;
}

function mib(bytes: number): number {
  return Math.round(bytes / (1 << 20));
}

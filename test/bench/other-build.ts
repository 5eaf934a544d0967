import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A source tree of some commits is 60 MB. */
const ARCHIVE_MAXIMUM_BYTES = 1 << 30;

/** A commit of this repository, built in a folder of its own. */
export interface OtherBuild {
  /** Short name of the commit. */
  readonly commit: string;
  readonly folder: string;
}

/**
 * Builds a commit beside the sources, with the packages of its own lock; what was built before is
 * taken as it is. Errors: an `Error` with a sentence when git does not know the commit or its build
 * fails.
 */
export function buildCommit(root: string, wanted: string): OtherBuild {
  const hash = git(root, ['rev-parse', '--verify', '--quiet', `${wanted}^{commit}`]);
  if (hash === null) throw new Error(`git knows no commit ${wanted} here`);
  const commit = hash.toString('utf8').trim().slice(0, 8);
  const folder = join(tmpdir(), `predictd-bench-${commit}`);
  if (existsSync(folder)) return { commit, folder };
  const building = `${folder}.building`;
  rmSync(building, { recursive: true, force: true });
  mkdirSync(building);
  const archive = git(root, ['archive', '--format=tar', commit]);
  if (archive === null) throw new Error(`git gives no archive of ${commit}`);
  const unpacked = spawnSync('tar', ['-x', '-C', building], { input: archive });
  if (unpacked.status !== 0) throw new Error(`the archive of ${commit} cannot be unpacked`);
  console.error(`bench: building ${commit} in ${folder}`);
  const built = spawnSync(
    process.execPath,
    [join(building, 'config', 'prepare.mjs'), '--build', '--bench'],
    { cwd: building, stdio: ['ignore', 2, 2] },
  );
  if (built.status !== 0) throw new Error(`${commit} does not build`);
  renameSync(building, folder);
  return { commit, folder };
}

function git(root: string, args: readonly string[]): Buffer | null {
  const { status, stdout } = spawnSync('git', args, {
    cwd: root,
    maxBuffer: ARCHIVE_MAXIMUM_BYTES,
  });
  return status === 0 ? stdout : null;
}

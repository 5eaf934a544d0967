import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { ROOT } from '../repository/source-files.ts';

const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      dev: z.boolean().optional(),
      devOptional: z.boolean().optional(),
      dependencies: z.record(z.string(), z.string()).optional(),
      optionalDependencies: z.record(z.string(), z.string()).optional(),
    }),
  ),
});

/** A lock, or what npm notes of an installed tree, by path in node_modules. */
export type Lock = z.output<typeof lockSchema>['packages'];

/** Reads a lock. */
export function lockIn(file: string): Lock {
  return lockSchema.parse(JSON.parse(readFileSync(file, 'utf8'))).packages;
}

/** Name of a package by its path. */
export function nameAt(path: string): string {
  return path.replace(/^.*node_modules\//, '');
}

/**
 * Packages of the lock that an installed predictd brings: neither those of the development nor what
 * others would take if it were there.
 */
export function runningPackages(): Lock {
  const all = Object.entries(lockIn(join(ROOT, 'package-lock.json')));
  return Object.fromEntries(
    all.filter(
      ([path, { dev, devOptional }]) => path !== '' && dev !== true && devOptional !== true,
    ),
  );
}

/**
 * Clones the committed tree into `folder`, packs the clone, which builds it, and installs the
 * package in an empty folder. Gives that folder.
 */
export function installPacked(folder: string): string {
  const clone = join(folder, 'clone');
  const home = join(folder, 'home');
  const run = (command: string, args: readonly string[], cwd: string): void =>
    void execFileSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
  run('git', ['clone', '--quiet', ROOT, clone], folder);
  mkdirSync(home);
  run('npm', ['pack', '--pack-destination', home], clone);
  const [tarball = ''] = readdirSync(home);
  run('npm', ['install', '--no-audit', '--no-fund', `./${tarball}`], home);
  return home;
}

import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Endpoints, Profile } from '../../config/profiles/profile.ts';
import { ADDRESSES } from '../../config/limits/admission.ts';
import { replaceFile } from './storage.ts';

const schema = z.object({
  profile: z.string(),
  pid: z.int().positive(),
  /** Milliseconds of market time in one of the wall's. */
  speed: z.number().positive(),
  /** The daemon's own base address, and its live socket. */
  api: z.url(),
  socket: z.url(),
  /**
   * Base addresses of the sandbox's services by name, those of its venues by id and name; null
   * where others run what is outside.
   */
  sandbox: z
    .looseObject({ venues: z.record(z.string(), z.record(z.string(), z.string())) })
    .nullable(),
});

/** Where a daemon and its sandbox are found. */
export type Addresses = Readonly<z.output<typeof schema>>;

/**
 * Returns the addresses of a daemon. Those of third-party services stay out: a node's may hold
 * a key.
 */
export function addressesOf({
  profile,
  pid,
  url,
  endpoints,
}: {
  readonly profile: Profile;
  readonly pid: number;
  readonly url: string;
  readonly endpoints: Endpoints;
}): Addresses {
  return {
    profile: profile.name,
    pid,
    speed: profile.clockScale,
    api: url,
    socket: `${url.replace(/^http/, 'ws')}/ws`,
    sandbox: profile.world === null ? null : keptAddresses(endpoints),
  };
}

/** Returns the addresses there are, without those that a world does without. */
export function keptAddresses({ venues, ...shared }: Endpoints): NonNullable<Addresses['sandbox']> {
  return {
    ...present(shared),
    venues: Object.fromEntries(Object.entries(venues).map(([id, urls]) => [id, present(urls)])),
  };
}

function present(urls: object): Record<string, string> {
  const all: readonly (readonly [string, unknown])[] = Object.entries(urls);
  return Object.fromEntries(
    all.flatMap(([name, url]) => (typeof url === 'string' ? [[name, url]] : [])),
  );
}

/** What a profile may do without: absent among the addresses that are kept. */
const DONE_WITHOUT = {
  ethereumRpc: null,
  bscRpc: null,
  arbitrumRpc: null,
  openId: null,
  assessor: null,
  socialRpc: null,
  socialRelay: null,
  push: null,
  control: null,
} as const;

/** Returns the addresses of a running sandbox as a profile has them; null where it runs none. */
export function endpointsOf({ sandbox }: Addresses): Endpoints | null {
  if (sandbox === null) return null;
  // `addressesOf` has kept all that were not null, under these names
  return { ...DONE_WITHOUT, ...sandbox } as unknown as Endpoints;
}

/**
 * Keeps addresses in the data folder, `addresses.json`, for other programs of its owner. Errors:
 * `store_unavailable`.
 */
export function keepAddresses(folder: string, addresses: Addresses): void {
  replaceFile(fileIn(folder), `${JSON.stringify(addresses, null, 2)}\n`);
}

/** Removes kept addresses: those of an earlier run lead nowhere. */
export function dropAddresses(folder: string): void {
  rmSync(fileIn(folder), { force: true });
}

/**
 * Returns the addresses of the daemon that runs in a data folder; null where none does, whatever a
 * killed one has left behind.
 */
export async function runningAddresses(folder: string): Promise<Addresses | null> {
  const file = fileIn(folder);
  const kept = existsSync(file) ? schema.safeParse(jsonOf(readFileSync(file, 'utf8'))) : null;
  if (kept?.success !== true || !isAlive(kept.data.pid)) return null;
  const answer = await fetch(`${kept.data.api}/healthz`, {
    signal: AbortSignal.timeout(ADDRESSES.answerTimeoutMs),
  }).catch(() => null);
  return answer?.ok === true ? kept.data : null;
}

function fileIn(folder: string): string {
  return join(folder, 'addresses.json');
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A secret of the run, and what it is called in a finding. */
export interface Canary {
  readonly name: string;
  readonly value: string;
}

/** A place a secret must not be in. */
export interface Place {
  readonly name: string;
  readonly bytes: Buffer;
}

/**
 * Every form a secret would leak in: as it is, and for hex also its bytes, their base64 and the
 * other case.
 */
function formsOf({ value }: Canary): readonly Buffer[] {
  const text = Buffer.from(value);
  const bare = value.replace(/^0x/, '');
  if (!/^[0-9a-f]{64,}$/i.test(bare))
    return [text, Buffer.from(text.toString('base64').replace(/=+$/, ''))];
  const bytes = Buffer.from(bare, 'hex');
  return [
    Buffer.from(bare.toLowerCase()),
    Buffer.from(bare.toUpperCase()),
    bytes,
    Buffer.from(bytes.toString('base64').replace(/=+$/, '')),
    Buffer.from(bytes.toString('base64url')),
  ];
}

/**
 * A code of six digits hides in longer numbers, so it counts only where no digit or point is beside
 * it.
 */
function holds(bytes: Buffer, canary: Canary): boolean {
  if (/^\d{6}$/.test(canary.value))
    return new RegExp(`(?<![\\d.])${canary.value}(?![\\d.])`).test(bytes.toString('latin1'));
  return formsOf(canary).some((form) => bytes.includes(form));
}

/** Names each secret that is found, with the place; nothing when all stay in. */
export function leaks(canaries: readonly Canary[], places: readonly Place[]): readonly string[] {
  return places.flatMap(({ name, bytes }) =>
    canaries.filter((canary) => holds(bytes, canary)).map((canary) => `${canary.name} in ${name}`),
  );
}

/** Every file below a folder, as its bytes lie on the disk. */
export function filesBelow(folder: string): readonly Place[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(folder, path)).isFile())
    .map((path) => ({ name: path, bytes: readFileSync(join(folder, path)) }));
}

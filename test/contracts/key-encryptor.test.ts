import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { createEncryptorRing } from '../../src/adapters/keys/encryptor-ring.ts';
import { createLocalEncryptor } from '../../src/adapters/keys/local-encryptor.ts';
import { readMasterKeyFile } from '../../src/adapters/keys/master-key-file.ts';
import { createSystemRandom } from '../../src/adapters/random/system-random.ts';
import { keyEncryptorContract } from './key-encryptor.ts';

const random = createSystemRandom();
const folder = mkdtempSync(join(tmpdir(), 'predictd-keys-'));
afterAll(() => rmSync(folder, { recursive: true }));

function keyFile(name: string, digit: string): Uint8Array {
  const path = join(folder, name);
  writeFileSync(path, `${digit.repeat(64)}\n`);
  chmodSync(path, 0o600);
  return readMasterKeyFile(path);
}

keyEncryptorContract('a master key of the environment', async () => {
  const open = (hex: string) => createLocalEncryptor(Buffer.from(hex.repeat(32), 'hex'), random);
  return { first: open('a1'), again: open('a1'), other: open('b2') };
});

keyEncryptorContract('a master key in a file', async () => ({
  first: createLocalEncryptor(keyFile('one', 'c'), random),
  again: createLocalEncryptor(keyFile('one', 'c'), random),
  other: createLocalEncryptor(keyFile('two', 'd'), random),
}));

keyEncryptorContract('a ring of a present and a former master key', async () => {
  const of = (byte: number) => createLocalEncryptor(new Uint8Array(32).fill(byte), random);
  return {
    first: createEncryptorRing(of(1), [of(2)]),
    again: createEncryptorRing(of(1), []),
    other: createEncryptorRing(of(3), [of(2)]),
  };
});

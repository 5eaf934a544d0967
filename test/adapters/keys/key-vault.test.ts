import { privateKeyToAddress } from 'viem/accounts';
import { recoverAddress } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { createEnvelope } from '../../../src/adapters/keys/envelope.ts';
import { createKeyVault } from '../../../src/adapters/keys/key-vault.ts';
import { hexOf } from '../../../src/adapters/wire/hex.ts';
import type { Keccak } from '../../../src/adapters/wire/keccak.ts';
import { loadKeccak } from '../../../src/adapters/wire/keccak.ts';
import type { UserId } from '../../../src/domain/ids.ts';
import { asId } from '../../../src/domain/ids.ts';
import { countingRandom } from '../../support/known-keys.ts';

const ADA = asId<UserId>('usr_ada');
const master = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);
let keccak: Keccak;

beforeAll(async () => {
  keccak = await loadKeccak();
});

function aVault(change: { masterKey?: Uint8Array; unsealedMaximum?: number } = {}) {
  return createKeyVault({ masterKey: master(1), random: countingRandom(), keccak, ...change });
}

describe('key vault', () => {
  it('gives the checksummed address of the key it made and signs with it after a restart', async () => {
    const { address, sealed } = aVault().create();
    const restarted = aVault();
    expect(restarted.has(ADA)).toBe(false);
    expect(restarted.load(ADA, sealed)).toBe(address);
    const digest = master(0x42);
    const signature = restarted.signDigest(ADA, digest);
    expect(signature).toHaveLength(65);
    expect(await recoverAddress({ hash: hexOf(digest), signature: hexOf(signature) })).toBe(restarted.addressOf(ADA));
  });

  it('agrees with viem about addresses', () => {
    const key = Uint8Array.from({ length: 32 }, (_, index) => index + 1);
    const vault = createKeyVault({ masterKey: master(1), random: { integer: () => 0, bytes: (count) => key.slice(0, count) }, keccak });
    expect(vault.create().address).toBe(privateKeyToAddress(hexOf(key)));
  });

  it('L12: keeps the key out of what is stored and of every error', () => {
    const key = Uint8Array.from({ length: 32 }, (_, index) => index + 1);
    const envelope = createEnvelope(master(1), countingRandom());
    const sealed = envelope.seal('label', key);
    expect(sealed).not.toContain(Buffer.from(key).toString('base64url').slice(0, 16));
    const damagedText = `${sealed.slice(0, -4)}AAAA`;
    expect(() => aVault().load(ADA, damagedText)).toThrowError(expect.objectContaining({ code: 'store_corrupt' }));
    expect(() => aVault().load(ADA, sealed)).toThrowError(/usr_ada is not a key of its address/);
  });

  it('tells a wrong master key from a damaged record', () => {
    const { sealed } = aVault().create();
    expect(() => aVault({ masterKey: master(2) }).load(ADA, sealed)).toThrowError(expect.objectContaining({ code: 'master_key_wrong' }));
    const parts = sealed.split('.');
    for (const part of [0, 1, 3, 4]) {
      const changed = parts.map((text, index) => (index === part ? `${text.startsWith('B') ? 'C' : 'B'}${text.slice(1)}` : text)).join('.');
      expect(() => aVault().load(ADA, changed)).toThrowError(expect.objectContaining({ code: 'store_corrupt' }));
    }
    expect(() => aVault().load(ADA, 'nonsense')).toThrowError(expect.objectContaining({ code: 'store_corrupt' }));
  });

  it('seals other secrets, and never opens a key as text', () => {
    const vault = aVault();
    expect(vault.unseal(vault.seal('pässwörd'))).toBe('pässwörd');
    expect(vault.seal('same')).not.toBe(vault.seal('same'));
    expect(() => vault.unseal(vault.create().sealed)).toThrowError(expect.objectContaining({ code: 'store_corrupt' }));
  });

  it('holds a bounded number of keys and drops the least recently used', () => {
    const vault = aVault({ unsealedMaximum: 2 });
    const [bea, cal] = [asId<UserId>('usr_bea'), asId<UserId>('usr_cal')];
    vault.load(ADA, vault.create().sealed);
    vault.load(bea, vault.create().sealed);
    vault.addressOf(ADA);
    vault.load(cal, vault.create().sealed);
    expect([ADA, bea, cal].map((user) => vault.has(user))).toEqual([true, false, true]);
    expect(() => vault.signDigest(bea, master(3))).toThrowError(expect.objectContaining({ code: 'not_found' }));
  });

  it('refuses a master key of another size', () => {
    expect(() => aVault({ masterKey: new Uint8Array(31) })).toThrowError(expect.objectContaining({ code: 'config_invalid' }));
  });
});

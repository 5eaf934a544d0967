import { describe, expect, it } from 'vitest';
import type { KeyEncryptor } from '../../src/ports/key-encryptor.ts';

/** An encryptor under test, and others to tell it from. */
export interface EncryptorsUnderTest {
  /** The same master key, opened twice as by two starts. */
  readonly first: KeyEncryptor;
  readonly again: KeyEncryptor;
  /** Another master key. */
  readonly other: KeyEncryptor;
}

/** What every encryptor of data keys keeps to. */
export function keyEncryptorContract(name: string, open: () => Promise<EncryptorsUnderTest>): void {
  describe(`key encryptor: ${name}`, () => {
    const dataKey = Uint8Array.from({ length: 32 }, (_, index) => 255 - index);

    it('unwraps after a restart what it wrapped', async () => {
      const { first, again } = await open();
      const wrapped = await first.wrap(dataKey, 'user a');
      expect([again.keyId, Buffer.from(await again.unwrap(wrapped, 'user a'))]).toEqual([
        first.keyId,
        Buffer.from(dataKey),
      ]);
    });

    it('wraps the same key differently each time, and shows nothing of it', async () => {
      const { first } = await open();
      const [one, two] = [await first.wrap(dataKey, 'user a'), await first.wrap(dataKey, 'user a')];
      expect(one.wrapped).not.toBe(two.wrapped);
      for (const form of ['hex', 'base64', 'base64url'] as const)
        expect(JSON.stringify([one, two])).not.toContain(
          Buffer.from(dataKey).toString(form).slice(0, 12),
        );
    });

    it('binds a key to its context', async () => {
      const { first } = await open();
      const wrapped = await first.wrap(dataKey, 'user a');
      await expect(first.unwrap(wrapped, 'user b')).rejects.toMatchObject({
        code: 'store_corrupt',
      });
    });

    it('tells a damaged key from one of another master key, which it names by id alone', async () => {
      const { first, other } = await open();
      const wrapped = await first.wrap(dataKey, 'user a');
      for (const damaged of [
        '',
        'nonsense',
        `${wrapped.wrapped.slice(0, -4)}AAAA`,
        wrapped.wrapped.slice(4),
      ]) {
        await expect(
          first.unwrap({ ...wrapped, wrapped: damaged }, 'user a'),
        ).rejects.toMatchObject({ code: 'store_corrupt' });
      }
      await expect(other.unwrap(wrapped, 'user a')).rejects.toMatchObject({
        code: 'master_key_wrong',
        message: expect.stringContaining(first.keyId),
      });
      expect(other.keyId).not.toBe(first.keyId);
    });
  });
}

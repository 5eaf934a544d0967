import { createECDH } from 'node:crypto';
import { expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { openVapidKeys, VAPID_KEYS } from '../../../src/adapters/web-push/vapid-keys.ts';

const vault = {
  seal: (text: string) => `sealed ${[...text].reverse().join('')}`,
  unseal: (text: string) => [...text].slice('sealed '.length).reverse().join(''),
};
const partsOf = (store = createMemoryStore()) => ({
  store,
  vault,
  random: createSeededRandom('keys'),
  given: null as string | null,
});

it('L12: makes the key at the first start, keeps it sealed, and finds it again at the next', async () => {
  const parts = partsOf();
  const first = await openVapidKeys(parts);
  const again = await openVapidKeys({ ...parts, random: createSeededRandom('others') });
  const kept = parts.store.get(VAPID_KEYS, ['current'])?.value.sealed ?? '';
  expect([
    again,
    Buffer.from(first.publicKey, 'base64url').length,
    kept.startsWith('sealed '),
    kept.includes(Buffer.from(first.privateKey, 'base64url').toString('hex')),
  ]).toEqual([first, 65, true, false]);
});

it('takes a configured key instead, and stores nothing of it', async () => {
  const curve = createECDH('prime256v1');
  curve.generateKeys();
  const parts = partsOf();
  const keys = await openVapidKeys({
    ...parts,
    given: curve.getPrivateKey('base64url').padStart(43, 'A'),
  });
  expect([keys.publicKey, parts.store.range(VAPID_KEYS)]).toEqual([
    curve.getPublicKey('base64url'),
    [],
  ]);
});

it('refuses a configured key that is not on the curve', async () => {
  await expect(
    openVapidKeys({ ...partsOf(), given: Buffer.alloc(32).toString('base64url') }),
  ).rejects.toMatchObject({ code: 'config_invalid' });
  await expect(
    openVapidKeys({ ...partsOf(), given: Buffer.alloc(32, 255).toString('base64url') }),
  ).rejects.toMatchObject({ code: 'config_invalid' });
});

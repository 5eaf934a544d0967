import { assert, asyncProperty, bigInt } from 'fast-check';
import { bytesToHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { loadNative, loadWasm, type Secp256k1 } from '../../../src/adapters/wire/secp256k1.ts';
import { runs } from '../../support/sampled.ts';

/** The order of the curve: keys and the number of a digest are below it. */
const ORDER = 0xffffffff_ffffffff_ffffffff_fffffffe_baaedce6_af48a03b_bfd25e8c_d0364141n;

const wasm = await loadWasm();
const native = loadNative();

/** A number from 1 to below the curve's order, as 32 bytes. */
const scalars = bigInt({ min: 1n, max: ORDER - 1n }).map((number) =>
  Uint8Array.from(Buffer.from(number.toString(16).padStart(64, '0'), 'hex')),
);

describe.each<[string, Secp256k1 | null]>([
  ['WebAssembly', wasm],
  ['the native build', native],
])('signing by %s', (_name, curve) => {
  it.skipIf(curve === null)(
    'gives the bytes of viem, and recovers the key that signed',
    async () => {
      const { sign, recover, publicKeyOf } = curve ?? wasm;
      await assert(
        asyncProperty(scalars, scalars, async (key, digest) => {
          const account = privateKeyToAccount(bytesToHex(key));
          const signed = sign(digest, key);
          const expected = await account.sign({ hash: bytesToHex(digest) });
          expect(`${bytesToHex(signed.signature)}${(27 + signed.recoveryId).toString(16)}`).toBe(
            expected,
          );
          expect(bytesToHex(publicKeyOf(key))).toBe(account.publicKey);
          expect(bytesToHex(recover(digest, signed))).toBe(account.publicKey);
        }),
        { numRuns: runs(50, 1_000) },
      );
    },
  );

  it.skipIf(curve === null)('knows what is no key and no signature', () => {
    const { isPrivateKey, recover } = curve ?? wasm;
    const ones = new Uint8Array(32).fill(255);
    expect([isPrivateKey(new Uint8Array(32)), isPrivateKey(ones)]).toEqual([false, false]);
    expect(isPrivateKey(new Uint8Array(32).fill(1))).toBe(true);
    for (const signature of [new Uint8Array(64), new Uint8Array(64).fill(255)])
      expect(() => recover(ones, { signature, recoveryId: 0 })).toThrow();
  });
});

it('is native on Linux with x64, where the tests run', () => {
  expect(native?.kind).toBe(
    process.platform === 'linux' && process.arch === 'x64' ? 'native' : native?.kind,
  );
});

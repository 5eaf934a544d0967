import * as fc from 'fast-check';
import { encodeAbiParameters, getContractAddress, keccak256 } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { POLYGON_CHAIN } from '../../../config/profiles/profile.ts';
import {
  createWalletAddresses,
  type WalletAddresses,
} from '../../../src/adapters/safe-relayer/derive.ts';
import { hexOf } from '../../../src/adapters/wire/hex.ts';
import { loadKeccak, type Keccak } from '../../../src/adapters/wire/keccak.ts';
import { asId, type Address } from '../../../src/domain/ids.ts';

const OWNER = asId<Address>('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266');
const RULE = POLYGON_CHAIN.wallets;
let keccak: Keccak;
let wallets: WalletAddresses;

beforeAll(async () => {
  keccak = await loadKeccak();
  wallets = createWalletAddresses(keccak, RULE);
});

describe('wallets by the venue rule', () => {
  it('are those of the venue sheet: the Safe and the deposit wallet of the test key, and the Safe of the relayer client', () => {
    expect([
      wallets.safeOf(OWNER),
      wallets.depositWalletOf(OWNER).toLowerCase(),
      wallets.safeOf(asId('0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A')),
    ]).toEqual([
      '0xd93B25cb943D14d0d34FBaF01Fc93a0f8b5F6E47',
      '0xbc0ff067b7740eff76c1ca93c875ba6b890d6b50',
      '0x75F00B003FBBBA193FABEB06284c3187a4C1232E',
    ]);
  });

  it('agree with viem for any owner and any configured factory, hash and salt rule', () => {
    const bytes = (length: number) =>
      fc.uint8Array({ minLength: length, maxLength: length }).map(hexOf);
    fc.assert(
      fc.property(
        bytes(20),
        bytes(20),
        bytes(32),
        fc.constantFrom('padded_owner' as const, 'packed_owner' as const),
        (owner, factory, initCodeHash, salt) => {
          const derived = createWalletAddresses(keccak, {
            ...RULE,
            safe: { factory, initCodeHash, salt },
          }).safeOf(asId(owner));
          const hashed =
            salt === 'padded_owner' ? encodeAbiParameters([{ type: 'address' }], [owner]) : owner;
          expect(derived).toBe(
            getContractAddress({
              opcode: 'CREATE2',
              from: factory,
              salt: keccak256(hashed),
              bytecodeHash: initCodeHash,
            }),
          );
        },
      ),
      { numRuns: 50 },
    );
  });

  it('are the same when asked again', () => {
    expect([wallets.safeOf(OWNER), wallets.depositWalletOf(OWNER)]).toEqual([
      wallets.safeOf(OWNER),
      wallets.depositWalletOf(OWNER),
    ]);
  });

  it('need a rule of the right lengths', () => {
    expect(() =>
      createWalletAddresses(keccak, { ...RULE, safe: { ...RULE.safe, initCodeHash: '0x12' } }),
    ).toThrowError(expect.objectContaining({ code: 'config_invalid' }));
  });
});

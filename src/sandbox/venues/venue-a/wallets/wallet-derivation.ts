import {
  concatHex,
  encodeAbiParameters,
  encodePacked,
  getContractAddress,
  keccak256,
  numberToHex,
  pad,
  type Hex,
} from 'viem';
import { asId, type Address } from '../../../../domain/ids.ts';
import { VENUE_CONTRACTS } from '../chain/chain-addresses.ts';

/** Wallets the venue derives from an account's own key (venue_a.md section 14.1). */
export interface DerivedWallets {
  readonly proxy: Address;
  readonly safe: Address;
  /** Beacon form, the default, then the older form. */
  readonly deposit: readonly [Address, Address];
}

/** Derives the wallets of an account; the same address always gives the same ones. */
export function deriveWallets(owner: Address): DerivedWallets {
  const eoa = owner as unknown as Hex; // An Address is checksummed 0x hex by contract.
  const args = encodeAbiParameters(
    [{ type: 'address' }, { type: 'bytes32' }],
    [VENUE_CONTRACTS.depositFactory, pad(eoa, { size: 32 })],
  );
  const depositSalt = keccak256(args);
  return {
    safe: create2(
      VENUE_CONTRACTS.safeFactory,
      keccak256(encodeAbiParameters([{ type: 'address' }], [eoa])),
      VENUE_CONTRACTS.safeInitCodeHash,
    ),
    proxy: create2(
      VENUE_CONTRACTS.proxyFactory,
      keccak256(encodePacked(['address'], [eoa])),
      VENUE_CONTRACTS.proxyInitCodeHash,
    ),
    deposit: [
      create2(VENUE_CONTRACTS.depositFactory, depositSalt, keccak256(beaconCode(args))),
      create2(VENUE_CONTRACTS.depositFactory, depositSalt, keccak256(upgradeableCode(args))),
    ],
  };
}

function create2(from: Hex, salt: Hex, bytecodeHash: Hex): Address {
  return asId<Address>(getContractAddress({ opcode: 'CREATE2', from, salt, bytecodeHash }));
}

/** The ten-byte prefix carries the length of the immutable arguments at bit 56. */
function prefixed(prefix: bigint, args: Hex): Hex {
  return numberToHex(prefix + (BigInt(args.length / 2 - 1) << 56n), { size: 10 });
}

function beaconCode(args: Hex): Hex {
  return concatHex([
    prefixed(0x6100523d8160233d3973n, args),
    VENUE_CONTRACTS.depositBeacon,
    '0x60195155f3363d3d373d3d363d602036600436635c60da',
    '0x1b60e01b36527fa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6c',
    '0xb3582b35133d50545afa5036515af43d6000803e604d573d6000fd5b3d6000f3',
    args,
  ]);
}

function upgradeableCode(args: Hex): Hex {
  return concatHex([
    prefixed(0x61003d3d8160233d3973n, args),
    VENUE_CONTRACTS.depositImplementation,
    '0x6009',
    '0x5155f3363d3d373d3d363d7f360894a13ba1a3210667c828492db98dca3e2076',
    '0xcc3735a920a3ca505d382bbc545af43d6000803e6038573d6000fd5b3d6000f3',
    args,
  ]);
}

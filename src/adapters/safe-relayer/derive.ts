import { BoundedMap } from '../../domain/bounded-map.ts';
import { KEYS } from '../../../config/limits.ts';
import { AppError } from '../../domain/errors.ts';
import type { Address } from '../../domain/ids.ts';
import type { Hex } from '../../ports/evm.ts';
import { addressOfBytes } from '../wire/address.ts';
import { bytesOfHex } from '../wire/hex.ts';
import type { Keccak } from '../wire/keccak.ts';

/**
 * The venue's rule from an owner's address to the addresses of its wallets (venue_a.md section
 * 14.1). Configuration, not code.
 */
export interface WalletRule {
  readonly safe: {
    readonly factory: Hex;
    /** 32 bytes. */
    readonly initCodeHash: Hex;
    /** What is hashed for the salt: the owner padded to a word, or its 20 bytes alone. */
    readonly salt: 'padded_owner' | 'packed_owner';
  };
  readonly deposit: { readonly factory: Hex; readonly beacon: Hex };
}

/** Addresses of the wallets an owner has by the rule, deployed or not. */
export interface WalletAddresses {
  safeOf(owner: Address): Address;
  /** The deposit wallet behind a beacon, the venue's present default. */
  depositWalletOf(owner: Address): Address;
}

const WORD_BYTES = 32;
const ARGUMENT_BYTES = 2 * WORD_BYTES;
/**
 * Init code of Solady's beacon proxy with immutable arguments, before and after the beacon
 * (venue_a.md section 14.1).
 */
const BEACON_HEAD = '6100523d8160233d3973';
const BEACON_TAIL =
  '60195155f3363d3d373d3d363d602036600436635c60da1b60e01b36527fa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50545afa5036515af43d6000803e604d573d6000fd5b3d6000f3';
/**
 * The byte of the head that holds the length of what follows the beacon: the arguments are added to
 * it.
 */
const HEAD_LENGTH_AT = 2;

/**
 * Makes the derivation of a rule; addresses asked for are kept within a bound. Errors:
 * `config_invalid` for a rule with malformed fields.
 */
export function createWalletAddresses(keccak: Keccak, rule: WalletRule): WalletAddresses {
  const factory = configured(rule.safe.factory, 20);
  const initCodeHash = configured(rule.safe.initCodeHash, WORD_BYTES);
  const deposit = {
    factory: configured(rule.deposit.factory, 20),
    beacon: configured(rule.deposit.beacon, 20),
  };
  return {
    safeOf: kept((owner) => {
      const salt = keccak(rule.safe.salt === 'padded_owner' ? padded(owner) : owner);
      return create2(keccak, { factory, salt, initCodeHash });
    }),
    depositWalletOf: kept((owner) => {
      const args = Buffer.concat([padded(deposit.factory), padded(owner)]);
      return create2(keccak, {
        factory: deposit.factory,
        salt: keccak(args),
        initCodeHash: keccak(beaconProxy(deposit.beacon, args)),
      });
    }),
  };
}

/** CREATE2 (EIP-1014): the last 20 bytes of keccak(0xff ‖ factory ‖ salt ‖ init code hash). */
function create2(
  keccak: Keccak,
  parts: {
    readonly factory: Uint8Array;
    readonly salt: Uint8Array;
    readonly initCodeHash: Uint8Array;
  },
): Address {
  return addressOfBytes(
    keccak,
    keccak(
      Buffer.concat([Uint8Array.of(0xff), parts.factory, parts.salt, parts.initCodeHash]),
    ).subarray(12),
  );
}

function beaconProxy(beacon: Uint8Array, args: Uint8Array): Uint8Array {
  const head = Buffer.from(BEACON_HEAD, 'hex');
  head.writeUInt8(head.readUInt8(HEAD_LENGTH_AT) + ARGUMENT_BYTES, HEAD_LENGTH_AT);
  return Buffer.concat([head, beacon, Buffer.from(BEACON_TAIL, 'hex'), args]);
}

/** Keeps answers: orders ask for their maker each time. */
function kept(derive: (owner: Uint8Array) => Address): (owner: Address) => Address {
  const known = new BoundedMap<Address, Address>(KEYS.unsealedMaximum);
  return (owner) => {
    const before = known.get(owner);
    if (before !== undefined) return before;
    const bytes = bytesOfHex(owner, 20);
    if (bytes === null) throw new AppError('internal', `not an owner's address: ${owner}`);
    const derived = derive(bytes);
    known.set(owner, derived);
    return derived;
  };
}

function padded(address: Uint8Array): Uint8Array {
  const word = new Uint8Array(WORD_BYTES);
  word.set(address, WORD_BYTES - address.length);
  return word;
}

function configured(hex: Hex, length: number): Uint8Array {
  const bytes = bytesOfHex(hex, length);
  if (bytes === null)
    throw new AppError(
      'config_invalid',
      `the wallet rule holds ${hex} where ${length} bytes are needed.`,
    );
  return bytes;
}

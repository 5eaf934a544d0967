import { createHash } from 'node:crypto';
import {
  address,
  getAddressDecoder,
  getAddressEncoder,
  isOffCurveAddress,
  type Address,
} from '@solana/kit';
import { ASSOCIATED_TOKEN_PROGRAM } from './addresses.ts';

/**
 * Returns the one account a wallet has for a mint (web3.md section 8.2), at once: a virtual clock
 * waits for nothing.
 */
export function associatedAddress(owner: Address, mint: Address, tokenProgram: Address): Address {
  const name = `${owner} ${mint} ${tokenProgram}`;
  const known = derivedBefore.get(name);
  if (known !== undefined) return known;
  const derived = derive(owner, mint, tokenProgram);
  derivedBefore.set(name, derived);
  if (derivedBefore.size > REMEMBERED_MAXIMUM) derivedBefore.clear();
  return derived;
}

/** A derivation takes most of a millisecond, and the same few are asked for again and again. */
const derivedBefore = new Map<string, Address>();
const REMEMBERED_MAXIMUM = 10_000;

function derive(owner: Address, mint: Address, tokenProgram: Address): Address {
  const encoder = getAddressEncoder();
  return derivedAddress(
    [owner, tokenProgram, mint].map((part) => Uint8Array.from(encoder.encode(part))),
    ASSOCIATED_TOKEN_PROGRAM,
  );
}

/** Returns the address that seeds lead to for a program: the first that no key belongs to. */
export function derivedAddress(seeds: readonly Uint8Array[], program: Address): Address {
  const tail = Buffer.concat([
    Uint8Array.from(getAddressEncoder().encode(program)),
    Buffer.from('ProgramDerivedAddress'),
  ]);
  for (let bump = 255; bump >= 0; bump -= 1) {
    const derived = addressOf(
      createHash('sha256')
        .update(Buffer.concat(seeds))
        .update(Uint8Array.of(bump))
        .update(tail)
        .digest(),
    );
    if (isOffCurveAddress(derived)) return derived;
  }
  throw new Error(`${program} has no address of these seeds`);
}

function addressOf(bytes: Uint8Array): Address {
  return address(getAddressDecoder().decode(bytes));
}

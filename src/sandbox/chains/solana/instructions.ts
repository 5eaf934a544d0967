import { AccountRole, getAddressEncoder, type Address, type Instruction } from '@solana/kit';
import { ASSOCIATED_TOKEN_PROGRAM, MEMO_PROGRAM, SYSTEM_PROGRAM } from './addresses.ts';
import { associatedAddress } from './associated-address.ts';

/** Sets the priority fee of a transaction. */
// an address, written down
const COMPUTE_BUDGET_PROGRAM = 'ComputeBudget111111111111111111111111111111' as Address;

/** A mint and the program it belongs to. */
export interface Token {
  readonly mint: Address;
  readonly program: Address;
}

/** Decimals of USDC and of every outcome. */
const DECIMALS = 6;
/** Bytes of a mint without extensions. */
export const MINT_BYTES = 82;

/** Limits a transaction's units and bids for them. */
export function computeBudget(units: number, microLamports: number): readonly Instruction[] {
  return [
    {
      programAddress: COMPUTE_BUDGET_PROGRAM,
      data: layout(5, (data) => {
        data.writeUInt8(2, 0);
        data.writeUInt32LE(units, 1);
      }),
    },
    {
      programAddress: COMPUTE_BUDGET_PROGRAM,
      data: layout(9, (data) => {
        data.writeUInt8(3, 0);
        data.writeBigUInt64LE(BigInt(microLamports), 1);
      }),
    },
  ];
}

/** An account at an address that a base key and a word name. */
export interface SeededAccount {
  readonly address: Address;
  readonly base: Address;
  readonly seed: string;
  /** The program that may write it. */
  readonly program: Address;
}

/** Makes such an account; the base signs. */
export function createSeededAccount(
  payer: Address,
  { address, base, seed, program }: SeededAccount,
  { lamports, bytes }: { readonly lamports: number; readonly bytes: number },
): Instruction {
  const encoder = getAddressEncoder();
  return {
    programAddress: SYSTEM_PROGRAM,
    accounts: [
      { address: payer, role: AccountRole.WRITABLE_SIGNER },
      { address, role: AccountRole.WRITABLE },
      { address: base, role: AccountRole.READONLY_SIGNER },
    ],
    data: layout(92 + seed.length, (data) => {
      data.writeUInt32LE(3, 0);
      data.set(encoder.encode(base), 4);
      data.writeBigUInt64LE(BigInt(seed.length), 36);
      data.write(seed, 44, 'ascii');
      data.writeBigUInt64LE(BigInt(lamports), 44 + seed.length);
      data.writeBigUInt64LE(BigInt(bytes), 52 + seed.length);
      data.set(encoder.encode(program), 60 + seed.length);
    }),
  };
}

/** Makes a token account of an account. */
export function initializeTokenAccount(
  account: Address,
  { mint, program }: Token,
  owner: Address,
): Instruction {
  return {
    programAddress: program,
    accounts: [
      { address: account, role: AccountRole.WRITABLE },
      { address: mint, role: AccountRole.READONLY },
    ],
    data: layout(33, (data) => {
      data.writeUInt8(18, 0);
      data.set(getAddressEncoder().encode(owner), 1);
    }),
  };
}

/** Makes a mint of an account. */
export function initializeMint({ mint, program }: Token, authority: Address): Instruction {
  return {
    programAddress: program,
    accounts: [{ address: mint, role: AccountRole.WRITABLE }],
    data: layout(35, (data) => {
      data.writeUInt8(20, 0);
      data.writeUInt8(DECIMALS, 1);
      data.set(getAddressEncoder().encode(authority), 2);
    }),
  };
}

/** Makes the account a wallet has for a token, where that is missing. */
export function ensureTokenAccount(
  payer: Address,
  owner: Address,
  { mint, program }: Token,
): Instruction {
  return {
    programAddress: ASSOCIATED_TOKEN_PROGRAM,
    accounts: [
      { address: payer, role: AccountRole.WRITABLE_SIGNER },
      { address: associatedAddress(owner, mint, program), role: AccountRole.WRITABLE },
      { address: owner, role: AccountRole.READONLY },
      { address: mint, role: AccountRole.READONLY },
      { address: SYSTEM_PROGRAM, role: AccountRole.READONLY },
      { address: program, role: AccountRole.READONLY },
    ],
    data: Uint8Array.of(1),
  };
}

/** Returns the account a wallet has for a token. */
export function accountOf(owner: Address, { mint, program }: Token): Address {
  return associatedAddress(owner, mint, program);
}

/** Moves tokens between two accounts of them. */
export function transferTokens(
  { mint, program }: Token,
  move: {
    readonly from: Address;
    readonly to: Address;
    readonly authority: Address;
    readonly amount: number;
  },
): Instruction {
  return {
    programAddress: program,
    accounts: [
      { address: move.from, role: AccountRole.WRITABLE },
      { address: mint, role: AccountRole.READONLY },
      { address: move.to, role: AccountRole.WRITABLE },
      { address: move.authority, role: AccountRole.READONLY_SIGNER },
    ],
    data: amountWith(12, move.amount, DECIMALS),
  };
}

/** Makes tokens in the account a wallet has for them. */
export function mintTokens(
  { mint, program }: Token,
  {
    to,
    authority,
    amount,
  }: { readonly to: Address; readonly authority: Address; readonly amount: number },
): Instruction {
  return {
    programAddress: program,
    accounts: [
      { address: mint, role: AccountRole.WRITABLE },
      { address: associatedAddress(to, mint, program), role: AccountRole.WRITABLE },
      { address: authority, role: AccountRole.READONLY_SIGNER },
    ],
    data: amountWith(7, amount),
  };
}

/** Destroys tokens of a wallet. */
export function burnTokens({ mint, program }: Token, owner: Address, amount: number): Instruction {
  return {
    programAddress: program,
    accounts: [
      { address: associatedAddress(owner, mint, program), role: AccountRole.WRITABLE },
      { address: mint, role: AccountRole.WRITABLE },
      { address: owner, role: AccountRole.READONLY_SIGNER },
    ],
    data: amountWith(8, amount),
  };
}

/** Writes a note. */
export function memo(text: string): Instruction {
  return { programAddress: MEMO_PROGRAM, data: Buffer.from(text) };
}

function amountWith(instruction: number, amount: number, ...rest: readonly number[]): Uint8Array {
  return layout(9 + rest.length, (data) => {
    data.writeUInt8(instruction, 0);
    data.writeBigUInt64LE(BigInt(amount), 1);
    data.set(rest, 9);
  });
}

function layout(bytes: number, write: (data: Buffer) => void): Uint8Array {
  const data = Buffer.alloc(bytes);
  write(data);
  return data;
}

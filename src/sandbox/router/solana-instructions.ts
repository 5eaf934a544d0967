import {
  AccountRole,
  getAddressDecoder,
  getAddressEncoder,
  type Address,
  type Instruction,
} from '@solana/kit';
import { keccak256 } from 'viem';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
} from '../chains/solana/addresses.ts';
import { associatedAddress, derivedAddress } from '../chains/solana/associated-address.ts';

/** Where the bridge and the exchange are on the main network. */
// addresses, written down
export const ACROSS = 'DLv3NggMiSaef97YCkew5xKUHDh13tVGZ7tydt3ZeAru' as Address;
export const EXCHANGE = 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4' as Address;

const { READONLY, READONLY_SIGNER, WRITABLE, WRITABLE_SIGNER } = AccountRole;
/** Of the bridge's one state, from which its vaults are derived: its seed is the number 0. */
const STATE = derivedAddress([Buffer.from('state'), Buffer.alloc(8)], ACROSS);
const DEPOSIT = Buffer.from('f223c68952e1f2b6', 'hex');
const ROUTE = Buffer.from('e517cb977ae3ad2a', 'hex');

/** Returns the account that a wallet has for a token of the first token program. */
export function holdingOf(owner: Address, mint: Address): Address {
  return associatedAddress(owner, mint, TOKEN_PROGRAM);
}

/** Returns who the accounts of a token's pool belong to. */
export function poolAuthority(mint: Address): Address {
  return derivedAddress([Buffer.from('pool'), bytesOf(mint)], EXCHANGE);
}

/** Moves lamports. */
export function payLamports(from: Address, to: Address, lamports: bigint): Instruction {
  const data = Buffer.alloc(12);
  data.writeUInt32LE(2, 0);
  data.writeBigUInt64LE(lamports, 4);
  return {
    programAddress: SYSTEM_PROGRAM,
    accounts: [
      { address: from, role: WRITABLE_SIGNER },
      { address: to, role: WRITABLE },
    ],
    data,
  };
}

/** Counts lamports that came to an account of wrapped ones as tokens. */
export function countWrapped(account: Address): Instruction {
  return {
    programAddress: TOKEN_PROGRAM,
    accounts: [{ address: account, role: WRITABLE }],
    data: Uint8Array.of(17),
  };
}

/** Ends a token account; its lamports go to its owner. */
export function closeHolding(account: Address, owner: Address): Instruction {
  return {
    programAddress: TOKEN_PROGRAM,
    accounts: [
      { address: account, role: WRITABLE },
      { address: owner, role: WRITABLE },
      { address: owner, role: READONLY_SIGNER },
    ],
    data: Uint8Array.of(9),
  };
}

/** Moves tokens between accounts. */
export function payTokens(
  from: Address,
  to: Address,
  { owner, amount }: { readonly owner: Address; readonly amount: bigint },
): Instruction {
  return {
    programAddress: TOKEN_PROGRAM,
    accounts: [
      { address: from, role: WRITABLE },
      { address: to, role: WRITABLE },
      { address: owner, role: READONLY_SIGNER },
    ],
    data: amountData(3, amount),
  };
}

/** Makes tokens out of nothing. */
export function makeTokens(
  mint: Address,
  to: Address,
  { authority, amount }: { readonly authority: Address; readonly amount: bigint },
): Instruction {
  return {
    programAddress: TOKEN_PROGRAM,
    accounts: [
      { address: mint, role: WRITABLE },
      { address: to, role: WRITABLE },
      { address: authority, role: READONLY_SIGNER },
    ],
    data: amountData(7, amount),
  };
}

/** What a deposit says (across-protocol/contracts, DepositSeedData). */
export interface DepositTerms {
  readonly depositor: Address;
  /** 32 bytes. */
  readonly recipient: Uint8Array;
  readonly inputToken: Address;
  readonly outputToken: Uint8Array;
  readonly inputAmount: bigint;
  readonly outputAmount: bigint;
  readonly destinationChainId: number;
  /** Epoch seconds. */
  readonly quotedAt: number;
  readonly deadline: number;
}

/** Gives the bridge's derived delegate the exact right, and deposits by it. */
export function deposit(terms: DepositTerms): readonly Instruction[] {
  const { depositor, inputToken, inputAmount } = terms;
  const body = depositBody(terms);
  const delegate = derivedAddress(
    [Buffer.from('delegate'), Buffer.from(keccak256(body).slice(2), 'hex')],
    ACROSS,
  );
  const from = holdingOf(depositor, inputToken);
  return [
    {
      programAddress: TOKEN_PROGRAM,
      accounts: [
        { address: from, role: WRITABLE },
        { address: delegate, role: READONLY },
        { address: depositor, role: READONLY_SIGNER },
      ],
      data: amountData(4, inputAmount),
    },
    {
      programAddress: ACROSS,
      accounts: [
        { address: depositor, role: WRITABLE_SIGNER },
        { address: STATE, role: READONLY },
        { address: delegate, role: READONLY },
        { address: from, role: WRITABLE },
        { address: holdingOf(STATE, inputToken), role: WRITABLE },
        { address: inputToken, role: READONLY },
        { address: TOKEN_PROGRAM, role: READONLY },
        { address: ASSOCIATED_TOKEN_PROGRAM, role: READONLY },
        { address: SYSTEM_PROGRAM, role: READONLY },
        {
          address: derivedAddress([Buffer.from('__event_authority')], ACROSS),
          role: READONLY,
        },
        { address: ACROSS, role: READONLY },
      ],
      data: Buffer.concat([DEPOSIT, body]),
    },
  ];
}

function depositBody(terms: DepositTerms): Uint8Array {
  const numbers = Buffer.alloc(16);
  numbers.writeUInt32LE(terms.quotedAt, 0);
  numbers.writeUInt32LE(terms.deadline, 4);
  return Buffer.concat([
    bytesOf(terms.depositor),
    terms.recipient,
    bytesOf(terms.inputToken),
    terms.outputToken,
    u64(terms.inputAmount),
    Buffer.from(terms.outputAmount.toString(16).padStart(64, '0'), 'hex'),
    u64(BigInt(terms.destinationChainId)),
    Buffer.alloc(32),
    numbers,
  ]);
}

/** Reads a deposit of the bridge; null for any other instruction. */
export function readDeposit(
  program: string,
  data: Uint8Array,
): Omit<DepositTerms, 'quotedAt' | 'deadline' | 'depositor'> | null {
  const all = Buffer.from(data);
  if (program !== ACROSS || !all.subarray(0, 8).equals(DEPOSIT) || all.length < 232) return null;
  return {
    recipient: all.subarray(40, 72),
    inputToken: addressFrom(all.subarray(72, 104)),
    outputToken: all.subarray(104, 136),
    inputAmount: all.readBigUInt64LE(136),
    outputAmount: BigInt(`0x${all.toString('hex', 144, 176)}`),
    destinationChainId: Number(all.readBigUInt64LE(176)),
  };
}

/** One pool on the way, from one of its tokens to the other. */
export interface Hop {
  /** The token that names the pool. */
  readonly pool: Address;
  readonly from: Address;
  readonly to: Address;
}

/** Swaps through pools, one after another. */
export function route(
  user: Address,
  hops: readonly Hop[],
  terms: { readonly amount: bigint; readonly quoted: bigint; readonly slippageBps: number },
): Instruction {
  const [first, last] = [hops[0], hops.at(-1)];
  if (first === undefined || last === undefined) throw new Error('a route has a pool');
  const data = Buffer.alloc(8 + 4 + 4 + 19);
  ROUTE.copy(data);
  data.writeUInt32LE(1, 8);
  // one step over all: through a pool of the kind 7, a hundred percent, from place 0 to place 1
  data.set([7, 100, 0, 1], 12);
  data.writeBigUInt64LE(terms.amount, 16);
  data.writeBigUInt64LE(terms.quoted, 24);
  data.writeUInt16LE(terms.slippageBps, 32);
  const readonly = (address: Address) => ({ address, role: READONLY });
  return {
    programAddress: EXCHANGE,
    accounts: [
      readonly(TOKEN_PROGRAM),
      { address: user, role: READONLY_SIGNER },
      { address: holdingOf(user, first.from), role: WRITABLE },
      { address: holdingOf(user, last.to), role: WRITABLE },
      readonly(EXCHANGE),
      readonly(last.to),
      readonly(EXCHANGE),
      readonly(derivedAddress([Buffer.from('__event_authority')], EXCHANGE)),
      readonly(EXCHANGE),
      ...hops.flatMap(({ pool, from, to }) => {
        const authority = poolAuthority(pool);
        return [
          readonly(authority),
          { address: holdingOf(authority, from), role: WRITABLE },
          { address: holdingOf(authority, to), role: WRITABLE },
          readonly(from),
          readonly(to),
        ];
      }),
    ],
    data,
  };
}

/** Of a route's accounts, what came out last, and whose pool gave it. */
export function readRoute(accounts: readonly string[]): {
  readonly mint: string;
  readonly authority: string;
} {
  return { mint: accounts[TARGET_MINT] ?? '', authority: accounts.at(-HOP_ACCOUNTS) ?? '' };
}

/** Where a route names the token that comes out, and how many accounts each of its pools has. */
const TARGET_MINT = 5;
const HOP_ACCOUNTS = 5;

function amountData(instruction: number, amount: bigint): Uint8Array {
  return Buffer.concat([Uint8Array.of(instruction), u64(amount)]);
}

function u64(value: bigint): Buffer {
  const data = Buffer.alloc(8);
  data.writeBigUInt64LE(value);
  return data;
}

/** The 32 bytes of an address. */
export function bytesOf(address: Address): Uint8Array {
  return Uint8Array.from(getAddressEncoder().encode(address));
}

/** The address of 32 bytes. */
export function addressFrom(bytes: Uint8Array): Address {
  return getAddressDecoder().decode(bytes);
}

import { getBase58Decoder, type ReadonlyUint8Array } from '@solana/kit';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './addresses.ts';

/** An account of a token program that holds tokens. */
export interface TokenAccount {
  readonly kind: 'account';
  readonly mint: string;
  readonly owner: string;
  readonly amount: bigint;
  readonly delegate: string | null;
  readonly delegatedAmount: bigint;
  readonly state: 'uninitialized' | 'initialized' | 'frozen';
  readonly isNative: boolean;
  readonly closeAuthority: string | null;
}

/** A token. */
export interface TokenMint {
  readonly kind: 'mint';
  readonly supply: bigint;
  readonly decimals: number;
  readonly mintAuthority: string | null;
  readonly freezeAuthority: string | null;
  readonly isInitialized: boolean;
}

const MINT_BYTES = 82;
const ACCOUNT_BYTES = 165;
/** With extensions the kind of account follows the base layout: 1 a mint, 2 an account. */
const KIND_OF_EXTENDED: Readonly<Record<number, 'mint' | 'account'>> = { 1: 'mint', 2: 'account' };
const STATES: readonly TokenAccount['state'][] = ['uninitialized', 'initialized', 'frozen'];

/** True for the two token programs. */
export function isTokenProgram(program: string): boolean {
  return program === TOKEN_PROGRAM || program === TOKEN_2022_PROGRAM;
}

/** Reads an account of a token program; null for one of another kind, such as a multisig. */
export function readTokenData(data: ReadonlyUint8Array): TokenAccount | TokenMint | null {
  const kind =
    data.length === MINT_BYTES
      ? 'mint'
      : data.length === ACCOUNT_BYTES
        ? 'account'
        : (KIND_OF_EXTENDED[data[ACCOUNT_BYTES] ?? 0] ?? null);
  if (kind === null) return null;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const key = (at: number): string => getBase58Decoder().decode(data.subarray(at, at + 32));
  const optionalKey = (at: number): string | null =>
    view.getUint32(at, true) === 1 ? key(at + 4) : null;
  if (kind === 'mint') {
    return {
      kind,
      mintAuthority: optionalKey(0),
      supply: view.getBigUint64(36, true),
      decimals: data[44] ?? 0,
      isInitialized: data[45] === 1,
      freezeAuthority: optionalKey(46),
    };
  }
  return {
    kind,
    mint: key(0),
    owner: key(32),
    amount: view.getBigUint64(64, true),
    delegate: optionalKey(72),
    state: STATES[data[108] ?? 0] ?? 'uninitialized',
    isNative: view.getUint32(109, true) === 1,
    delegatedAmount: view.getBigUint64(121, true),
    closeAuthority: optionalKey(129),
  };
}

/** Writes a mint account's data. */
export function mintData(mintAuthority: Uint8Array, decimals: number): Uint8Array {
  const data = new Uint8Array(MINT_BYTES);
  data[0] = 1;
  data.set(mintAuthority, 4);
  data[44] = decimals;
  data[45] = 1;
  return data;
}

/** An amount in the network's JSON. `uiAmount` is a float there, for display only. */
export function uiTokenAmount(
  amount: bigint,
  decimals: number,
): {
  readonly amount: string;
  readonly decimals: number;
  readonly uiAmount: number;
  readonly uiAmountString: string;
} {
  const digits = amount.toString().padStart(decimals + 1, '0');
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  const whole = digits.slice(0, digits.length - decimals);
  const uiAmountString = decimals === 0 || fraction === '' ? whole : `${whole}.${fraction}`;
  return { amount: amount.toString(), decimals, uiAmount: Number(uiAmountString), uiAmountString };
}

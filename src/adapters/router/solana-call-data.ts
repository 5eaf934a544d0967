import { VersionedTransaction, type MessageCompiledInstruction } from '@solana/web3.js';
import { WRAPPED_COINS } from '../../domain/known-tokens.ts';
import type { OfferedSolanaTransaction, RouteCall } from '../../domain/swap-checks.ts';
import type { Web3ChainId } from '../../domain/web3-chains.ts';
import { base58Of } from '../wire/base58.ts';
import { chainOfRouter } from './chain-ids.ts';

/** The bridge Across on Solana (across-protocol/contracts at 8ab0730, programs/svm-spoke). */
export const ACROSS_PROGRAM = 'DLv3NggMiSaef97YCkew5xKUHDh13tVGZ7tydt3ZeAru';

/** Begins the data of its `deposit`: the first eight bytes of the hash of "global:deposit". */
const DEPOSIT = Buffer.from('f223c68952e1f2b6', 'hex');
/** All its arguments but the message itself. */
const DEPOSIT_BYTES = 8 + 4 * 32 + 8 + 32 + 8 + 32 + 4 * 4;

/** What there is to read of an offered transaction on Solana. */
export interface ReadSolanaOffer {
  readonly transaction: OfferedSolanaTransaction;
  /** Null where it holds no deposit of the bridge, or more than one. */
  readonly call: RouteCall | null;
}

/** Reads a transaction in base64; one that cannot be read has no payer. */
export function readSolanaOffer(base64: string): ReadSolanaOffer {
  let read: VersionedTransaction;
  try {
    read = VersionedTransaction.deserialize(Buffer.from(base64, 'base64'));
  } catch {
    return {
      transaction: { kind: 'solana', base64, payer: '', signatures: 0, programs: [] },
      call: null,
    };
  }
  const { staticAccountKeys, header, compiledInstructions } = read.message;
  const programOf = ({ programIdIndex }: MessageCompiledInstruction): string =>
    staticAccountKeys[programIdIndex]?.toBase58() ?? 'of a table';
  const deposits = compiledInstructions.filter(
    (instruction) => programOf(instruction) === ACROSS_PROGRAM,
  );
  const [deposit] = deposits;
  return {
    transaction: {
      kind: 'solana',
      base64,
      payer: staticAccountKeys[0]?.toBase58() ?? '',
      signatures: header.numRequiredSignatures,
      programs: [...new Set(compiledInstructions.map(programOf))],
    },
    call:
      deposit === undefined || deposits.length > 1 ? null : readDeposit(Buffer.from(deposit.data)),
  };
}

function readDeposit(data: Buffer): RouteCall | null {
  if (data.length < DEPOSIT_BYTES || !data.subarray(0, 8).equals(DEPOSIT)) return null;
  const key = (at: number): Buffer => data.subarray(at, at + 32);
  const toChain = chainOfRouter(data.readBigUInt64LE(176));
  if (toChain === null || toChain === 'SOLANA') return null;
  const sold = base58Of(key(72));
  const bought = addressOf(key(104));
  return {
    toChain,
    // what crosses as the wrapped coin was the coin before, and is paid out to a wallet as the coin
    sellToken: sold === WRAPPED_COINS.SOLANA ? null : sold,
    buyToken: isWrapped(toChain, bought) ? null : bought,
    amount: data.readBigUInt64LE(136),
    minimumOut: BigInt(`0x${data.toString('hex', 144, 176)}`),
    receiver: addressOf(key(40)),
    refundTo: base58Of(key(8)),
    callsOn: data.readUInt32LE(DEPOSIT_BYTES - 4) > 0,
  };
}

/** The last twenty of 32 bytes; a word that is no address is the same as no wallet. */
function addressOf(word: Buffer): string {
  const hex = word.toString('hex');
  return hex.startsWith('0'.repeat(24)) ? `0x${hex.slice(24)}` : `0x${hex}`;
}

function isWrapped(chain: Web3ChainId, address: string): boolean {
  return address.toLowerCase() === WRAPPED_COINS[chain].toLowerCase();
}

import { createHash } from 'node:crypto';
import { asId, type Address } from '../../../src/domain/ids.ts';
import type { EvmCall, EvmLog, Hex } from '../../../src/ports/evm.ts';
import {
  addressTopic,
  TRANSFER_TOPIC,
  uintOf,
} from '../../../src/services/wallets/contract-calls.ts';

/** Whom trades go through. */
export const EXCHANGE = asId<Address>(`0x${'e1'.repeat(20)}`);
/** The zero address. */
export const ZERO = asId<Address>(`0x${'0'.repeat(40)}`);

/** 32 bytes that stand for some text. */
export function hashOf(text: string): Hex {
  return `0x${createHash('sha256').update(text).digest('hex')}`;
}

/** The event of a token's move. */
export function transferLog(
  token: Address,
  from: Address,
  { to, amount }: { readonly to: Address; readonly amount: bigint },
): Pick<EvmLog, 'address' | 'topics' | 'data'> {
  return {
    address: token,
    topics: [TRANSFER_TOPIC, addressTopic(from), addressTopic(to)],
    data: `0x${amount.toString(16).padStart(64, '0')}`,
  };
}

/** Words of a call behind its selector. */
export function wordsOf({ data }: Pick<EvmCall, 'data'>): readonly Hex[] {
  const digits = data.slice(10);
  return Array.from(
    { length: digits.length / 64 },
    (_, index): Hex => `0x${digits.slice(index * 64, index * 64 + 64)}`,
  );
}

/** Number in a word. */
export const numberOf = (word: Hex | undefined): bigint => uintOf(word ?? '0x');
/** Address in a word. */
export const addressIn = (word: Hex | undefined): Address =>
  asId<Address>(`0x${(word ?? '').slice(26)}`);

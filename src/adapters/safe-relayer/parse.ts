import type { Hex } from '../../ports/evm.ts';
import type { SendOutcome } from '../../ports/transactions.ts';
import type { HttpOutcome } from '../wire/http-calls.ts';
import type { RelayWord } from './safe-transaction.ts';
import { refusalSchema, submitSchema, transactionsSchema } from './schema.ts';

const HASH = /^0x[0-9a-fA-F]{64}$/;
const NONCES = /batch nonce\s+(\d+)\s+does not match on-chain nonce\s+(\d+)/i;
const REASON_MAXIMUM = 300;

/**
 * What became of a submission (venue_a.md section 14.2). Only a refusal in the relayer's own words
 * about this body is a refusal; everything else, wrong credentials included, leaves the transaction
 * as it was, to be sent again.
 */
export function relayOutcome(outcome: HttpOutcome): SendOutcome {
  if (outcome.kind !== 'answered') return { kind: 'unknown', reason: outcome.cause };
  const { status, text } = outcome;
  const value = jsonOf(text);
  if (status === 200 || status === 201) {
    const taken = submitSchema.safeParse(value);
    return taken.success
      ? { kind: 'accepted', handle: taken.data.transactionID }
      : { kind: 'unknown', reason: 'the answer has another shape' };
  }
  const refusal = refusalSchema.safeParse(value);
  const reason = refusal.success ? refusal.data.error.slice(0, REASON_MAXIMUM) : '';
  if (status === 429) return { kind: 'busy', reason: 'asked for slower calls' };
  if ((status !== 400 && status !== 422) || !refusal.success)
    return { kind: 'unknown', reason: `answered ${status}${reason === '' ? '' : `: ${reason}`}` };
  return refusalOf(reason);
}

function refusalOf(reason: string): SendOutcome {
  if (
    (/wallet busy/i.test(reason) && /active action/i.test(reason)) ||
    /wallet has in-flight action/i.test(reason)
  )
    return { kind: 'busy', reason };
  if (/already deployed/i.test(reason)) return { kind: 'stale', reason };
  const nonces = NONCES.exec(reason);
  // A nonce the Safe has not come to yet is an internal error; one it has passed asks for a read of
  // the chain.
  if (nonces !== null && BigInt(nonces[1] ?? 0) < BigInt(nonces[2] ?? 0))
    return { kind: 'stale', reason };
  return { kind: 'refused', reason };
}

/**
 * The relayer's word about one of its transactions. Rows of other transactions are not about it.
 */
export function relayWord(relayId: string, outcome: HttpOutcome): RelayWord {
  if (outcome.kind !== 'answered') return { kind: 'unreachable', cause: outcome.cause };
  const value = jsonOf(outcome.text);
  if (outcome.status === 404 && value !== undefined) return { kind: 'absent' };
  if (outcome.status !== 200) return { kind: 'unreachable', cause: `answered ${outcome.status}` };
  const rows = transactionsSchema.safeParse(value);
  if (!rows.success) return { kind: 'unreachable', cause: 'the answer has another shape' };
  const row = rows.data.find(({ transactionID }) => transactionID === relayId);
  if (row === undefined) return { kind: 'absent' };
  const transactionHash = hashOf(row.transactionHash);
  switch (row.state) {
    case 'STATE_NEW':
    case 'STATE_EXECUTED':
      return { kind: 'pending' };
    case 'STATE_FAILED':
    case 'STATE_INVALID':
      return { kind: 'failed', reason: row.state, transactionHash };
    case 'STATE_MINED':
    case 'STATE_CONFIRMED':
      if (transactionHash === null)
        return { kind: 'unreachable', cause: 'a mined transaction without its hash' };
      return { kind: row.state === 'STATE_MINED' ? 'mined' : 'confirmed', transactionHash };
  }
}

function hashOf(text: string | null | undefined): Hex | null {
  // The pattern is that of a hash.
  return typeof text === 'string' && HASH.test(text) ? (text as Hex) : null;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

import type { Hex } from '../../../../ports/evm.ts';

/** An action a builder handed in for a wallet. Plain JSON. */
export interface RelayAction {
  readonly id: string;
  /** Key of the builder who handed it in. */
  readonly builder: string;
  readonly type: 'SAFE' | 'SAFE-CREATE';
  readonly from: Hex;
  readonly to: Hex;
  readonly safe: Hex;
  readonly data: Hex;
  /** The Safe's nonce; empty for a deployment. */
  readonly nonce: string;
  readonly metadata: string;
  readonly createdAtMs: number;
  /** The action this one repeats by a fault; null for one that was handed in. */
  readonly copyOf: string | null;
  /** Hash of a foreign transaction, given in place of its own by a fault. */
  readonly foreignHash: Hex | null;
}

/** How far an action has come on chain. */
export interface RelayProgress {
  readonly state: 'waiting' | 'sent' | 'succeeded' | 'reverted' | 'refused';
  readonly hash: Hex | null;
  readonly isFinal: boolean;
  readonly updatedAtMs: number;
}

/** States as the relayer tells them (venue_a.md section 14.2). */
type RelayState =
  | 'STATE_NEW'
  | 'STATE_EXECUTED'
  | 'STATE_MINED'
  | 'STATE_CONFIRMED'
  | 'STATE_FAILED'
  | 'STATE_INVALID';

/** The relayer's word for how far an action has come; one it has just taken in is new. */
function relayState(progress: RelayProgress | null): RelayState {
  switch (progress?.state) {
    case undefined:
    case 'waiting':
      return 'STATE_NEW';
    case 'sent':
      return 'STATE_EXECUTED';
    case 'succeeded':
      return progress?.isFinal === true ? 'STATE_CONFIRMED' : 'STATE_MINED';
    case 'reverted':
      return 'STATE_FAILED';
    case 'refused':
      return 'STATE_INVALID';
  }
}

/** True while the wallet can take no other action (venue_a.md section 14.2). */
export function isInFlight(progress: RelayProgress | null): boolean {
  return progress === null || progress.state === 'waiting' || progress.state === 'sent';
}

/** An action as `GET /transaction` tells it. */
export interface RelayRow {
  readonly transactionID: string;
  readonly transactionHash: string;
  readonly from: Hex;
  readonly to: Hex;
  readonly proxyAddress: Hex;
  readonly data: Hex;
  readonly nonce: string;
  readonly value: '0';
  readonly state: RelayState;
  readonly type: RelayAction['type'];
  readonly metadata: string;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** Puts an action and its progress into a row. */
export function relayRow(action: RelayAction, progress: RelayProgress | null): RelayRow {
  const { id, from, to, safe, data, nonce, type, metadata, createdAtMs, foreignHash } = action;
  return {
    transactionID: id,
    transactionHash: foreignHash ?? progress?.hash ?? '',
    from,
    to,
    proxyAddress: safe,
    data,
    nonce,
    value: '0',
    state: relayState(progress),
    type,
    metadata,
    createdAtMs,
    updatedAtMs: progress?.updatedAtMs ?? createdAtMs,
  };
}

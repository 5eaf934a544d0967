import type { AgentId, RegistryEntryId, TransactionId, UserId } from './ids.ts';

/**
 * Life of what goes to the agent registry. `queued`: its transaction waits or is on its way;
 * `recorded`: a final block has it; `failed`: nothing but a fee has left, on proof.
 */
export type RegistryState = 'queued' | 'recorded' | 'failed';

/** The durable record of an entry in the agent registry, or of feedback left there. */
export interface RegistryRecord {
  readonly entryId: RegistryEntryId;
  readonly userId: UserId;
  readonly kind: 'agent' | 'feedback';
  /** Which agent of the user's the entry is of; null for feedback. */
  readonly agentId: AgentId | null;
  /** The address of the entry: the user's own, or the one that is rated. */
  readonly asset: string;
  /** Where what it says is; null for feedback without a comment. */
  readonly fileUri: string | null;
  /** What an entry says that its agent can do; absent for feedback and in older records. */
  readonly skills?: readonly string[];
  readonly domains?: readonly string[];
  readonly state: RegistryState;
  /** What a trial of the very transaction took out of the wallet, fees included. */
  readonly costLamports: number;
  readonly transactionId: TransactionId;
  readonly transactionHash: string | null;
  readonly reason: string | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** Services that are reached by the address of a server. */
const SERVED = new Set(['MCP', 'A2A', 'OASF']);

/**
 * Says what is wrong with the address of a service of an entry: that of a server is a URL with
 * https and a host. Null where nothing is.
 */
export function serviceFault(type: string, value: string): string | null {
  if (!SERVED.has(type)) return null;
  return webAddressFault(value);
}

/** Says what is wrong with an address that must have https and a host; null where it has. */
export function webAddressFault(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url?.protocol === 'https:' && url.hostname !== ''
    ? null
    : 'must be a web address that begins with https://';
}

import {
  asId,
  type RegistryEntryId,
  type TransactionId,
  type UserId,
} from '../../../src/domain/ids.ts';
import type { RegistryRecord } from '../../../src/domain/registry.ts';
import type { Registry } from '../../../src/services/registry/registry.ts';

const NOW_MS = 1_700_000_000_000;

/** An entry that is there. */
export function anEntry(parts: Partial<RegistryRecord> = {}): RegistryRecord {
  return {
    entryId: asId<RegistryEntryId>('reg_00000000000000000000000001'),
    userId: asId<UserId>('usr_1'),
    kind: 'agent',
    agentId: 'btc_5min',
    asset: 'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB',
    fileUri: 'https://ipfs.io/ipfs/bafkreiagent',
    state: 'recorded',
    costLamports: 9_240_000,
    transactionId: asId<TransactionId>('txn_00000000000000000000000001'),
    transactionHash: '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3Zp',
    reason: null,
    createdAtMs: NOW_MS,
    updatedAtMs: NOW_MS,
    ...parts,
  };
}

/** A registry that takes everything; once a user registers, the entry is theirs. */
export function createFakeRegistry(): Registry {
  let owner: UserId | null = null;
  return {
    async register(userId, { skills, domains }) {
      owner = userId;
      return anEntry({ userId, skills, domains });
    },
    feedback: async () => anEntry({ kind: 'feedback', agentId: null }),
    get: (userId, entryId) =>
      entryId === anEntry().entryId && (owner === null || owner === userId) ? anEntry() : null,
    list: () => ({ data: [], nextCursor: null }),
  };
}

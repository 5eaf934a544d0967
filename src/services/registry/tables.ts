import type { RegistryRecord } from '../../domain/registry.ts';
import type { Table } from '../../ports/store.ts';

/** Entries and feedback: [userId, entryId]. Ids are in the order of their making. */
export const REGISTRY_RECORDS: Table<RegistryRecord> = { name: 'registry_records' };

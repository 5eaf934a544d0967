import type { Adapter, Payload } from 'oidc-provider';
import { OPEN_ID_MODEL } from '../../../../config/limits/sandbox.ts';

/** Where the provider's records of one kind are kept. */
export type RecordAdapters = (model: string) => Adapter;

/**
 * Keeps the provider's records in memory, so many of each kind: a browser's session here outlives
 * no restart. Each record tells its own end in `exp`, which the provider checks by itself.
 */
export function createRecordAdapters(): RecordAdapters {
  const models = new Map<string, Map<string, Payload>>();
  return (model) => {
    const records = models.get(model) ?? new Map<string, Payload>();
    models.set(model, records);
    const findBy = (matches: (payload: Payload) => boolean): Payload | undefined =>
      [...records.values()].find(matches);
    return {
      async upsert(id, payload) {
        records.delete(id);
        records.set(id, payload);
        const [oldest] = records.keys();
        if (records.size > OPEN_ID_MODEL.recordsMaximum && oldest !== undefined)
          records.delete(oldest);
      },
      find: async (id) => records.get(id),
      findByUid: async (uid) => findBy((payload) => payload.uid === uid),
      findByUserCode: async (userCode) => findBy((payload) => payload.userCode === userCode),
      async consume(id) {
        const payload = records.get(id);
        if (payload !== undefined) payload.consumed = Math.floor(Date.now() / 1_000);
      },
      async destroy(id) {
        records.delete(id);
      },
      async revokeByGrantId(grantId) {
        for (const kind of models.values())
          for (const [id, payload] of kind) if (payload.grantId === grantId) kind.delete(id);
      },
    };
  };
}

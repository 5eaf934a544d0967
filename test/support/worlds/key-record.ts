import type { UserId } from '../../../src/domain/ids.ts';
import { NO_KEY_LIMITS, type KeyLimits } from '../../../src/domain/key-limits.ts';
import type { ApiKeyRecord } from '../../../src/services/api-keys/tables.ts';
import { T0 } from '../builders.ts';

/** A key of a user's that may trade, with no limits of its own but those given. */
export function aKeyRecord(
  userId: UserId,
  keyId: string,
  limits: Partial<KeyLimits> = {},
  changes: Partial<ApiKeyRecord> = {},
): ApiKeyRecord {
  return {
    keyId,
    userId,
    name: 'bot',
    scopes: ['trade'],
    prefix: 'pk_00000000',
    digest: '',
    createdAtMs: T0,
    revokedAtMs: null,
    limits: { ...NO_KEY_LIMITS, ...limits },
    ...changes,
  };
}

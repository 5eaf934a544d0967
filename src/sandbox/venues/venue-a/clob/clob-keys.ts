import type { VenueModel } from '../../../engine/exchange.ts';
import type { ApiKey } from '../../../engine/api-keys.ts';
import type { CallerTime } from '../../../wire/caller-times.ts';
import { keyProof, walletProof } from './venue-auth.ts';
import {
  failed,
  ok,
  readJson,
  type Call,
  type Reply,
  type VenueRoute,
} from '../../../wire/http-server.ts';

/**
 * Key management: wallet proofs make keys, keys manage themselves (venue_a.md sections 2.1 and
 * 2.2).
 */
export function keyRoutes(
  { keys }: Pick<VenueModel, 'keys'>,
  times: readonly CallerTime[],
): readonly VenueRoute[] {
  const proven =
    (refusal: string, find: (address: ApiKey['address'], nonce: string) => ApiKey | null) =>
    (call: Call): Reply => {
      const proof = walletProof(call, times);
      if (proof === null) return failed(401, 'Invalid L1 Request headers');
      const key = find(proof.address, proof.nonce);
      return key === null
        ? failed(400, refusal)
        : ok({ apiKey: key.apiKey, secret: key.secret, passphrase: key.passphrase });
    };
  const keyed = (
    method: VenueRoute['method'],
    path: string,
    run: (key: ApiKey, call: Call) => Reply,
  ): VenueRoute => ({
    method,
    path,
    run(call) {
      const key = keyProof(call, keys, times);
      return key === null ? failed(401, 'Unauthorized/Invalid api key') : run(key, call);
    },
  });
  return [
    { method: 'POST', path: '/auth/api-key', run: proven('Could not create api key', keys.create) },
    {
      method: 'GET',
      path: '/auth/derive-api-key',
      run: proven('Could not derive api key!', keys.derive),
    },
    keyed('GET', '/auth/api-keys', (key) =>
      ok({ apiKeys: keys.list(key.address, 'trading').map(({ apiKey }) => apiKey) }),
    ),
    keyed('DELETE', '/auth/api-key', (key) =>
      keys.revoke(key.address, key.apiKey) ? ok('OK') : failed(400, 'Could not delete api key'),
    ),
    keyed('GET', '/auth/ban-status/closed-only', () => ok({ closed_only: false })),
    keyed('POST', '/auth/readonly-api-key', (key) => {
      const issued = keys.issue(key.address, 'readonly');
      return issued === null
        ? failed(400, 'Could not create api key')
        : ok({ apiKey: issued.apiKey });
    }),
    keyed('GET', '/auth/readonly-api-keys', (key) =>
      ok(keys.list(key.address, 'readonly').map(({ apiKey }) => apiKey)),
    ),
    keyed('DELETE', '/auth/readonly-api-key', (key, call) => {
      const named = fieldOf(readJson(call.body), 'key');
      return keys.revoke(key.address, named) ? ok(true) : failed(400, 'Could not delete api key');
    }),
    keyed('POST', '/auth/builder-api-key', (key) => {
      const issued = keys.issue(key.address, 'builder');
      return issued === null
        ? failed(400, 'Could not create api key')
        : ok({ key: issued.apiKey, secret: issued.secret, passphrase: issued.passphrase });
    }),
    keyed('GET', '/auth/builder-api-key', (key) =>
      ok(
        keys.list(key.address, 'builder').map(({ apiKey, createdAtMs }) => ({
          key: apiKey,
          createdAt: new Date(createdAtMs).toISOString(),
          revokedAt: null,
        })),
      ),
    ),
    {
      method: 'DELETE',
      path: '/auth/builder-api-key',
      run: (call) => revokeBuilder({ keys }, call),
    },
  ];
}

function revokeBuilder({ keys }: Pick<VenueModel, 'keys'>, call: Call): Reply {
  const key = keys.find(call.header('poly_builder_api_key'));
  if (
    key === null ||
    key.kind !== 'builder' ||
    key.passphrase !== call.header('poly_builder_passphrase')
  )
    return failed(401, 'Unauthorized/Invalid api key');
  return keys.revoke(key.address, key.apiKey) ? ok('OK') : failed(400, 'Could not delete api key');
}

function fieldOf(body: unknown, name: string): string {
  if (typeof body !== 'object' || body === null) return '';
  const value: unknown = Object.entries(body).find(([key]) => key === name)?.[1];
  return typeof value === 'string' ? value : '';
}

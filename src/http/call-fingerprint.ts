import { createHash } from 'node:crypto';
import type { Route } from './route.ts';
import type { ParsedInput } from './route-input.ts';

/**
 * Digest of what a call asks for, as it was understood: `5`, `"5"` and a default given or left out
 * are the same request.
 */
export function fingerprint(route: Route, { params, query, body }: ParsedInput): string {
  return createHash('sha256')
    .update(
      JSON.stringify([route.method, route.path, sorted(params), sorted(query), sorted(body ?? {})]),
    )
    .digest('hex');
}

function sorted(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}

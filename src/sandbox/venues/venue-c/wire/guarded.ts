import type { Call, Reply, SlowRoute } from '../../../wire/http-server.ts';
import type { Access, Profile, Scope } from './access.ts';
import { refused } from './replies.ts';

/** What a route that knows its caller does. */
export type OwnRoute = (
  call: Call,
  caller: { readonly profile: Profile; readonly by: 'token' | 'identity' },
) => Reply | Promise<Reply>;

/** A route that asks who calls; `scope` is what a token must be allowed, null for none. */
export function guarded(
  access: Access,
  { method, path, scope }: Pick<SlowRoute, 'method' | 'path'> & { readonly scope: Scope | null },
  run: OwnRoute,
): SlowRoute {
  return {
    method,
    path,
    run(call) {
      const caller = access.caller(call);
      if (caller.kind === 'anonymous') return refused(401, 'Authentication required');
      if (caller.kind === 'refused') return refused(401, caller.message);
      if (scope !== null && !caller.scopes.includes(scope))
        return refused(403, `Missing required scope: ${scope}`);
      return bodyRefusal(call) ?? run(call, caller);
    },
  };
}

/** A JSON content type announces a body: without one the venue's server refuses it. */
function bodyRefusal({ method, body, header }: Call): Reply | null {
  const isJson = header('content-type').startsWith('application/json');
  return method !== 'GET' && isJson && body === ''
    ? refused(400, "Body cannot be empty when content-type is set to 'application/json'")
    : null;
}

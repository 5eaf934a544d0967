import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { GATEWAY } from '../../config/limits/gateway.ts';
import { ASSERTION_HEADER, SLOT_HEADER } from '../http/redirect-headers.ts';
import type { Route } from '../http/route.ts';
import { forwardCall, moving, type ForwardedCall, type Forwarding } from './forward-call.ts';
import type { OwnerWatch } from './owner-watch.ts';
import type { Shards } from './shards.ts';

/** What calls are handed on by, and to which shards. */
export interface Routing extends Omit<Forwarding, 'owners'> {
  readonly shards: Pick<Shards, 'all' | 'ofSlot'>;
}

type Response = Dispatcher.ResponseData;

/** An answer as it is shown. */
type Shown = Pick<Response, 'statusCode' | 'headers'> & { readonly body: Readable };

/**
 * Hands a call to the shard that is to have it and returns how its answer begins. A shard that
 * finds the call another one's names that, and what it has found of the caller. Errors: those of
 * `forwardCall`.
 */
export async function routeCall(
  routing: Routing,
  asked: ForwardedCall,
  { first, reach }: { readonly first: OwnerWatch; readonly reach: Route['reach'] },
): Promise<Shown> {
  if (reach === 'caller') return follow(routing, asked, first);
  const call = reach === 'each' ? asked : { ...asked, headers: uncompressed(asked.headers) };
  const [begun = first, ...others] = routing.shards.all();
  if (others.length === 0) return follow(routing, call, begun);
  const lists: Record<string, unknown[]> = {};
  let answer = await follow(routing, call, begun);
  for (const shard of others) {
    if (answer.statusCode >= 300) return answer;
    await addLists(lists, answer);
    answer = await follow(routing, call, shard);
  }
  if (reach === 'each' || answer.statusCode >= 300) return answer;
  await addLists(lists, answer);
  const { 'content-length': _length, ...headers } = answer.headers;
  return { ...answer, headers, body: Readable.from([JSON.stringify(lists)]) };
}

/** Adds the lists of an answer to those of the answers before; its other members are left out. */
async function addLists(lists: Record<string, unknown[]>, { body }: Response): Promise<void> {
  const members = Object.entries(Object(await body.json()));
  for (const [name, value] of members)
    if (Array.isArray(value)) lists[name] = [...(lists[name] ?? []), ...value];
}

async function follow(
  { shards, ...forwarding }: Routing,
  call: ForwardedCall,
  first: OwnerWatch,
): Promise<Response> {
  let owners = first;
  let headers = call.headers;
  for (let redirects = 0; redirects <= GATEWAY.redirectsMaximum; redirects += 1) {
    const answer = await forwardCall({ ...forwarding, owners }, { ...call, headers });
    const slot = answer.headers[SLOT_HEADER];
    if (slot === undefined) return answer;
    await answer.body.dump();
    owners = shards.ofSlot(Number(slot));
    const assertion = answer.headers[ASSERTION_HEADER];
    if (assertion !== undefined) headers = [...call.headers, ASSERTION_HEADER, String(assertion)];
  }
  throw moving();
}

/** What is read here is asked for as it is. */
function uncompressed(headers: readonly string[]): readonly string[] {
  const kept: string[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const [name = '', value = ''] = headers.slice(at, at + 2);
    if (name.toLowerCase() !== 'accept-encoding') kept.push(name, value);
  }
  return kept;
}

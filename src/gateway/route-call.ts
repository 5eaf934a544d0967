import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { GATEWAY } from '../../config/limits/gateway.ts';
import { AppError } from '../domain/errors.ts';
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
 * `forwardCall`; `answer_lost` where some of all shards have done it and some have not answered.
 */
export async function routeCall(
  routing: Routing,
  asked: ForwardedCall,
  { first, reach }: { readonly first: OwnerWatch; readonly reach: Route['reach'] },
): Promise<Shown> {
  const shards = routing.shards.all();
  if (reach === 'caller' || shards.length === 1) return follow(routing, asked, first);
  const call = reach === 'each' ? asked : { ...asked, headers: uncompressed(asked.headers) };
  const { answers, faults } = await askAll(routing, call, shards);
  const refusal = answers.find(({ statusCode }) => statusCode >= 300);
  const [shown] = refusal === undefined ? answers : [refusal];
  if (shown === undefined || faults.length > 0) {
    for (const { body } of answers) await body.dump();
    throw answers.length === 0 ? (faults[0] ?? moving()) : partly();
  }
  if (reach === 'each' || refusal !== undefined) {
    for (const answer of answers) if (answer !== shown) await answer.body.dump();
    return shown;
  }
  const lists: Record<string, unknown[]> = {};
  for (const answer of answers) await addLists(lists, answer);
  const { 'content-length': _length, ...headers } = shown.headers;
  return { ...shown, headers, body: Readable.from([JSON.stringify(lists)]) };
}

/**
 * Asks all shards at once: one without an owner is to hold up none of the others. What shards find
 * another one's is answered by that one, and is left out.
 */
async function askAll(
  routing: Routing,
  call: ForwardedCall,
  shards: readonly OwnerWatch[],
): Promise<{ readonly answers: readonly Response[]; readonly faults: readonly unknown[] }> {
  const asked = await Promise.allSettled(
    shards.map((owners) => forwardCall({ ...routing, owners }, call)),
  );
  const all = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const answers = all.filter(({ headers }) => !(SLOT_HEADER in headers));
  for (const answer of all) if (!answers.includes(answer)) await answer.body.dump();
  return {
    answers,
    faults: asked.flatMap((one): unknown[] => (one.status === 'rejected' ? [one.reason] : [])),
  };
}

/** The refusal of what some shards have done, and not all of them. */
function partly(): AppError {
  return new AppError(
    'answer_lost',
    'not every shard has answered, and others have done it: send it again until all have',
    { retryable: true, retryAfterMs: GATEWAY.retryAfterMs },
  );
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

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
  { first, reach, agreesOn }: { readonly first: OwnerWatch } & Pick<Route, 'reach' | 'agreesOn'>,
): Promise<Shown> {
  const shards = routing.shards.all();
  if (reach === 'caller' || shards.length === 1) return follow(routing, asked, first);
  const isRead = reach === 'joined' || agreesOn.length > 0;
  const call = isRead ? { ...asked, headers: uncompressed(asked.headers) } : asked;
  const { answers, faults } = await askAll(routing, call, shards);
  const refusal = answers.find(({ statusCode }) => statusCode >= 300);
  const [shown] = refusal === undefined ? answers : [refusal];
  if (shown === undefined || faults.length > 0) {
    for (const { body } of answers) await body.dump();
    throw answers.length === 0 ? (faults[0] ?? moving()) : partly();
  }
  if (!isRead || refusal !== undefined) {
    for (const answer of answers) if (answer !== shown) await answer.body.dump();
    return shown;
  }
  const values: Readonly<Record<string, unknown>>[] = [];
  for (const { body } of answers) values.push(Object(await body.json()));
  const { 'content-length': _length, ...headers } = shown.headers;
  const value = reach === 'joined' ? joined(values) : agreed(values, agreesOn);
  return { ...shown, headers, body: Readable.from([JSON.stringify(value)]) };
}

/** The first answer. Errors: `conflict` where another one differs in one of these members. */
function agreed(
  values: readonly Readonly<Record<string, unknown>>[],
  members: readonly string[],
): unknown {
  const [first] = values;
  for (const name of members)
    if (values.some((value) => value[name] !== first?.[name]))
      throw new AppError(
        'conflict',
        `shards differ in ${name} (${values.map((value) => String(value[name])).join(', ')}): repeat the last stop or resume until it is answered`,
      );
  return first;
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

/**
 * The lists of all answers, each in one; other members are left out. What several shards list, as
 * they do since one of them was split, is listed once.
 */
function joined(values: readonly Readonly<Record<string, unknown>>[]): Record<string, unknown[]> {
  const lists: Record<string, unknown[]> = {};
  for (const [name, value] of values.flatMap((one) => Object.entries(one))) {
    if (!Array.isArray(value)) continue;
    const known = new Set((lists[name] ?? []).map((one) => JSON.stringify(one)));
    const fresh = value.filter((one) => !known.has(JSON.stringify(one)));
    lists[name] = [...(lists[name] ?? []), ...fresh];
  }
  return lists;
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

import type { z } from 'zod';
import { AppError, type ErrorCode } from '../domain/errors.ts';
import { bindCursor } from './bound-cursor.ts';
import type { UserId, VenueId } from '../domain/ids.ts';
import type { EventStream } from './event-stream.ts';
import type { Page } from './page.ts';
import type { ApiServices } from './services.ts';
import type { KeyScope } from '../ports/identity.ts';
import type { MarketTime } from '../ports/market-time.ts';
import { inWallTime } from './wall-times.ts';
import {
  EMPTY_BODY,
  parseInput,
  withPlaces,
  type BytesInput,
  type InputSchemas,
  type MaybeObject,
  type MaybeType,
  type Parsed,
  type ParsedInput,
  type RawInput,
} from './route-input.ts';

/**
 * Who may call: anybody, a signed-in user with a username, one who has yet to choose it, another
 * service of the operator, or whoever runs the daemon: a program on the same machine, or one that
 * shows the internal secret.
 */
type RouteAuth = 'public' | 'user' | 'user_without_username' | 'internal' | 'operator';
/**
 * What an API key must be allowed for the call; `session` takes no key, only a user who signed
 * in.
 */
type RouteScope = KeyScope | 'session';
/**
 * Which token bucket a call is taken from: `stops` is for cancels and stops alone, `none` for the
 * supervisor's questions.
 */
type RouteBudget = 'reads' | 'writes' | 'stops' | 'sign_in' | 'sign_in_check' | 'none';

/** What a handler knows about its call beyond the input. */
export interface CallContext {
  readonly services: ApiServices;
  readonly requestId: string;
  /** Address of the caller: IPv4, or the /64 of IPv6. */
  readonly address: string;
  /** A header of the request by its lower-case name. */
  header(name: string): string | null;
  /** Adds a header to the answer. */
  answerWith(name: string, value: string): void;
  /**
   * The caller's key under which a repetition finds the first order; null without an
   * Idempotency-Key.
   */
  readonly idempotencyKey: string | null;
  /** Market time at the call, epoch ms: books are stamped and orders end in it. */
  readonly nowMs: number;
  /** Wall time at the call, epoch ms: what callers send and are answered. */
  readonly wallNowMs: number;
  /** How the two go together. */
  readonly marketTime: MarketTime;
}

/** The signed-in user a call comes from. */
export interface Caller {
  readonly userId: UserId;
  readonly sessionId: string;
  /** When the user last proved who they are, epoch ms: not at a refresh. */
  readonly authenticatedAtMs: number;
  /** The API key the call came by; null for a signed-in user. */
  readonly keyId: string | null;
}

/** The context of a call by a signed-in user. */
export interface UserContext extends CallContext, Caller {}

/**
 * One row of the route table: HTTP, OpenAPI, MCP, the table of src/http/README.md and tests read
 * it.
 */
export interface Route {
  readonly family:
    | 'auth'
    | 'user'
    | 'keys'
    | 'internal'
    | 'web3'
    | 'agents'
    | 'markets'
    | 'system'
    | VenueId;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** As the spec writes it, parameters as ":name"; bound with and without its trailing slash. */
  readonly path: string;
  readonly auth: RouteAuth;
  readonly scope: RouteScope;
  readonly budget: RouteBudget;
  /**
   * Name of the call as a person would write it in a program (`placeOrder`), unique: generated
   * clients call their methods so.
   */
  readonly operationId: string;
  /** What the call does, in a line. */
  readonly summary: string;
  /** What a caller should know beyond the summary, in a few sentences. */
  readonly description: string;
  readonly input: InputSchemas;
  readonly status: 200 | 201 | 204;
  /** Null where the answer is text or nothing. */
  readonly output: z.ZodType | null;
  /** Media types of the answer; a `Page` says which one it has. */
  readonly produces: readonly string[];
  /** Codes this call answers with, beyond those every call has. */
  readonly errors: readonly ErrorCode[];
  /**
   * Which shards a gateway hands the call on to: that of the caller, or all at once. Of `each` one
   * answer is shown, a refusal where there is one; of `joined` the lists of all in one.
   */
  readonly reach: 'caller' | 'each' | 'joined';
  /** Members in which the answers of all shards must be alike, or the call is a `conflict`. */
  readonly agreesOn: readonly string[];
  /** `Cache-Control` of the answer; answers are not stored unless it says so. */
  readonly cacheControl: string;
  /** True where a repetition with the same Idempotency-Key must give the first answer. */
  readonly movesMoney: boolean;
  /**
   * Checks the input of a user's call, null where none is signed in; nothing is done before the
   * call is run. Errors: `invalid_request`.
   */
  prepare(input: RawInput, userId: UserId | null): PreparedCall;
}

/**
 * A row whose types are known to the compiler: the web app's client is inferred from them
 * (`src/web/api/routes.ts`), so a wrong path, side or field does not compile.
 */
export interface TypedRoute<
  Method extends Route['method'],
  Path extends string,
  Params,
  Query,
  Body,
  Output,
> extends Route {
  readonly method: Method;
  readonly path: Path;
  /** For the compiler alone: there is nothing here when it runs. */
  readonly types?: {
    readonly params: Sent<Params>;
    readonly query: Sent<Query>;
    readonly body: Sent<Body>;
    readonly output: Output extends z.ZodType ? z.output<Output> : null;
  };
}

/** What a caller sends for a schema; undefined where a call takes nothing there. */
type Sent<Schema> = Schema extends z.ZodType ? z.input<Schema> : undefined;

/** A call whose input is in order. */
interface PreparedCall {
  /**
   * What is asked for, as it was understood: defaults filled in, numbers and their text one and the
   * same.
   */
  readonly input: ParsedInput;
  /** Runs the call. Errors: those of the service. */
  run(context: CallContext, caller: Caller | null): Promise<unknown>;
}

interface RouteDraft<Method, Path, Params, Query, Body, Output, Context>
  extends Partial<
      Pick<
        Route,
        | 'errors'
        | 'movesMoney'
        | 'produces'
        | 'status'
        | 'scope'
        | 'reach'
        | 'agreesOn'
        | 'cacheControl'
      >
    >,
    Pick<Route, 'family' | 'budget' | 'operationId' | 'summary' | 'description'> {
  readonly method: Method;
  readonly path: Path;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly bytes?: BytesInput;
  readonly headers?: InputSchemas['headers'];
  readonly bodyFromQuery?: InputSchemas['bodyFromQuery'];
  readonly output: Output;
  run(
    context: Context,
    input: {
      readonly params: Parsed<Params>;
      readonly query: Parsed<Query>;
      readonly body: Parsed<Body>;
    },
  ): Answer<Output> | Page | EventStream | Promise<Answer<Output> | Page | EventStream>;
}

type Answer<Output> = Output extends z.ZodType ? z.input<Output> : unknown;
/** Makes a row for anybody. */
export function publicRoute<
  const Method extends Route['method'],
  const Path extends string,
  Params extends MaybeObject = undefined,
  Query extends MaybeObject = undefined,
  Body extends MaybeType = undefined,
  Output extends z.ZodType | null = null,
>(
  draft: RouteDraft<Method, Path, Params, Query, Body, Output, CallContext>,
): TypedRoute<Method, Path, Params, Query, Body, Output> {
  return row(draft, 'public', (raw) =>
    prepared(parseInput(draft, raw), (input, context) => draft.run(context, input)),
  );
}

/** Makes a row for whoever runs the daemon, which `PREDICTD_METRICS_ACCESS` may open to anybody. */
export function operatorRoute<
  const Method extends Route['method'],
  const Path extends string,
  Output extends z.ZodType | null = null,
>(
  draft: RouteDraft<Method, Path, undefined, undefined, undefined, Output, CallContext>,
): TypedRoute<Method, Path, undefined, undefined, undefined, Output> {
  return row(draft, 'operator', (raw) =>
    prepared(parseInput(draft, raw), (input, context) => draft.run(context, input)),
  );
}

/** Makes a row for our other services, which show the shared secret in X-Internal-Secret. */
export function internalRoute<
  const Method extends Route['method'],
  const Path extends string,
  Body extends MaybeType = undefined,
  Output extends z.ZodType | null = null,
>(
  draft: RouteDraft<Method, Path, undefined, undefined, Body, Output, CallContext>,
): TypedRoute<Method, Path, undefined, undefined, Body, Output> {
  return row(draft, 'internal', (raw) =>
    prepared(parseInput(draft, raw), (input, context) => draft.run(context, input)),
  );
}

/**
 * Makes a row for signed-in users; `auth` says whether a username must have been chosen (it must,
 * unless said otherwise).
 */
export function userRoute<
  const Method extends Route['method'],
  const Path extends string,
  Params extends MaybeObject = undefined,
  Query extends MaybeObject = undefined,
  Body extends MaybeType = undefined,
  Output extends z.ZodType | null = null,
>(
  draft: RouteDraft<Method, Path, Params, Query, Body, Output, UserContext> & {
    readonly auth?: 'user_without_username';
  },
): TypedRoute<Method, Path, Params, Query, Body, Output> {
  return row(draft, draft.auth ?? 'user', (raw) =>
    prepared(parseInput(draft, raw), (input, context, caller) => {
      if (caller === null) throw new AppError('unauthenticated', 'this call needs a token');
      return draft.run({ ...context, ...caller }, input);
    }),
  );
}

function prepared<Input extends ParsedInput>(
  input: Input,
  run: (input: Input, context: CallContext, caller: Caller | null) => unknown,
): PreparedCall {
  return { input, run: async (context, caller) => run(input, context, caller) };
}

function row<const Method extends Route['method'], const Path extends string>(
  draft: RouteDraft<Method, Path, MaybeObject, MaybeObject, MaybeType, z.ZodType | null, never>,
  auth: RouteAuth,
  prepare: (input: RawInput) => PreparedCall,
): Route & { readonly method: Method; readonly path: Path } {
  const { family, method, path, budget, operationId, summary, description, output } = draft;
  const input: InputSchemas = {
    ...(draft.params === undefined ? {} : { params: draft.params }),
    ...(draft.query === undefined ? {} : { query: draft.query }),
    ...(draft.headers === undefined ? {} : { headers: draft.headers }),
    ...(draft.bytes === undefined ? {} : { bytes: draft.bytes }),
    ...(draft.bodyFromQuery === undefined ? {} : { bodyFromQuery: draft.bodyFromQuery }),
    ...(draft.body === undefined && (method === 'GET' || method === 'DELETE')
      ? {}
      : { body: draft.body ?? EMPTY_BODY }),
  };
  const isPaged = draft.query !== undefined && 'cursor' in draft.query.shape;
  return {
    family,
    method,
    path,
    auth,
    budget,
    operationId,
    summary,
    description,
    input,
    output,
    scope: draft.scope ?? scopeOf(draft),
    reach: draft.reach ?? 'caller',
    agreesOn: draft.agreesOn ?? [],
    status: draft.status ?? 200,
    cacheControl: draft.cacheControl ?? 'no-store',
    produces: draft.produces ?? ['application/json'],
    errors: draft.errors ?? [],
    movesMoney: draft.movesMoney ?? false,
    prepare(raw, userId) {
      const cursor = isPaged ? bindCursor(operationId, raw, userId) : null;
      const call = prepare(cursor?.input ?? raw);
      return {
        input: call.input,
        run: async (context, caller) => {
          try {
            const answer = await call.run(context, caller);
            const marked = cursor === null ? answer : cursor.mark(answer);
            return output === null ? marked : inWallTime(output, marked, context.marketTime);
          } catch (error) {
            throw withPlaces(error, input);
          }
        },
      };
    },
  };
}

/**
 * Reading is for keys that may read, changing for those that may trade; accounts and keys are for
 * people alone.
 */
function scopeOf({ family, method }: Pick<Route, 'family' | 'method'>): RouteScope {
  if (family === 'auth' || family === 'keys') return 'session';
  if (method === 'GET') return 'read';
  return family === 'user' ? 'session' : 'trade';
}

import type { VenueId } from '../domain/ids.ts';
import type { JsonValue } from '../domain/json-value.ts';
import type { ToolCallRecord } from '../domain/tool-call.ts';
import type { KeyHolder } from '../services/api-keys/api-keys.ts';
import type { RouteCall } from './arguments.ts';

/** A key that holds, and the way to a token for one call with it. */
export interface KeyAccess extends Pick<KeyHolder, 'keyId' | 'userId' | 'scopes'> {
  /** The tools it may call; null where its scopes alone decide. */
  readonly tools: readonly string[] | null;
  /** Where it may trade; null where nothing binds. */
  readonly venues: readonly VenueId[] | null;
  /**
   * Gives a token of at most two minutes, bound to the key: revoking the key ends it at once.
   * Errors: `api_key_invalid`.
   */
  token(): Promise<string>;
}

/** An answer of the interface. */
export interface BackendAnswer {
  readonly status: number;
  /** Null without one, and for one that is not JSON. */
  readonly body: JsonValue;
  readonly headers: Readonly<Record<string, string>>;
}

/** A call of a route for a key. */
interface BackendCall extends Omit<RouteCall, 'route' | 'params'> {
  readonly method: RouteCall['route']['method'];
  /** The tool that calls, which a key may be held to. */
  readonly tool: string;
  readonly token: string;
  /** By lower-case name, beside the token. */
  readonly headers: Readonly<Record<string, string>>;
  readonly requestId: string;
}

/** The service behind the tools: in this process, or in another one over HTTP. */
export interface Backend {
  /** Errors: `api_key_invalid`, the same for every reason. */
  authenticate(key: string): Promise<KeyAccess>;
  /** Answers as the interface does, refusals included. */
  call(call: BackendCall): Promise<BackendAnswer>;
  /** Stores what was asked and answered, durably. */
  record(call: ToolCallRecord): Promise<void>;
}

import type { agentRoutes } from '../../http/routes/agents.ts';
import type { authRoutes } from '../../http/routes/auth.ts';
import type { signInAgainRoutes } from '../../http/routes/sign-in-again.ts';
import type { confirmationRoutes } from '../../http/routes/confirmations.ts';
import type { exchangeRoutes } from '../../http/routes/exchange.ts';
import type { keyExportRoutes } from '../../http/routes/key-export.ts';
import type { keyRoutes } from '../../http/routes/keys.ts';
import type { launchRoutes } from '../../http/routes/launches.ts';
import type { marketSearchRoutes } from '../../http/routes/markets.ts';
import type { notificationRoutes } from '../../http/routes/notifications.ts';
import type { portfolioRoutes } from '../../http/routes/portfolio.ts';
import type { profileRemovalRoutes } from '../../http/routes/profile-removal.ts';
import type { pushRoutes } from '../../http/routes/push.ts';
import type { realtimeRoutes } from '../../http/routes/realtime.ts';
import type { registryRoutes } from '../../http/routes/registry.ts';
import type { sessionRoutes } from '../../http/routes/sessions.ts';
import type { systemRoutes } from '../../http/routes/system.ts';
import type { tokenRoutes } from '../../http/routes/tokens.ts';
import type { userLimitRoutes } from '../../http/routes/user-limits.ts';
import type { userStopRoutes } from '../../http/routes/user-stop.ts';
import type { userRoutes } from '../../http/routes/user.ts';
import type { web3ArrivalRoutes } from '../../http/routes/web3-arrivals.ts';
import type { web3SendRoutes } from '../../http/routes/web3-send.ts';
import type { web3TransferRoutes } from '../../http/routes/web3-transfer.ts';
import type { web3Routes } from '../../http/routes/web3.ts';
import type { venueAApi } from '../../venues/venue-a/http/api.ts';
import type { venueBApi } from '../../venues/venue-b/http/api.ts';
import type { venueCApi } from '../../venues/venue-c/http/api.ts';

/**
 * Every row of the daemon's route table that the app calls, as types alone: nothing of it is
 * bundled.
 */
type Row =
  | (typeof agentRoutes)[number]
  | (typeof authRoutes)[number]
  | (typeof signInAgainRoutes)[number]
  | (typeof confirmationRoutes)[number]
  | (typeof exchangeRoutes)[number]
  | (typeof keyExportRoutes)[number]
  | (typeof keyRoutes)[number]
  | (typeof launchRoutes)[number]
  | (typeof marketSearchRoutes)[number]
  | (typeof notificationRoutes)[number]
  | ReturnType<typeof portfolioRoutes>[number]
  | (typeof profileRemovalRoutes)[number]
  | (typeof pushRoutes)[number]
  | (typeof realtimeRoutes)[number]
  | (typeof registryRoutes)[number]
  | (typeof sessionRoutes)[number]
  | (typeof systemRoutes)[number]
  | (typeof tokenRoutes)[number]
  | (typeof userLimitRoutes)[number]
  | (typeof userStopRoutes)[number]
  | (typeof userRoutes)[number]
  | (typeof web3ArrivalRoutes)[number]
  | (typeof web3SendRoutes)[number]
  | (typeof web3TransferRoutes)[number]
  | (typeof web3Routes)[number]
  | (typeof venueAApi)['routes'][number]
  | (typeof venueBApi)['routes'][number]
  | (typeof venueCApi)['routes'][number];

type TypedRow = Extract<Row, { readonly types?: unknown }>;

/** Calls by `METHOD /path` as the route table writes them. */
type Calls = {
  [Each in TypedRow as `${Each['method']} ${Each['path']}`]: NonNullable<Each['types']>;
};

/** Name of a call: `GET /api/agents/`. */
export type CallName = keyof Calls & string;

/** Answer of a call. */
export type Output<Name extends CallName> = Calls[Name] extends { readonly output: infer Answer }
  ? Answer
  : never;

type Part<Name extends CallName, Key extends 'params' | 'query' | 'body'> =
  Calls[Name] extends Readonly<Record<Key, infer Value>> ? Value : never;

/** A part of a call's input: absent where the call takes none, optional where all of it is. */
type PartInput<Key extends string, Value> = [Value] extends [undefined]
  ? { readonly [Each in Key]?: undefined }
  : undefined extends Value
    ? { readonly [Each in Key]?: Value }
    : Record<never, never> extends Value
      ? { readonly [Each in Key]?: Value }
      : { readonly [Each in Key]: Value };

/** What a call takes: its path parameters, query and body, those that it has. */
export type Input<Name extends CallName> = PartInput<'params', Part<Name, 'params'>> &
  PartInput<'query', Part<Name, 'query'>> &
  PartInput<'body', Part<Name, 'body'>>;

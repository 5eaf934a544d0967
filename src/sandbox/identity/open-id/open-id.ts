import { createHash, generateKeyPair } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import type { Context, Provider } from 'oidc-provider';
import { OPEN_ID_MODEL } from '../../../../config/limits/sandbox.ts';
import { createRecordAdapters } from './record-adapter.ts';
import type { Listening } from '../../wire/http-server.ts';

/** A service that is registered at the provider. */
export interface OpenIdClient {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where browsers are sent back to. */
  readonly returnTo: string;
}

/** Who is at the browser by default, without a `login_hint`. */
const DEFAULT_EMAIL = 'ana@example.org';

/**
 * Serves a real OpenID provider on 127.0.0.1 in the place of Google: discovery, code flow with
 * PKCE, RS256 tokens. Whoever comes is signed in at once as `login_hint` says, which is what a
 * person does at Google's page of accounts.
 */
export async function startOpenId({
  port = 0,
  client,
}: {
  readonly port?: number;
  readonly client: OpenIdClient;
}): Promise<Listening> {
  const { Provider: OpenIdServer, interactionPolicy } = await quietly(
    () => import('oidc-provider'),
  );
  const people = createPeople();
  let provider: Provider | null = null;
  const server = createServer((request, response) => {
    if (provider === null) response.writeHead(503).end();
    else if (request.url?.startsWith('/interaction/') === true)
      void chooseAccount(provider, people, { request, response });
    else provider.callback()(request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('a provider listens on a port');
  const url = `http://127.0.0.1:${address.port}`;
  const policy = interactionPolicy.base();
  policy.add(new interactionPolicy.Prompt({ name: 'select_account', requestable: true }), 0);
  provider = new OpenIdServer(url, {
    ...(await ownRules(client, people)),
    interactions: {
      policy,
      url: (_context: Context, { uid }: { readonly uid: string }) => `/interaction/${uid}`,
    },
  });
  return {
    url,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function ownRules(
  { clientId, clientSecret, returnTo }: OpenIdClient,
  people: People,
): Promise<Readonly<Record<string, unknown>>> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: OPEN_ID_MODEL.keyBits,
  });
  const { codeLifeSeconds, interactionLifeSeconds, sessionLifeSeconds, tokenLifeSeconds } =
    OPEN_ID_MODEL;
  return {
    adapter: createRecordAdapters(),
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [returnTo],
        response_types: ['code'],
        grant_types: ['authorization_code'],
        token_endpoint_auth_method: 'client_secret_post',
        id_token_signed_response_alg: 'RS256',
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig' }] },
    cookies: { keys: [createHash('sha256').update(clientSecret).digest('hex')] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    // Google puts the address into the token itself; the standard would have it asked for apart.
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    ttl: {
      AuthorizationCode: codeLifeSeconds,
      Interaction: interactionLifeSeconds,
      Session: sessionLifeSeconds,
      Grant: sessionLifeSeconds,
      AccessToken: tokenLifeSeconds,
      IdToken: tokenLifeSeconds,
    },
    findAccount: (_context: Context, accountId: string) => {
      const email = people.emailOf(accountId);
      return email === undefined
        ? undefined
        : { accountId, claims: () => ({ sub: accountId, email, email_verified: true }) };
    },
    loadExistingGrant,
    renderError: (
      context: { body: unknown; type: string },
      answer: Readonly<Record<string, unknown>>,
    ) => {
      context.type = 'json';
      context.body = answer;
    },
  };
}

/** Everybody consents: what is asked for is the address alone. */
async function loadExistingGrant({ oidc }: Context): Promise<unknown> {
  const grant = new oidc.provider.Grant({
    clientId: oidc.client.clientId,
    accountId: oidc.session.accountId,
  });
  grant.addOIDCScope('openid email');
  await grant.save();
  return grant;
}

async function chooseAccount(
  provider: Provider,
  people: People,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
): Promise<void> {
  try {
    const { params } = await provider.interactionDetails(request, response);
    const hint = params.login_hint;
    const email =
      typeof hint === 'string' && /^[^\s@]{1,64}@[^\s@]{1,255}$/.test(hint) ? hint : DEFAULT_EMAIL;
    await provider.interactionFinished(request, response, {
      login: { accountId: people.accountOf(email) },
      select_account: {},
    });
  } catch (cause) {
    response.writeHead(400, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        error: 'invalid_request',
        error_description: cause instanceof Error ? cause.message : 'unknown failure',
      }),
    );
  }
}

/**
 * People by the provider's own name for them: twenty-one digits, like Google's, and always the same
 * for a person.
 */
interface People {
  accountOf(email: string): string;
  emailOf(accountId: string): string | undefined;
}

function createPeople(): People {
  const emails = new Map<string, string>();
  return {
    accountOf(email) {
      const digits = BigInt(
        `0x${createHash('sha256').update(email.toLowerCase()).digest('hex')}`,
      ).toString();
      const accountId = `1${digits.slice(0, 20)}`;
      emails.delete(accountId);
      emails.set(accountId, email);
      const [oldest] = emails.keys();
      if (emails.size > OPEN_ID_MODEL.recordsMaximum && oldest !== undefined) emails.delete(oldest);
      return accountId;
    },
    emailOf: (accountId) => emails.get(accountId),
  };
}

/**
 * The package warns on the terminal that it wants a newer Node; what is used of it here works on
 * ours, as the tests of sign-in show.
 */
async function quietly<T>(work: () => Promise<T>): Promise<T> {
  const { warn } = console;
  Object.assign(console, { warn: () => undefined });
  try {
    return await work();
  } finally {
    Object.assign(console, { warn });
  }
}

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignJWT, exportJWK, generateKeyPair, importJWK, type JWTPayload } from 'jose';

/** An OpenID provider that says whatever a test wants. Its keys and codes are real. */
export interface HostileOpenId {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly returnTo: string;
  readonly behaviour: {
    /** Changes the honest claims. */
    claims?: (honest: JWTPayload) => JWTPayload;
    /** How the token is signed: honestly, by an unpublished key, or not as RS256. */
    signing?: 'honest' | 'foreign_kid' | 'foreign_key' | 'none' | 'shared_secret';
    /** What the token endpoint does. */
    token?:
      | 'honest'
      | 'no_id_token'
      | 'server_error'
      | 'hang'
      | 'reset'
      | 'huge'
      | 'unknown_client';
    discovery?: 'honest' | 'server_error' | 'foreign_issuer';
  };
  /** How often the token endpoint was asked. */
  readonly asked: { count: number };
  /** The nonce tokens carry. */
  nonce: string;
  close(): Promise<void>;
}

/** Made once: RSA keys take their time. */
const KEYS = Promise.all([
  generateKeyPair('RS256', { extractable: true }),
  generateKeyPair('RS256', { extractable: true }),
]);

export async function startHostileOpenId(nowSeconds: () => number): Promise<HostileOpenId> {
  const [own, foreign] = await KEYS;
  const published = { ...(await exportJWK(own.publicKey)), kid: 'own', alg: 'RS256', use: 'sig' };
  const server = createServer((request, response) => {
    void answer(request.url ?? '').then((reply) => {
      if (reply === 'hang') return;
      if (reply === 'reset') request.socket.destroy();
      else
        response
          .writeHead(reply.status, { 'content-type': 'application/json' })
          .end(JSON.stringify(reply.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a listening TCP server has one
  const url = `http://127.0.0.1:${port}`;
  const hostile: HostileOpenId = {
    url,
    clientId: 'predictd',
    clientSecret: 'a secret that the tests share with their provider',
    returnTo: 'https://predictd.example/sign-in/google',
    behaviour: {},
    asked: { count: 0 },
    nonce: '',
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  async function idToken(): Promise<string> {
    const { signing = 'honest', claims = (honest) => honest } = hostile.behaviour;
    const payload = claims({
      iss: url,
      aud: hostile.clientId,
      azp: hostile.clientId,
      sub: '10769150350006150715113082367',
      email: 'ana@example.org',
      email_verified: true,
      nonce: hostile.nonce,
      iat: nowSeconds(),
      exp: nowSeconds() + 3_600,
    });
    if (signing === 'none') return `${encode({ alg: 'none' })}.${encode(payload)}.`;
    if (signing === 'shared_secret')
      return new SignJWT(payload)
        .setProtectedHeader({ alg: 'HS256' })
        .sign(new TextEncoder().encode(hostile.clientSecret));
    const kid = signing === 'foreign_kid' ? 'foreign' : 'own';
    const key =
      signing === 'honest'
        ? own.privateKey
        : await importJWK(await exportJWK(foreign.privateKey), 'RS256');
    return new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid }).sign(key);
  }

  async function answer(
    path: string,
  ): Promise<{ status: number; body: unknown } | 'hang' | 'reset'> {
    if (path === '/.well-known/openid-configuration') {
      if (hostile.behaviour.discovery === 'server_error') return { status: 503, body: {} };
      const issuer =
        hostile.behaviour.discovery === 'foreign_issuer' ? 'https://accounts.google.com' : url;
      return {
        status: 200,
        body: {
          issuer,
          authorization_endpoint: `${url}/auth`,
          token_endpoint: `${url}/token`,
          jwks_uri: `${url}/keys`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
        },
      };
    }
    if (path === '/keys') return { status: 200, body: { keys: [published] } };
    if (path !== '/token') return { status: 404, body: {} };
    hostile.asked.count += 1;
    const { token = 'honest' } = hostile.behaviour;
    if (token === 'hang' || token === 'reset') return token;
    if (token === 'server_error') return { status: 502, body: {} };
    if (token === 'unknown_client')
      return {
        status: 401,
        body: { error: 'invalid_client', error_description: 'The OAuth client was not found.' },
      };
    const tokens = {
      access_token: token === 'huge' ? 'a'.repeat(400_000) : 'access',
      token_type: 'Bearer',
      expires_in: 3_600,
      scope: 'openid email',
    };
    return {
      status: 200,
      body: token === 'no_id_token' ? tokens : { ...tokens, id_token: await idToken() },
    };
  }
  return hostile;
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

import { getAddress, isAddress, isHex, recoverMessageAddress } from 'viem';
import { z } from 'zod';
import { POOL_VENUE } from '../../../../../config/limits/sandbox-pools.ts';
import type { Random } from '../../../../ports/random.ts';
import { ok, readJson, type Call, type Reply, type SlowRoute } from '../../../wire/http-server.ts';
import { SCOPES, type Access, type ApiToken, type Profile } from './access.ts';
import { guarded } from './guarded.ts';
import { created, refused } from './replies.ts';

const identitySchema = z.object({
  account: z.string(),
  message: z.string(),
  signature: z.string(),
});
const deriveSchema = z.object({
  label: z.string().max(100).nullish(),
  scopes: z.array(z.enum(SCOPES)).min(1).optional(),
});

/** Sign-in, tokens and profiles (venue_c.md sections 2 and 8.2). */
export function authRoutes(access: Access, random: Random): readonly SlowRoute[] {
  const nonces = new Set<string>();

  function newMessage(): string {
    const nonce = Buffer.from(random.bytes(16)).toString('hex');
    nonces.add(nonce);
    if (nonces.size > POOL_VENUE.noncesMaximum)
      for (const oldest of nonces) {
        nonces.delete(oldest);
        break;
      }
    return `Please sign this message to verify your identity.\n\nNonce: ${nonce}`;
  }

  /** The account that signed a message of this venue, which is used up; null for anything else. */
  async function signerOf(message: string, signature: string): Promise<string | null> {
    const [, nonce = ''] = /\n\nNonce: ([0-9a-f]{32})$/.exec(message) ?? [];
    if (!isHex(signature) || signature.length !== 132 || !nonces.delete(nonce)) return null;
    return recoverMessageAddress({ message, signature }).catch(() => null);
  }

  /** What the login provider's page does in a browser: an identity token for a signature. */
  async function identify({ body }: Call): Promise<Reply> {
    const read = identitySchema.safeParse(readJson(body));
    if (!read.success || !isAddress(read.data.account, { strict: false }))
      return refused(400, 'account, message and signature are required');
    const { account, message, signature } = read.data;
    if ((await signerOf(message, signature)) !== getAddress(account))
      return refused(401, 'Invalid signature');
    const identityToken = access.identify(account);
    return identityToken === null
      ? refused(400, 'Too many profiles')
      : created({ identityToken, account: getAddress(account) });
  }

  const own = (method: 'GET' | 'POST' | 'DELETE', path: string) => ({ method, path, scope: null });
  return [
    {
      method: 'GET',
      path: '/auth/signing-message',
      run: () => ({ kind: 'html', status: 200, body: newMessage() }),
    },
    { method: 'POST', path: '/sandbox/identity', run: identify },
    guarded(access, own('GET', '/auth/api-tokens/capabilities'), () =>
      ok({ tokenManagementEnabled: true, allowedScopes: SCOPES }),
    ),
    guarded(access, own('POST', '/auth/api-tokens/derive'), ({ body }, { profile, by }) => {
      if (by !== 'identity') return refused(401, 'Identity token required');
      const read = deriveSchema.safeParse(body === '' ? {} : readJson(body));
      if (!read.success) return refused(400, 'scopes must be known scopes');
      const token = access.derive(
        profile,
        read.data.label ?? null,
        read.data.scopes ?? ['trading'],
      );
      return token === null
        ? refused(400, 'Too many API tokens')
        : created({
            apiKey: token.tokenId,
            secret: token.secret,
            tokenId: token.tokenId,
            createdAt: iso(token.createdAtMs),
            scopes: token.scopes,
            profile: { id: profile.id, account: profile.account },
          });
    }),
    guarded(access, own('GET', '/auth/api-tokens'), (_call, { profile }) =>
      ok(access.tokensOf(profile).map(tokenShape)),
    ),
    guarded(access, own('DELETE', '/auth/api-tokens/:tokenId'), ({ params }, { profile }) =>
      access.revoke(profile, params['tokenId'] ?? '')
        ? ok({ message: 'Token revoked successfully' })
        : refused(404, 'Token not found'),
    ),
    guarded(access, own('GET', '/profiles/me'), (_call, { profile }) => ok(profileShape(profile))),
    guarded(access, own('GET', '/profiles/:account'), ({ params }) => {
      const profile = access.profileOf(params['account'] ?? '');
      return profile === null ? refused(404, 'Profile not found') : ok(profileShape(profile));
    }),
  ];
}

function tokenShape({ tokenId, label, scopes, createdAtMs, lastUsedAtMs }: ApiToken) {
  return {
    tokenId,
    label,
    scopes,
    createdAt: iso(createdAtMs),
    lastUsedAt: lastUsedAtMs === null ? null : iso(lastUsedAtMs),
  };
}

function profileShape({ id, account, createdAtMs }: Profile) {
  return {
    id,
    account,
    displayName: account,
    username: account,
    client: 'eoa',
    rank: { id: 1, name: 'Bronze', feeRateBps: POOL_VENUE.feeRateBps },
    tradeWalletOption: 'eoa',
    smartWallet: null,
    embeddedAccount: null,
    createdAt: iso(createdAtMs),
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

import { describe, expect, it } from 'vitest';
import { TOKENS, LOGIN_ATTEMPTS } from '../../../config/limits/identity.ts';
import { AppError } from '../../../src/domain/errors.ts';
import type { SignInMethod } from '../../../src/ports/identity.ts';
import type { OpenIdPerson } from '../../../src/ports/open-id.ts';
import { TEST_CLIENT } from '../../../src/services/sign-in/client.ts';
import type { SignedIn } from '../../../src/services/sign-in/sessions.ts';
import { createFederatedIdentity } from '../../../src/services/sign-in/federated-identity.ts';
import {
  SEND_COUNTS,
  SIGN_IN_EXPIRY,
  USERS,
  USER_IDENTITIES,
  LOGIN_ATTEMPTS as VISITS_TABLE,
} from '../../../src/services/sign-in/tables.ts';
import { openRuntime } from './identity-runtime.ts';

type Runtime = Awaited<ReturnType<typeof openRuntime>>;
const ANA = { subject: '100000000000000000001', email: 'ana@example.org' };
const PHONE = '+14155552671';
const BROWSER = { address: '198.51.100.7', program: 'browser' };
const codeOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof AppError ? error.code : error),
  );

async function atGoogle(runtime: Runtime, person: OpenIdPerson = ANA) {
  const { visit, url } = await runtime.federatedIdentity.beginGoogle();
  return { kind: 'google', visit, returnedTo: runtime.google.visit(url, person) } as const;
}

async function bySocial(runtime: Runtime, fid = 77) {
  const start = await runtime.federatedIdentity.beginSocial();
  return { kind: 'siwf', visit: start.visit, ...(await runtime.social.sign(fid, start)) } as const;
}

async function byPhone(runtime: Runtime, phone = PHONE): Promise<SignedIn> {
  const { challengeId } = await runtime.sessions.requestCode(phone);
  return runtime.sessions.verifyCode(challengeId, runtime.sent.at(-1)?.code ?? '');
}

const WAYS = { google: atGoogle, siwf: bySocial } as const;
const NAMES = ['google', 'siwf'] as const;

describe('signing in at another identity provider', () => {
  it.each(NAMES)('makes one user the first time and finds it afterwards (%s)', async (way) => {
    const runtime = await openRuntime();
    const first = await runtime.federatedIdentity.signIn(await WAYS[way](runtime), BROWSER);
    const again = await runtime.federatedIdentity.signIn(await WAYS[way](runtime), BROWSER);
    const session = await runtime.sessions.authenticate(again.accessToken);
    expect([
      again.userId === first.userId,
      runtime.store.range(USERS).length,
      session.method satisfies SignInMethod,
      runtime.accounts.profile(first.userId),
    ]).toEqual([
      true,
      1,
      way,
      expect.objectContaining({
        phoneMasked: null,
        username: null,
        account: 'ready',
        identities: [{ provider: way, shown: way === 'google' ? 'a•••@example.org' : 'fid 77' }],
      }),
    ]);
  });

  it.each(NAMES)(
    'takes what was brought once, also when it comes twice at once (%s)',
    async (way) => {
      const runtime = await openRuntime();
      const proof = await WAYS[way](runtime);
      const outcomes = await Promise.all([
        codeOf(runtime.federatedIdentity.signIn(proof, BROWSER)),
        codeOf(runtime.federatedIdentity.signIn(proof, BROWSER)),
      ]);
      expect([
        outcomes.toSorted(),
        await codeOf(runtime.federatedIdentity.signIn(proof, BROWSER)),
        runtime.store.range(USERS).length,
      ]).toEqual([['code_expired', 'done'], 'code_expired', 1]);
    },
  );

  it.each(NAMES)('ends a visit after ten minutes (%s)', async (way) => {
    const runtime = await openRuntime();
    const proof = await WAYS[way](runtime);
    await runtime.clock.advance(LOGIN_ATTEMPTS.visitLifeMs);
    expect(await codeOf(runtime.federatedIdentity.signIn(proof, BROWSER))).toBe('code_expired');
  });

  it('binds the way back to whoever began: what one brings home is of no use with the visit of another', async () => {
    const runtime = await openRuntime();
    const [mine, theirs] = [
      await atGoogle(runtime),
      await atGoogle(runtime, { subject: '2', email: null }),
    ];
    expect([
      await codeOf(
        runtime.federatedIdentity.signIn({ ...mine, returnedTo: theirs.returnedTo }, BROWSER),
      ),
      runtime.store.range(USERS).length,
    ]).toEqual(['sign_in_refused', 0]);
  });

  it('takes a visit to one identity provider for no visit to another', async () => {
    const runtime = await openRuntime();
    const [google, social] = [await atGoogle(runtime), await bySocial(runtime)];
    expect([
      await codeOf(runtime.federatedIdentity.signIn({ ...google, visit: social.visit }, BROWSER)),
      await codeOf(runtime.federatedIdentity.signIn({ ...social, visit: google.visit }, BROWSER)),
    ]).toEqual(['code_expired', 'code_expired']);
  });

  it('refuses a message whose nonce is that of an earlier visit', async () => {
    const runtime = await openRuntime();
    const old = await bySocial(runtime);
    await runtime.federatedIdentity.signIn(old, BROWSER);
    const { visit } = await runtime.federatedIdentity.beginSocial();
    expect(await codeOf(runtime.federatedIdentity.signIn({ ...old, visit }, BROWSER))).toBe(
      'sign_in_refused',
    );
  });

  it('never finds an account by an address: two people of one address are two users', async () => {
    const runtime = await openRuntime();
    const one = await runtime.federatedIdentity.signIn(await atGoogle(runtime), BROWSER);
    const two = await runtime.federatedIdentity.signIn(
      await atGoogle(runtime, { subject: '100000000000000000002', email: ANA.email }),
      BROWSER,
    );
    expect([one.userId === two.userId, runtime.store.range(USERS).length]).toEqual([false, 2]);
  });

  it('shows no address that the provider has not verified', async () => {
    const runtime = await openRuntime();
    const { userId } = await runtime.federatedIdentity.signIn(
      await atGoogle(runtime, { subject: '3', email: null }),
      BROWSER,
    );
    expect(runtime.accounts.profile(userId).identities).toEqual([
      { provider: 'google', shown: 'a Google account' },
    ]);
  });

  it('L12: keeps neither state nor nonce nor verifier nor address in the open, and says in the audit trail who came how', async () => {
    const runtime = await openRuntime();
    const proof = await atGoogle(runtime);
    const stored = JSON.stringify(runtime.store.range(VISITS_TABLE));
    const { userId } = await runtime.federatedIdentity.signIn(proof, BROWSER);
    const lines = runtime.entries
      .map(({ event }) => event)
      .filter((event) => event.type === 'audit.recorded');
    expect(lines).toEqual([
      expect.objectContaining({
        userId,
        action: 'signed_in',
        detail: 'google a•••@example.org',
        origin: expect.any(String),
      }),
    ]);
    const secrets = [proof.visit, new URL(proof.returnedTo).searchParams.get('state') ?? 'state'];
    expect(
      [...secrets, ANA.email, BROWSER.address].filter(
        (secret) => stored.includes(secret) || JSON.stringify(runtime.entries).includes(secret),
      ),
    ).toEqual([]);
  });

  it('begins so many within an hour, all together, and then says when to come again', async () => {
    const runtime = await openRuntime();
    const windowStartMs = Math.floor(runtime.clock.nowMs() / 3_600_000) * 3_600_000;
    await runtime.store.write((tx) =>
      tx.put(SEND_COUNTS, ['login_attempts', windowStartMs], {
        count: LOGIN_ATTEMPTS.begunPerHour - 1,
      }),
    );
    const last = await codeOf(runtime.federatedIdentity.beginSocial());
    await expect(runtime.federatedIdentity.beginSocial()).rejects.toMatchObject({
      code: 'sign_in_unavailable',
      retryAfterMs: windowStartMs + 3_600_000 - runtime.clock.nowMs(),
    });
    expect(last).toBe('done');
  });

  it('is not available where an identity provider is not set up', async () => {
    const runtime = await openRuntime();
    const none = createFederatedIdentity({ ...runtime, google: null, social: null });
    expect([
      await codeOf(none.beginGoogle()),
      await codeOf(none.beginSocial()),
      await codeOf(none.signIn(await atGoogle(runtime), BROWSER)),
    ]).toEqual(['sign_in_unavailable', 'sign_in_unavailable', 'sign_in_unavailable']);
  });

  it('forgets login attempts without a callback', async () => {
    const runtime = await openRuntime();
    for (let visit = 0; visit < 10; visit += 1) await runtime.federatedIdentity.beginSocial();
    await runtime.clock.advance(LOGIN_ATTEMPTS.visitLifeMs);
    await runtime.federatedIdentity.beginSocial();
    expect([
      runtime.store.range(VISITS_TABLE).length,
      runtime.store.range(SIGN_IN_EXPIRY, { prefix: [] }).filter(({ key }) => key[1] === 'visit')
        .length,
    ]).toEqual([1, 1]);
  });
});

describe('a further way in', () => {
  it('joins the account of whoever has just signed in, and leads there from then on', async () => {
    const runtime = await openRuntime();
    const { userId } = await byPhone(runtime);
    const user = { userId, authenticatedAtMs: runtime.clock.nowMs() };
    await runtime.federatedIdentity.link(user, await atGoogle(runtime), BROWSER);
    await runtime.federatedIdentity.link(user, await bySocial(runtime), BROWSER);
    const later = [
      await runtime.federatedIdentity.signIn(await atGoogle(runtime), BROWSER),
      await runtime.federatedIdentity.signIn(await bySocial(runtime), BROWSER),
    ];
    expect([
      later.map((each) => each.userId),
      runtime.store.range(USERS).length,
      runtime.accounts.profile(userId).identities.map(({ provider }) => provider),
    ]).toEqual([[userId, userId], 1, ['google', 'siwf']]);
    const lines = runtime.entries
      .map(({ event }) => event)
      .filter((event) => event.type === 'audit.recorded' && event.action === 'identity_linked');
    expect(lines).toEqual([
      expect.objectContaining({ userId, subject: 'google', detail: 'a•••@example.org' }),
      expect.objectContaining({ userId, subject: 'siwf', detail: 'fid 77' }),
    ]);
  });

  it('can be a phone, by its code, for a user who came by Google', async () => {
    const runtime = await openRuntime();
    const { userId } = await runtime.federatedIdentity.signIn(await atGoogle(runtime), BROWSER);
    const { challengeId } = await runtime.sessions.requestCode(PHONE);
    const proof = { kind: 'phone', challengeId, code: runtime.sent.at(-1)?.code ?? '' } as const;
    await runtime.federatedIdentity.link(
      { userId, authenticatedAtMs: runtime.clock.nowMs() },
      proof,
      TEST_CLIENT,
    );
    await runtime.clock.advance(60_000);
    expect([(await byPhone(runtime)).userId, runtime.accounts.profile(userId).phoneMasked]).toEqual(
      [userId, '+1••••••2671'],
    );
  });

  it('is refused when it is the way in of another account, and both accounts stay as they are', async () => {
    const runtime = await openRuntime();
    const owner = await runtime.federatedIdentity.signIn(await atGoogle(runtime), BROWSER);
    const { userId } = await byPhone(runtime);
    const outcome = await codeOf(
      runtime.federatedIdentity.link(
        { userId, authenticatedAtMs: runtime.clock.nowMs() },
        await atGoogle(runtime),
        BROWSER,
      ),
    );
    expect([
      outcome,
      runtime.accounts.profile(userId).identities,
      (await runtime.federatedIdentity.signIn(await atGoogle(runtime), BROWSER)).userId ===
        owner.userId,
    ]).toEqual(['identity_taken', [], true]);
  });

  it('wants a fresh sign-in', async () => {
    const runtime = await openRuntime();
    const { userId } = await byPhone(runtime);
    const user = { userId, authenticatedAtMs: runtime.clock.nowMs() };
    await runtime.clock.advance(TOKENS.freshSignInMs);
    expect([
      await codeOf(runtime.federatedIdentity.link(user, await atGoogle(runtime), BROWSER)),
      runtime.store.range(USER_IDENTITIES).length,
    ]).toEqual(['fresh_sign_in_required', 0]);
  });

  it('is one of each kind: a second account of the same identity provider is refused, the same one again is not', async () => {
    const runtime = await openRuntime();
    const { userId } = await byPhone(runtime);
    const user = { userId, authenticatedAtMs: runtime.clock.nowMs() };
    const outcomes = [];
    for (const proof of [
      await atGoogle(runtime),
      await atGoogle(runtime),
      await atGoogle(runtime, { subject: '9', email: null }),
    ])
      outcomes.push(await codeOf(runtime.federatedIdentity.link(user, proof, BROWSER)));
    expect([outcomes, runtime.store.range(USER_IDENTITIES).length]).toEqual([
      ['done', 'done', 'limit_reached'],
      1,
    ]);
  });

  it('goes to one of two accounts that ask for it at once', async () => {
    const runtime = await openRuntime();
    const [one, two] = [await byPhone(runtime), await byPhone(runtime, '+14155552672')];
    const authenticatedAtMs = runtime.clock.nowMs();
    const proofs = [await bySocial(runtime), await bySocial(runtime)] as const;
    const outcomes = await Promise.all([
      codeOf(
        runtime.federatedIdentity.link(
          { userId: one.userId, authenticatedAtMs },
          proofs[0],
          BROWSER,
        ),
      ),
      codeOf(
        runtime.federatedIdentity.link(
          { userId: two.userId, authenticatedAtMs },
          proofs[1],
          BROWSER,
        ),
      ),
    ]);
    expect([outcomes.toSorted(), runtime.store.range(USER_IDENTITIES).length]).toEqual([
      ['done', 'identity_taken'],
      1,
    ]);
  });
});

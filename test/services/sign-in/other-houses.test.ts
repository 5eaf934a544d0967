import { describe, expect, it } from 'vitest';
import { TOKENS, VISITS } from '../../../config/limits/identity.ts';
import { AppError } from '../../../src/domain/errors.ts';
import type { SignInMethod } from '../../../src/ports/identity.ts';
import type { OpenIdPerson } from '../../../src/ports/open-id.ts';
import { HOUSE_CLIENT } from '../../../src/services/sign-in/client.ts';
import type { SignedIn } from '../../../src/services/sign-in/sessions.ts';
import { createOtherHouses } from '../../../src/services/sign-in/other-houses.ts';
import {
  SEND_COUNTS,
  SIGN_IN_EXPIRY,
  USERS,
  USER_IDENTITIES,
  VISITS as VISITS_TABLE,
} from '../../../src/services/sign-in/tables.ts';
import { openHouse } from './identity-house.ts';

type House = Awaited<ReturnType<typeof openHouse>>;
const ANA = { subject: '100000000000000000001', email: 'ana@example.org' };
const PHONE = '+14155552671';
const BROWSER = { address: '198.51.100.7', program: 'browser' };
const codeOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof AppError ? error.code : error),
  );

async function atGoogle(house: House, person: OpenIdPerson = ANA) {
  const { visit, url } = await house.otherHouses.beginGoogle();
  return { kind: 'google', visit, returnedTo: house.google.visit(url, person) } as const;
}

async function bySocial(house: House, fid = 77) {
  const start = await house.otherHouses.beginSocial();
  return { kind: 'siwf', visit: start.visit, ...(await house.social.sign(fid, start)) } as const;
}

async function byPhone(house: House, phone = PHONE): Promise<SignedIn> {
  const { challengeId } = await house.sessions.requestCode(phone);
  return house.sessions.verifyCode(challengeId, house.sent.at(-1)?.code ?? '');
}

const WAYS = { google: atGoogle, siwf: bySocial } as const;
const NAMES = ['google', 'siwf'] as const;

describe('signing in at another house', () => {
  it.each(NAMES)('makes one user the first time and finds it afterwards (%s)', async (way) => {
    const house = await openHouse();
    const first = await house.otherHouses.signIn(await WAYS[way](house), BROWSER);
    const again = await house.otherHouses.signIn(await WAYS[way](house), BROWSER);
    const session = await house.sessions.authenticate(again.accessToken);
    expect([
      again.userId === first.userId,
      house.store.range(USERS).length,
      session.method satisfies SignInMethod,
      house.accounts.profile(first.userId),
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
      const house = await openHouse();
      const proof = await WAYS[way](house);
      const outcomes = await Promise.all([
        codeOf(house.otherHouses.signIn(proof, BROWSER)),
        codeOf(house.otherHouses.signIn(proof, BROWSER)),
      ]);
      expect([
        outcomes.toSorted(),
        await codeOf(house.otherHouses.signIn(proof, BROWSER)),
        house.store.range(USERS).length,
      ]).toEqual([['code_expired', 'done'], 'code_expired', 1]);
    },
  );

  it.each(NAMES)('ends a visit after ten minutes (%s)', async (way) => {
    const house = await openHouse();
    const proof = await WAYS[way](house);
    await house.clock.advance(VISITS.visitLifeMs);
    expect(await codeOf(house.otherHouses.signIn(proof, BROWSER))).toBe('code_expired');
  });

  it('binds the way back to whoever began: what one brings home is of no use with the visit of another', async () => {
    const house = await openHouse();
    const [mine, theirs] = [
      await atGoogle(house),
      await atGoogle(house, { subject: '2', email: null }),
    ];
    expect([
      await codeOf(house.otherHouses.signIn({ ...mine, returnedTo: theirs.returnedTo }, BROWSER)),
      house.store.range(USERS).length,
    ]).toEqual(['sign_in_refused', 0]);
  });

  it('takes a visit to one house for no visit to another', async () => {
    const house = await openHouse();
    const [google, social] = [await atGoogle(house), await bySocial(house)];
    expect([
      await codeOf(house.otherHouses.signIn({ ...google, visit: social.visit }, BROWSER)),
      await codeOf(house.otherHouses.signIn({ ...social, visit: google.visit }, BROWSER)),
    ]).toEqual(['code_expired', 'code_expired']);
  });

  it('refuses a message whose nonce is that of an earlier visit', async () => {
    const house = await openHouse();
    const old = await bySocial(house);
    await house.otherHouses.signIn(old, BROWSER);
    const { visit } = await house.otherHouses.beginSocial();
    expect(await codeOf(house.otherHouses.signIn({ ...old, visit }, BROWSER))).toBe(
      'sign_in_refused',
    );
  });

  it('never finds an account by an address: two people of one address are two users', async () => {
    const house = await openHouse();
    const one = await house.otherHouses.signIn(await atGoogle(house), BROWSER);
    const two = await house.otherHouses.signIn(
      await atGoogle(house, { subject: '100000000000000000002', email: ANA.email }),
      BROWSER,
    );
    expect([one.userId === two.userId, house.store.range(USERS).length]).toEqual([false, 2]);
  });

  it('shows no address that the provider has not verified', async () => {
    const house = await openHouse();
    const { userId } = await house.otherHouses.signIn(
      await atGoogle(house, { subject: '3', email: null }),
      BROWSER,
    );
    expect(house.accounts.profile(userId).identities).toEqual([
      { provider: 'google', shown: 'a Google account' },
    ]);
  });

  it('L12: keeps neither state nor nonce nor verifier nor address in the open, and says in the audit trail who came how', async () => {
    const house = await openHouse();
    const proof = await atGoogle(house);
    const stored = JSON.stringify(house.store.range(VISITS_TABLE));
    const { userId } = await house.otherHouses.signIn(proof, BROWSER);
    const lines = house.entries
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
        (secret) => stored.includes(secret) || JSON.stringify(house.entries).includes(secret),
      ),
    ).toEqual([]);
  });

  it('begins so many within an hour, all together, and then says when to come again', async () => {
    const house = await openHouse();
    const windowStartMs = Math.floor(house.clock.nowMs() / 3_600_000) * 3_600_000;
    await house.store.write((tx) =>
      tx.put(SEND_COUNTS, ['visits', windowStartMs], { count: VISITS.begunPerHour - 1 }),
    );
    const last = await codeOf(house.otherHouses.beginSocial());
    await expect(house.otherHouses.beginSocial()).rejects.toMatchObject({
      code: 'sign_in_unavailable',
      retryAfterMs: windowStartMs + 3_600_000 - house.clock.nowMs(),
    });
    expect(last).toBe('done');
  });

  it('is not available where a house is not set up', async () => {
    const house = await openHouse();
    const none = createOtherHouses({ ...house, google: null, social: null });
    expect([
      await codeOf(none.beginGoogle()),
      await codeOf(none.beginSocial()),
      await codeOf(none.signIn(await atGoogle(house), BROWSER)),
    ]).toEqual(['sign_in_unavailable', 'sign_in_unavailable', 'sign_in_unavailable']);
  });

  it('forgets visits that nobody came back from', async () => {
    const house = await openHouse();
    for (let visit = 0; visit < 10; visit += 1) await house.otherHouses.beginSocial();
    await house.clock.advance(VISITS.visitLifeMs);
    await house.otherHouses.beginSocial();
    expect([
      house.store.range(VISITS_TABLE).length,
      house.store.range(SIGN_IN_EXPIRY, { prefix: [] }).filter(({ key }) => key[1] === 'visit')
        .length,
    ]).toEqual([1, 1]);
  });
});

describe('a further way in', () => {
  it('joins the account of whoever has just signed in, and leads there from then on', async () => {
    const house = await openHouse();
    const { userId } = await byPhone(house);
    const user = { userId, authenticatedAtMs: house.clock.nowMs() };
    await house.otherHouses.link(user, await atGoogle(house), BROWSER);
    await house.otherHouses.link(user, await bySocial(house), BROWSER);
    const later = [
      await house.otherHouses.signIn(await atGoogle(house), BROWSER),
      await house.otherHouses.signIn(await bySocial(house), BROWSER),
    ];
    expect([
      later.map((each) => each.userId),
      house.store.range(USERS).length,
      house.accounts.profile(userId).identities.map(({ provider }) => provider),
    ]).toEqual([[userId, userId], 1, ['google', 'siwf']]);
    const lines = house.entries
      .map(({ event }) => event)
      .filter((event) => event.type === 'audit.recorded' && event.action === 'identity_linked');
    expect(lines).toEqual([
      expect.objectContaining({ userId, subject: 'google', detail: 'a•••@example.org' }),
      expect.objectContaining({ userId, subject: 'siwf', detail: 'fid 77' }),
    ]);
  });

  it('can be a phone, by its code, for somebody who came by Google', async () => {
    const house = await openHouse();
    const { userId } = await house.otherHouses.signIn(await atGoogle(house), BROWSER);
    const { challengeId } = await house.sessions.requestCode(PHONE);
    const proof = { kind: 'phone', challengeId, code: house.sent.at(-1)?.code ?? '' } as const;
    await house.otherHouses.link(
      { userId, authenticatedAtMs: house.clock.nowMs() },
      proof,
      HOUSE_CLIENT,
    );
    await house.clock.advance(60_000);
    expect([(await byPhone(house)).userId, house.accounts.profile(userId).phoneMasked]).toEqual([
      userId,
      '+1••••••2671',
    ]);
  });

  it('is refused when it is the way in of another account, and both accounts stay as they are', async () => {
    const house = await openHouse();
    const owner = await house.otherHouses.signIn(await atGoogle(house), BROWSER);
    const { userId } = await byPhone(house);
    const outcome = await codeOf(
      house.otherHouses.link(
        { userId, authenticatedAtMs: house.clock.nowMs() },
        await atGoogle(house),
        BROWSER,
      ),
    );
    expect([
      outcome,
      house.accounts.profile(userId).identities,
      (await house.otherHouses.signIn(await atGoogle(house), BROWSER)).userId === owner.userId,
    ]).toEqual(['identity_taken', [], true]);
  });

  it('wants a fresh sign-in', async () => {
    const house = await openHouse();
    const { userId } = await byPhone(house);
    const user = { userId, authenticatedAtMs: house.clock.nowMs() };
    await house.clock.advance(TOKENS.freshSignInMs);
    expect([
      await codeOf(house.otherHouses.link(user, await atGoogle(house), BROWSER)),
      house.store.range(USER_IDENTITIES).length,
    ]).toEqual(['fresh_sign_in_required', 0]);
  });

  it('is one of each kind: a second account of the same house is refused, the same one again is not', async () => {
    const house = await openHouse();
    const { userId } = await byPhone(house);
    const user = { userId, authenticatedAtMs: house.clock.nowMs() };
    const outcomes = [];
    for (const proof of [
      await atGoogle(house),
      await atGoogle(house),
      await atGoogle(house, { subject: '9', email: null }),
    ])
      outcomes.push(await codeOf(house.otherHouses.link(user, proof, BROWSER)));
    expect([outcomes, house.store.range(USER_IDENTITIES).length]).toEqual([
      ['done', 'done', 'limit_reached'],
      1,
    ]);
  });

  it('goes to one of two accounts that ask for it at once', async () => {
    const house = await openHouse();
    const [one, two] = [await byPhone(house), await byPhone(house, '+14155552672')];
    const authenticatedAtMs = house.clock.nowMs();
    const proofs = [await bySocial(house), await bySocial(house)] as const;
    const outcomes = await Promise.all([
      codeOf(house.otherHouses.link({ userId: one.userId, authenticatedAtMs }, proofs[0], BROWSER)),
      codeOf(house.otherHouses.link({ userId: two.userId, authenticatedAtMs }, proofs[1], BROWSER)),
    ]);
    expect([outcomes.toSorted(), house.store.range(USER_IDENTITIES).length]).toEqual([
      ['done', 'identity_taken'],
      1,
    ]);
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { AppError, type Redirect } from '../../../src/domain/errors.ts';
import { SLOTS, slotOf, slotOfDigest } from '../../../src/domain/slot.ts';
import type { SharedSecret } from '../../../src/ports/shared-secret.ts';
import type { SignedIn } from '../../../src/services/sign-in/sessions.ts';
import { USERS } from '../../../src/services/sign-in/tables.ts';
import { createModelDirectory, type ModelDirectory } from '../../support/models/user-directory.ts';
import { openRuntime } from './identity-runtime.ts';

type Shard = Awaited<ReturnType<typeof openRuntime>>;
const BROWSER = { address: '198.51.100.7', program: 'browser' };
const PHONES = Array.from({ length: 12 }, (_, at) => `+141555526${String(70 + at)}`);

/** Slots of a shard of two: dealt out in turn. */
const slotsOf = (shard: number): ReadonlySet<number> =>
  new Set(Array.from({ length: SLOTS }, (_, slot) => slot).filter((slot) => slot % 2 === shard));

/** Where a shard sends the caller; `done` where it answers itself. */
async function redirectOf(work: Promise<unknown>): Promise<Redirect | 'done'> {
  try {
    await work;
    return 'done';
  } catch (error) {
    if (error instanceof AppError && error.redirect !== null) return error.redirect;
    throw error;
  }
}

describe('two shards', () => {
  let directory: ModelDirectory;
  let shards: readonly [Shard, Shard];
  const secrets = new Map<string, SharedSecret>();

  beforeEach(async () => {
    directory = createModelDirectory();
    secrets.clear();
    const open = (shard: number): Promise<Shard> =>
      openRuntime({
        seed: shard + 1,
        directory: directory.at(slotsOf(shard)),
        async share(name, secret) {
          const agreed = secrets.get(name) ?? secret;
          secrets.set(name, agreed);
          return agreed;
        },
      });
    shards = [await open(0), await open(1)];
  });

  const homeOf = (phone: string): number =>
    slotOfDigest(shards[0].digests.digest('phone', phone)) % 2;
  const at = (shard: number): Shard => shards[shard % 2] as Shard;
  const byPhone = async (shard: Shard, phone: string): Promise<SignedIn> => {
    const { challengeId } = await shard.sessions.requestCode(phone);
    return shard.sessions.verifyCode(challengeId, shard.sent.at(-1)?.code ?? '');
  };
  const byGoogle = async (shard: Shard, subject: string): Promise<SignedIn> => {
    const { visit, url } = await shard.federatedIdentity.beginGoogle();
    const returnedTo = shard.google.visit(url, { subject, email: null });
    return shard.federatedIdentity.signIn({ kind: 'google', visit, returnedTo }, BROWSER);
  };

  it('send the codes of a phone from one of them, whichever is asked', async () => {
    for (const phone of PHONES) {
      const home = homeOf(phone);
      expect(await redirectOf(at(home + 1).sessions.requestCode(phone))).toMatchObject({
        slot: slotOfDigest(shards[0].digests.digest('phone', phone)),
        assertion: null,
      });
      const { challengeId } = await at(home).sessions.requestCode(phone);
      expect((slotOf(challengeId) ?? 0) % 2).toBe(home);
    }
    expect(new Set(PHONES.map(homeOf)).size).toBe(2);
  });

  it('have each user in one of them, whose ids say which', async () => {
    const [phone = ''] = PHONES;
    const home = homeOf(phone);
    const { userId, accessToken, refreshToken } = await byPhone(at(home), phone);
    expect([slotOf(userId), slotOf(refreshToken)].map((slot) => (slot ?? 0) % 2)).toEqual([
      home,
      home,
    ]);
    const other = at(home + 1).sessions;
    expect(await redirectOf(other.authenticate(accessToken))).toMatchObject({
      slot: slotOf(userId),
    });
    expect(await redirectOf(other.refresh(refreshToken))).toMatchObject({
      slot: slotOf(refreshToken),
    });
    expect((await at(home).sessions.refresh(refreshToken)).userId).toBe(userId);
  });

  it('sign a user of the other one in by what the first has found', async () => {
    const first = await byGoogle(shards[0], 'ana');
    const redirect = await redirectOf(byGoogle(shards[1], 'ana'));
    if (redirect === 'done') throw new Error('the other shard has the user');
    expect(redirect.slot).toBe(slotOf(first.userId));
    const assertion = redirect.assertion ?? '';
    const again = await shards[0].sessions.admitBy(assertion, BROWSER);
    expect(again.userId).toBe(first.userId);
    expect(shards.map(({ store }) => store.range(USERS).length)).toEqual([1, 0]);
    await expect(shards[0].sessions.admitBy(`${assertion}x`, BROWSER)).rejects.toMatchObject({
      code: 'token_invalid',
    });
    await shards[0].clock.advance(30_000);
    await expect(shards[0].sessions.admitBy(assertion, BROWSER)).rejects.toMatchObject({
      code: 'token_expired',
    });
  });

  it('use a code up in the shard that judged it', async () => {
    const [phone = ''] = PHONES;
    const home = homeOf(phone);
    const google = await byGoogle(at(home + 1), 'ben');
    // The phone is added by its user, whose own shard then sends the code.
    const { challengeId: added } = await at(home + 1).sessions.requestCode(
      phone,
      BROWSER,
      google.accessToken,
    );
    const { authenticatedAtMs } = await at(home + 1).sessions.authenticate(google.accessToken);
    await at(home + 1).federatedIdentity.link(
      { userId: google.userId, authenticatedAtMs },
      { kind: 'phone', challengeId: added, code: at(home + 1).sent.at(-1)?.code ?? '' },
      BROWSER,
    );
    const { challengeId } = await at(home).sessions.requestCode(phone);
    const code = at(home).sent.at(-1)?.code ?? '';
    const redirect = await redirectOf(at(home).sessions.verifyCode(challengeId, code));
    if (redirect === 'done') throw new Error('the other shard has the user');
    expect((await at(home + 1).sessions.admitBy(redirect.assertion ?? '', BROWSER)).userId).toBe(
      google.userId,
    );
    await expect(at(home).sessions.verifyCode(challengeId, code)).rejects.toMatchObject({
      code: 'code_expired',
    });
  });

  it('give a name to one user in both, and give it again once it was given up', async () => {
    const one = await byGoogle(shards[0], 'ana');
    const other = await byGoogle(shards[1], 'ben');
    const taken = { code: 'username_taken' };
    await shards[0].accounts.setUsername(one.userId, 'clara');
    await expect(shards[1].accounts.setUsername(other.userId, 'dara')).rejects.toMatchObject(taken);
    await shards[0].accounts.setUsername(one.userId, 'emil');
    expect((await shards[1].accounts.setUsername(other.userId, 'dara')).username).toBe('dara');
  });

  it('say of a code that was asked for without the token of its user what to do', async () => {
    const [phone = ''] = PHONES;
    const home = homeOf(phone);
    const { userId, accessToken } = await byGoogle(at(home + 1), 'ben');
    const { challengeId } = await at(home).sessions.requestCode(phone);
    const { authenticatedAtMs } = await at(home + 1).sessions.authenticate(accessToken);
    await expect(
      at(home + 1).federatedIdentity.link(
        { userId, authenticatedAtMs },
        { kind: 'phone', challengeId, code: at(home).sent.at(-1)?.code ?? '' },
        BROWSER,
      ),
    ).rejects.toMatchObject({ code: 'code_expired' });
  });

  it('let no user add what a user of the other one is known by', async () => {
    await byGoogle(shards[0], 'ana');
    const [phone = ''] = PHONES.filter((one) => homeOf(one) === 1);
    const other = await byPhone(shards[1], phone);
    const { visit, url } = await shards[1].federatedIdentity.beginGoogle();
    const returnedTo = shards[1].google.visit(url, { subject: 'ana', email: null });
    const { authenticatedAtMs } = await shards[1].sessions.authenticate(other.accessToken);
    await expect(
      shards[1].federatedIdentity.link(
        { userId: other.userId, authenticatedAtMs },
        { kind: 'google', visit, returnedTo },
        BROWSER,
      ),
    ).rejects.toMatchObject({ code: 'identity_taken' });
  });

  it('make a user of a claim that a crash left, and put claims right at a start', async () => {
    const { digests, accounts } = shards[0];
    const claim = { kind: 'google', name: digests.digest('identity', 'google\nana') } as const;
    const left = await shards[0].accounts.draft({
      kind: 'identity',
      identity: { provider: 'google', subject: 'ana', shown: 'a Google account' },
    });
    expect(directory.holder(claim)).toBe(left.userId);
    const { userId } = await byGoogle(shards[0], 'ana');
    expect(directory.holder(claim)).toBe(userId);
    expect(userId).not.toBe(left.userId);
    await directory.at(slotsOf(0)).claim({ kind: 'username', name: 'abandoned' }, left.userId);
    await accounts.recover();
    expect([directory.holder(claim), directory.size]).toEqual([userId, 1]);
  });

  it('refuse a data folder whose key of digests is not theirs', async () => {
    const { store } = shards[0];
    await expect(
      openRuntime({ store, share: async () => ({ sealed: '', digest: 'another' }) }),
    ).rejects.toMatchObject({ code: 'config_invalid' });
  });
});

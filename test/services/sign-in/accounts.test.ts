import { describe, expect, it } from 'vitest';
import { SIGN_IN } from '../../../config/limits.ts';
import { POLYGON_CHAIN } from '../../../config/profiles/profile.ts';
import { AppError } from '../../../src/domain/errors.ts';
import type { UserId } from '../../../src/domain/ids.ts';
import { openRuntime, venueModel } from './identity-runtime.ts';
import { VENUE_B } from '../../support/venue-ids.ts';

const PHONE = '+14155552671';

async function signIn(
  runtime: Awaited<ReturnType<typeof openRuntime>>,
  phone = PHONE,
): Promise<UserId> {
  const { challengeId } = await runtime.sessions.requestCode(phone);
  return (await runtime.sessions.verifyCode(challengeId, runtime.sent.at(-1)?.code ?? '')).userId;
}

describe('a new account', () => {
  it('is signed in while the venue does not answer', async () => {
    const runtime = await openRuntime({
      world: {
        ...venueModel(),
        venue: { ...venueModel().venue, open: () => new Promise(() => undefined) },
      },
    });
    const userId = await signIn(runtime);
    expect(runtime.accounts.profile(userId).account).toBe('preparing');
  });

  it('is ready at one venue while another does not open, which alone is tried again', async () => {
    let tries = 0;
    const open = async () => {
      tries += 1;
      throw new AppError('venue_unavailable', 'down', { retryable: true });
    };
    const accounts = { ...venueModel().venue, open };
    const runtime = await openRuntime({ others: [{ id: VENUE_B, accounts, faucet: null }] });
    const userId = await signIn(runtime);
    await runtime.clock.settle();
    expect(runtime.accounts.profile(userId).account).toBe('ready');
    await runtime.clock.advance(SIGN_IN.activationRetryFirstMs);
    expect([tries, runtime.world.state.opened]).toEqual([2, [userId]]);
    runtime.accounts.stop();
  });

  it('has a key in memory when the sign-in answers, and then by itself a venue account, a grant and its deposits', async () => {
    const runtime = await openRuntime();
    const userId = await signIn(runtime);
    await runtime.clock.settle();
    const profile = runtime.accounts.profile(userId);
    expect([
      profile.account,
      runtime.vault.addressOf(userId),
      runtime.vault.solanaAddressOf(userId),
      runtime.world.state,
    ]).toEqual([
      'ready',
      profile.wallets.evm,
      profile.wallets.solana,
      expect.objectContaining({
        opened: [userId],
        granted: [userId],
        synced: [userId],
      }),
    ]);
  });

  it.each(['open', 'grant', 'grantAnswer', 'sync'] as const)(
    'is finished later, and granted once, when %s fails at first',
    async (step) => {
      const runtime = await openRuntime();
      runtime.world.state.failures[step] = 2;
      const userId = await signIn(runtime);
      await runtime.clock.settle();
      const before = runtime.accounts.profile(userId).account;
      await runtime.clock.advance(SIGN_IN.activationRetryMaximumMs);
      const { opened, granted, synced } = runtime.world.state;
      expect([
        before,
        runtime.accounts.profile(userId).account,
        opened.length,
        granted.length,
        synced.length,
      ]).toEqual(['preparing', 'ready', 1, 1, 1]);
    },
  );

  it.each(['open', 'grant', 'grantAnswer', 'sync'] as const)(
    'is finished by the next start when the process dies after %s failed',
    async (step) => {
      const world = venueModel();
      const runtime = await openRuntime({ world });
      world.state.failures[step] = 1;
      const userId = await signIn(runtime);
      await runtime.clock.settle();
      runtime.accounts.stop();
      const after = await openRuntime({ store: runtime.store.crash(), world, seed: 2 });
      const users = await after.accounts.recover();
      await after.clock.settle();
      expect([
        users,
        after.vault.has(userId),
        after.accounts.profile(userId).account,
        world.state.opened.length,
        world.state.granted.length,
        world.state.synced.length,
      ]).toEqual([[userId], true, 'ready', 1, 1, 1]);
    },
  );

  it('does not start with another master key', async () => {
    const runtime = await openRuntime();
    await signIn(runtime);
    await expect(
      openRuntime({ store: runtime.store.crash(), masterKey: 8, seed: 3 }),
    ).rejects.toMatchObject({ code: 'master_key_wrong' });
  });

  it('does not start with another rule of wallets than its users were made by', async () => {
    const runtime = await openRuntime();
    await signIn(runtime);
    const { wallets } = POLYGON_CHAIN;
    const other = await openRuntime({
      store: runtime.store.crash(),
      seed: 2,
      rule: { ...wallets, safe: { ...wallets.safe, salt: 'packed_owner' } },
    });
    await expect(other.accounts.recover()).rejects.toMatchObject({ code: 'config_invalid' });
  });
});

describe('usernames', () => {
  const attempt = async (
    runtime: Awaited<ReturnType<typeof openRuntime>>,
    userId: UserId,
    name: string,
  ): Promise<unknown> =>
    runtime.accounts.setUsername(userId, name).then(
      ({ username }) => username,
      (error: unknown) => (error instanceof AppError ? error.code : error),
    );

  it('are compared by appearance: lookalikes of a taken name are taken', async () => {
    const runtime = await openRuntime();
    const [one, two] = [await signIn(runtime), await signIn(runtime, '+14155552672')];
    expect(await attempt(runtime, one, 'Modern_1')).toBe('modern_1');
    const lookalikes = ['modern_1', 'MODERN1', 'modem_l', 'm0dern_i', 'ｍｏｄｅｒｎ１'];
    expect(await Promise.all(lookalikes.map((name) => attempt(runtime, two, name)))).toEqual(
      lookalikes.map(() => 'username_taken'),
    );
    expect(await attempt(runtime, two, 'modest')).toBe('modest');
  });

  it('take 3 to 20 plain characters', async () => {
    const runtime = await openRuntime();
    const userId = await signIn(runtime);
    const names = ['ab', 'a'.repeat(21), 'has space', 'sаtoshi', '123', '___', 'a-b-c', ''];
    expect(await Promise.all(names.map((name) => attempt(runtime, userId, name)))).toEqual(
      names.map(() => 'invalid_request'),
    );
  });

  it('can be changed, which frees the old one', async () => {
    const runtime = await openRuntime();
    const [one, two] = [await signIn(runtime), await signIn(runtime, '+14155552672')];
    expect([
      await attempt(runtime, one, 'first'),
      await attempt(runtime, one, 'second'),
      await attempt(runtime, two, 'first'),
      await attempt(runtime, two, 'second'),
    ]).toEqual(['first', 'second', 'first', 'username_taken']);
  });

  it('go to one of two who ask at once', async () => {
    const runtime = await openRuntime();
    const [one, two] = [await signIn(runtime), await signIn(runtime, '+14155552672')];
    expect(
      await Promise.all([attempt(runtime, one, 'same'), attempt(runtime, two, 'same')]),
    ).toEqual(['same', 'username_taken']);
  });
});

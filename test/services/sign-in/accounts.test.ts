import { describe, expect, it } from 'vitest';
import { SIGN_IN } from '../../../config/limits.ts';
import { POLYGON_CHAIN } from '../../../config/profiles/profile.ts';
import { AppError } from '../../../src/domain/errors.ts';
import type { UserId } from '../../../src/domain/ids.ts';
import { openHouse, venueModel } from './identity-house.ts';
import { VENUE_B } from '../../support/venue-ids.ts';

const PHONE = '+14155552671';

async function signIn(
  house: Awaited<ReturnType<typeof openHouse>>,
  phone = PHONE,
): Promise<UserId> {
  const { challengeId } = await house.sessions.requestCode(phone);
  return (await house.sessions.verifyCode(challengeId, house.sent.at(-1)?.code ?? '')).userId;
}

describe('a new account', () => {
  it('is signed in while the venue does not answer', async () => {
    const house = await openHouse({
      world: {
        ...venueModel(),
        venue: { ...venueModel().venue, open: () => new Promise(() => undefined) },
      },
    });
    const userId = await signIn(house);
    expect(house.accounts.profile(userId).account).toBe('preparing');
  });

  it('is ready at one venue while another does not open, which alone is tried again', async () => {
    let tries = 0;
    const open = async () => {
      tries += 1;
      throw new AppError('venue_unavailable', 'down', { retryable: true });
    };
    const accounts = { ...venueModel().venue, open };
    const house = await openHouse({ others: [{ id: VENUE_B, accounts, faucet: null }] });
    const userId = await signIn(house);
    await house.clock.settle();
    expect(house.accounts.profile(userId).account).toBe('ready');
    await house.clock.advance(SIGN_IN.activationRetryFirstMs);
    expect([tries, house.world.state.opened]).toEqual([2, [userId]]);
    house.accounts.stop();
  });

  it('has a key in memory when the sign-in answers, and then by itself a venue account, a grant and its deposits', async () => {
    const house = await openHouse();
    const userId = await signIn(house);
    await house.clock.settle();
    const profile = house.accounts.profile(userId);
    expect([
      profile.account,
      house.vault.addressOf(userId),
      house.vault.solanaAddressOf(userId),
      house.world.state,
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
      const house = await openHouse();
      house.world.state.failures[step] = 2;
      const userId = await signIn(house);
      await house.clock.settle();
      const before = house.accounts.profile(userId).account;
      await house.clock.advance(SIGN_IN.activationRetryMaximumMs);
      const { opened, granted, synced } = house.world.state;
      expect([
        before,
        house.accounts.profile(userId).account,
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
      const house = await openHouse({ world });
      world.state.failures[step] = 1;
      const userId = await signIn(house);
      await house.clock.settle();
      house.accounts.stop();
      const after = await openHouse({ store: house.store.powerCut(), world, seed: 2 });
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
    const house = await openHouse();
    await signIn(house);
    await expect(
      openHouse({ store: house.store.powerCut(), masterKey: 8, seed: 3 }),
    ).rejects.toMatchObject({ code: 'master_key_wrong' });
  });

  it('does not start with another rule of wallets than its users were made by', async () => {
    const house = await openHouse();
    await signIn(house);
    const { wallets } = POLYGON_CHAIN;
    const other = await openHouse({
      store: house.store.powerCut(),
      seed: 2,
      rule: { ...wallets, safe: { ...wallets.safe, salt: 'packed_owner' } },
    });
    await expect(other.accounts.recover()).rejects.toMatchObject({ code: 'config_invalid' });
  });
});

describe('usernames', () => {
  const attempt = async (
    house: Awaited<ReturnType<typeof openHouse>>,
    userId: UserId,
    name: string,
  ): Promise<unknown> =>
    house.accounts.setUsername(userId, name).then(
      ({ username }) => username,
      (error: unknown) => (error instanceof AppError ? error.code : error),
    );

  it('are one to a look: lookalikes of a taken name are taken', async () => {
    const house = await openHouse();
    const [one, two] = [await signIn(house), await signIn(house, '+14155552672')];
    expect(await attempt(house, one, 'Modern_1')).toBe('modern_1');
    const lookalikes = ['modern_1', 'MODERN1', 'modem_l', 'm0dern_i', 'ｍｏｄｅｒｎ１'];
    expect(await Promise.all(lookalikes.map((name) => attempt(house, two, name)))).toEqual(
      lookalikes.map(() => 'username_taken'),
    );
    expect(await attempt(house, two, 'modest')).toBe('modest');
  });

  it('take 3 to 20 plain characters', async () => {
    const house = await openHouse();
    const userId = await signIn(house);
    const names = ['ab', 'a'.repeat(21), 'has space', 'sаtoshi', '123', '___', 'a-b-c', ''];
    expect(await Promise.all(names.map((name) => attempt(house, userId, name)))).toEqual(
      names.map(() => 'invalid_request'),
    );
  });

  it('can be changed, which frees the old one', async () => {
    const house = await openHouse();
    const [one, two] = [await signIn(house), await signIn(house, '+14155552672')];
    expect([
      await attempt(house, one, 'first'),
      await attempt(house, one, 'second'),
      await attempt(house, two, 'first'),
      await attempt(house, two, 'second'),
    ]).toEqual(['first', 'second', 'first', 'username_taken']);
  });

  it('go to one of two who ask at once', async () => {
    const house = await openHouse();
    const [one, two] = [await signIn(house), await signIn(house, '+14155552672')];
    expect(await Promise.all([attempt(house, one, 'same'), attempt(house, two, 'same')])).toEqual([
      'same',
      'username_taken',
    ]);
  });
});

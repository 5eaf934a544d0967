import { beforeEach, describe, expect, it } from 'vitest';
import { LOGIN_ATTEMPTS, SOCIAL_RELAY } from '../../../config/limits/identity.ts';
import { TEST_CLIENT } from '../../../src/services/sign-in/client.ts';
import { openRuntime } from './identity-runtime.ts';

type Runtime = Awaited<ReturnType<typeof openRuntime>>;
let runtime: Runtime;
beforeEach(async () => {
  runtime = await openRuntime();
});

/** Asks about a visit once it may be asked about again. */
async function askLater(visit: string) {
  await runtime.clock.advance(SOCIAL_RELAY.askEveryMs);
  return runtime.federatedIdentity.socialChannelState(visit);
}

describe('a social sign-in on a phone', () => {
  it('waits until the phone has signed, and is then a sign-in like any other', async () => {
    const { federatedIdentity, social, accounts } = runtime;
    const { visit, link } = await federatedIdentity.openSocialChannel();
    expect(await federatedIdentity.socialChannelState(visit)).toEqual({ state: 'waiting' });
    await social.relay.approve(link, 77);
    const signed = await askLater(visit);
    if (signed.state !== 'signed') return expect.unreachable();
    const { userId } = await federatedIdentity.signIn(
      { kind: 'siwf', visit, message: signed.message, signature: signed.signature },
      TEST_CLIENT,
    );
    expect(accounts.profile(userId).identities).toEqual([{ provider: 'siwf', shown: 'fid 77' }]);
    await expect(askLater(visit)).rejects.toMatchObject({ code: 'code_expired' });
    return undefined;
  });

  it('is refused, and over, where the key is of no account', async () => {
    const { federatedIdentity, social, store } = runtime;
    const { visit, link } = await federatedIdentity.openSocialChannel();
    await social.relay.approve(link, 77, 'unregistered');
    const signed = await askLater(visit);
    if (signed.state !== 'signed') return expect.unreachable();
    await expect(
      federatedIdentity.signIn(
        { kind: 'siwf', visit, message: signed.message, signature: signed.signature },
        TEST_CLIENT,
      ),
    ).rejects.toMatchObject({ code: 'sign_in_refused' });
    expect(store.range({ name: 'users' })).toEqual([]);
    await expect(askLater(visit)).rejects.toMatchObject({ code: 'code_expired' });
    return undefined;
  });

  it('asks the relay no more often than it should, whoever asks', async () => {
    const { federatedIdentity, social } = runtime;
    const { visit, link } = await federatedIdentity.openSocialChannel();
    await federatedIdentity.socialChannelState(visit);
    await social.relay.approve(link, 77);
    for (let times = 0; times < 10; times += 1)
      expect(await federatedIdentity.socialChannelState(visit)).toEqual({ state: 'waiting' });
    expect(social.relay.asked.count).toBe(1);
    expect(await askLater(visit)).toMatchObject({ state: 'signed' });
  });

  it('asks about all of them together up to a rate, and has the others wait', async () => {
    const { federatedIdentity, social, clock } = runtime;
    const visits: string[] = [];
    for (let count = 0; count < SOCIAL_RELAY.asksPerSecond + 5; count += 1)
      visits.push((await federatedIdentity.openSocialChannel()).visit);
    for (const visit of visits) await federatedIdentity.socialChannelState(visit);
    expect(social.relay.asked.count).toBe(SOCIAL_RELAY.asksPerSecond);
    await clock.advance(1_000);
    await federatedIdentity.socialChannelState(visits.at(-1) ?? '');
    expect(social.relay.asked.count).toBe(SOCIAL_RELAY.asksPerSecond + 1);
  });

  it('is over once its time has passed, or the relay has forgotten it', async () => {
    const { federatedIdentity, social, clock } = runtime;
    const { visit } = await federatedIdentity.openSocialChannel();
    social.relay.forget();
    await expect(federatedIdentity.socialChannelState(visit)).rejects.toMatchObject({
      code: 'code_expired',
    });
    const { visit: late } = await federatedIdentity.openSocialChannel();
    await clock.advance(LOGIN_ATTEMPTS.visitLifeMs);
    await expect(federatedIdentity.socialChannelState(late)).rejects.toMatchObject({
      code: 'code_expired',
    });
  });

  it('goes on after a restart, since the channel lies with the visit', async () => {
    const { federatedIdentity, store } = runtime;
    const { visit } = await federatedIdentity.openSocialChannel();
    const again = await openRuntime({ store });
    expect(JSON.stringify(store.range({ name: 'login_attempts' }))).not.toContain('CHANNEL-1');
    // the relay of the second runtime has never heard of it, which only who knows the channel asks
    await expect(again.federatedIdentity.socialChannelState(visit)).rejects.toMatchObject({
      code: 'code_expired',
      message: 'no such channel',
    });
  });

  it('has no state where the visit began without one', async () => {
    const { federatedIdentity } = runtime;
    const { visit } = await federatedIdentity.beginSocial();
    await expect(federatedIdentity.socialChannelState(visit)).rejects.toMatchObject({
      code: 'invalid_request',
      fields: [{ path: '/visit' }],
    });
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import { createEvmChain } from '../../../src/adapters/evm/evm-chain.ts';
import { createOpenId } from '../../../src/adapters/open-id/open-id.ts';
import { createSocialRegistry } from '../../../src/adapters/siwf/registry.ts';
import { createSiwf } from '../../../src/adapters/siwf/siwf.ts';
import { startOpenId } from '../../../src/sandbox/identity/open-id/open-id.ts';
import { startSocial } from '../../../src/sandbox/identity/social/social.ts';
import { HOUSE_CLIENT } from '../../../src/services/sign-in/client.ts';
import { createOtherHouses } from '../../../src/services/sign-in/other-houses.ts';
import { createBrowser } from '../../support/stands/browser.ts';
import { createCountingMetrics } from '../../support/counting-metrics.ts';
import { openHouse } from './identity-house.ts';

const CLIENT = {
  clientId: 'predictd',
  clientSecret: 'a secret of the tests',
  returnTo: 'http://127.0.0.1:8787/sign-in/google',
};
const OURS = { domain: '127.0.0.1:8787', uri: 'http://127.0.0.1:8787/sign-in/social' };
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

/** A house whose other houses are real servers. */
async function wired() {
  const house = await openHouse();
  const [provider, relay] = [
    await startOpenId({ client: CLIENT }),
    await startSocial({ clock: house.clock, seed: 3 }),
  ];
  open.push(provider, relay);
  const chain = createEvmChain({
    chainId: 10,
    rpcUrl: relay.url,
    metrics: createCountingMetrics(),
  });
  const otherHouses = createOtherHouses({
    ...house,
    google: createOpenId({ ...CLIENT, issuer: provider.url }),
    social: { ...OURS, login: createSiwf(createSocialRegistry(chain)) },
  });
  return { ...house, otherHouses, relayUrl: relay.url };
}

describe('sign-in over the wire', () => {
  it('takes a browser to a real provider and back into one account, once', async () => {
    const { otherHouses, accounts } = await wired();
    const { visit, url } = await otherHouses.beginGoogle();
    const returnedTo = await createBrowser().open(
      `${url}&login_hint=bob@example.org`,
      CLIENT.returnTo,
    );
    const { userId } = await otherHouses.signIn(
      { kind: 'google', visit, returnedTo },
      HOUSE_CLIENT,
    );
    const other = await otherHouses.beginGoogle();
    await expect(
      otherHouses.signIn({ kind: 'google', visit: other.visit, returnedTo }, HOUSE_CLIENT),
    ).rejects.toMatchObject({ code: 'sign_in_refused' });
    await expect(
      otherHouses.signIn({ kind: 'google', visit, returnedTo }, HOUSE_CLIENT),
    ).rejects.toMatchObject({ code: 'code_expired' });
    expect(accounts.profile(userId).identities).toEqual([
      { provider: 'google', shown: 'b•••@example.org' },
    ]);
  });

  it('takes the message that somebody signed on their telephone', async () => {
    const { otherHouses, accounts, relayUrl } = await wired();
    const { visit, domain, uri, nonce } = await otherHouses.beginSocial();
    const read = async (answer: Promise<Response>): Promise<Record<string, unknown>> =>
      (await (await answer).json()) as Record<string, unknown>; // the relay answers objects
    const channel = await read(
      fetch(`${relayUrl}/v1/channel`, {
        method: 'POST',
        body: JSON.stringify({ siweUri: uri, domain, nonce }),
      }),
    );
    await read(fetch(`${String(channel.url)}&fid=77`));
    const { message, signature } = await read(
      fetch(`${relayUrl}/v1/channel/status`, {
        headers: { authorization: `Bearer ${String(channel.channelToken)}` },
      }),
    );
    const { userId } = await otherHouses.signIn(
      { kind: 'siwf', visit, message: String(message), signature: String(signature) },
      HOUSE_CLIENT,
    );
    expect(accounts.profile(userId).identities).toEqual([{ provider: 'siwf', shown: 'fid 77' }]);
  });

  it('is not available, and refuses nobody, while the other house is away', async () => {
    const { otherHouses, store } = await wired();
    const { visit } = await otherHouses.beginSocial();
    await Promise.all(open.splice(0).map((server) => server.close()));
    await expect(otherHouses.beginGoogle()).rejects.toMatchObject({
      code: 'sign_in_unavailable',
      retryable: true,
    });
    await expect(
      otherHouses.signIn({ kind: 'siwf', visit, message: 'x', signature: '0xab' }, HOUSE_CLIENT),
    ).rejects.toMatchObject({ code: 'sign_in_refused' });
    expect(store.range({ name: 'users' })).toEqual([]);
  });
});

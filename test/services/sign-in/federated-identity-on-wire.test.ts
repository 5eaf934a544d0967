import { afterEach, describe, expect, it } from 'vitest';
import { createEvmChain } from '../../../src/adapters/evm/evm-chain.ts';
import { createOpenId } from '../../../src/adapters/open-id/open-id.ts';
import { createSocialRelay } from '../../../src/adapters/siwf/relay.ts';
import { createSocialRegistry } from '../../../src/adapters/siwf/registry.ts';
import { createSiwf } from '../../../src/adapters/siwf/siwf.ts';
import { startOpenId } from '../../../src/sandbox/identity/open-id/open-id.ts';
import { startSocial } from '../../../src/sandbox/identity/social/social.ts';
import { TEST_CLIENT } from '../../../src/services/sign-in/client.ts';
import { createFederatedIdentity } from '../../../src/services/sign-in/federated-identity.ts';
import { createBrowser } from '../../support/fixtures/browser.ts';
import { createCountingMetrics } from '../../support/counting-metrics.ts';
import { openRuntime } from './identity-runtime.ts';

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

/** A service whose other identity providers are real servers. */
async function wired() {
  const runtime = await openRuntime();
  const [provider, relay] = [
    await startOpenId({ client: CLIENT }),
    await startSocial({ clock: runtime.clock, seed: 3 }),
  ];
  const socialRelay = createSocialRelay({ baseUrl: relay.url });
  open.push(provider, relay, socialRelay);
  const chain = createEvmChain({
    chainId: 10,
    rpcUrl: relay.url,
    metrics: createCountingMetrics(),
  });
  const federatedIdentity = createFederatedIdentity({
    ...runtime,
    google: createOpenId({ ...CLIENT, issuer: provider.url }),
    social: {
      ...OURS,
      relay: socialRelay,
      login: createSiwf(createSocialRegistry(chain)),
    },
  });
  return { ...runtime, federatedIdentity };
}

describe('sign-in over the wire', () => {
  it('takes a browser to a real provider and back into one account, once', async () => {
    const { federatedIdentity, accounts } = await wired();
    const { visit, url } = await federatedIdentity.beginGoogle();
    const returnedTo = await createBrowser().open(
      `${url}&login_hint=bob@example.org`,
      CLIENT.returnTo,
    );
    const { userId } = await federatedIdentity.signIn(
      { kind: 'google', visit, returnedTo },
      TEST_CLIENT,
    );
    const other = await federatedIdentity.beginGoogle();
    await expect(
      federatedIdentity.signIn({ kind: 'google', visit: other.visit, returnedTo }, TEST_CLIENT),
    ).rejects.toMatchObject({ code: 'sign_in_refused' });
    await expect(
      federatedIdentity.signIn({ kind: 'google', visit, returnedTo }, TEST_CLIENT),
    ).rejects.toMatchObject({ code: 'code_expired' });
    expect(accounts.profile(userId).identities).toEqual([
      { provider: 'google', shown: 'b•••@example.org' },
    ]);
  });

  it('takes the message that a user signed on their telephone', async () => {
    const { federatedIdentity, accounts } = await wired();
    const { visit, link } = await federatedIdentity.openSocialChannel();
    await fetch(`${link}&fid=77`);
    const signed = await federatedIdentity.socialChannelState(visit);
    if (signed.state !== 'signed') return expect.unreachable();
    const { message, signature } = signed;
    const { userId } = await federatedIdentity.signIn(
      { kind: 'siwf', visit, message, signature },
      TEST_CLIENT,
    );
    expect(accounts.profile(userId).identities).toEqual([{ provider: 'siwf', shown: 'fid 77' }]);
  });

  it('is not available, and is no refusal, while the other identity provider is away', async () => {
    const { federatedIdentity, store } = await wired();
    const { visit } = await federatedIdentity.beginSocial();
    await Promise.all(open.splice(0).map((server) => server.close()));
    for (const begin of [federatedIdentity.beginGoogle, federatedIdentity.openSocialChannel])
      await expect(begin()).rejects.toMatchObject({
        code: 'sign_in_unavailable',
        retryable: true,
      });
    await expect(
      federatedIdentity.signIn(
        { kind: 'siwf', visit, message: 'x', signature: '0xab' },
        TEST_CLIENT,
      ),
    ).rejects.toMatchObject({ code: 'sign_in_refused' });
    expect(store.range({ name: 'users' })).toEqual([]);
  });
});

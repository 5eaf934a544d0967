import { createOpenId } from '../../src/adapters/open-id/open-id.ts';
import { startOpenId } from '../../src/sandbox/identity/open-id/open-id.ts';
import { createBrowser } from '../support/fixtures/browser.ts';
import { createModelGoogle } from '../support/fakes/model-identity-providers.ts';
import { describeOpenId } from './open-id.ts';

const CLIENT = {
  clientId: 'predictd',
  clientSecret: 'a secret of the tests',
  returnTo: 'http://127.0.0.1:8787/sign-in/google',
};

describeOpenId('the model', async () => {
  const provider = createModelGoogle();
  return {
    provider,
    visit: async (url, email) => provider.visit(url, { subject: `of-${email}`, email }),
    end: async () => undefined,
  };
});

describeOpenId('a real provider over the wire', async () => {
  const server = await startOpenId({ client: CLIENT });
  return {
    provider: createOpenId({ ...CLIENT, issuer: server.url }),
    visit: (url, email) =>
      createBrowser().open(`${url}&login_hint=${encodeURIComponent(email)}`, CLIENT.returnTo),
    end: () => server.close(),
  };
});

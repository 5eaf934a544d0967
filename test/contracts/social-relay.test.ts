import { createWallClock } from '../../src/adapters/clock/wall-clock.ts';
import { createSocialRelay } from '../../src/adapters/siwf/relay.ts';
import { startSocial } from '../../src/sandbox/identity/social/social.ts';
import { createModelSocial } from '../support/fakes/model-identity-providers.ts';
import { describeSocialRelay } from './social-relay.ts';

describeSocialRelay('the model', async () => {
  const { relay } = createModelSocial(() => 1_800_000_000_000);
  return { relay, approve: relay.approve, end: async () => undefined };
});

describeSocialRelay('the wire', async () => {
  const server = await startSocial({ clock: createWallClock(), seed: 9 });
  const relay = createSocialRelay({ baseUrl: server.url });
  return {
    relay,
    async approve(link, fid) {
      await fetch(`${link}&fid=${fid}`);
    },
    async end() {
      await relay.close();
      await server.close();
    },
  };
});

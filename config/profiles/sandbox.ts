import type { Environment } from '../schema.ts';
import { readFeeds } from './feeds.ts';
import { readIdentity } from './identity.ts';
import { readIndexer } from './indexer.ts';
import { DATA_STREAMS_FEEDS, POLYGON_CHAIN, type Profile } from './profile.ts';
import { readPush } from './push.ts';
import { safeServices, venueAMoney } from './venue-a-contracts.ts';
import { venueSettings } from './venues.ts';

/**
 * Everything on this machine: the daemon, and its outside world behind loopback sockets on a scaled
 * clock.
 */
export function sandboxProfile(environment: Environment): Profile {
  const own = `http://127.0.0.1:${environment.PREDICTD_PORT}`;
  return {
    name: 'sandbox',
    world: {
      seed: environment.PREDICTD_SANDBOX_SEED,
      pricesFile: environment.PREDICTD_SANDBOX_PRICES ?? null,
      faults: (environment.PREDICTD_SANDBOX_FAULTS ?? '')
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== ''),
    },
    endpoints: null,
    // The sandbox's own services check these for real; they open nothing else.
    credentials: {
      inferenceKey: 'UP-sandbox',
      dataStreams: {
        key: 'b2d6f1a0-5c1e-4c53-9d0e-8a1f4c2e7b90',
        secret: 'sandbox-data-streams-secret',
      },
      routerKey: null,
      pinningKey: 'sandbox-pinning-key',
      geckoKey: null,
      indexer: readIndexer(environment),
      assessor: { key: 'sandbox-language-model', model: 'sandbox-reader' },
      relayer: {
        key: '5b0c1f8e-9a4d-4c62-8f37-d1e2a3b4c5d6',
        secret: 'c2FuZGJveC1yZWxheWVyLXNlY3JldA==',
        passphrase: 'sandbox-relayer',
      },
    },
    feeds: readFeeds(environment),
    chain: POLYGON_CHAIN,
    money: venueAMoney(environment),
    venues: venueSettings(environment, { runs: 'sandbox', ownPage: `${own}/` }),
    safeServices,
    dataStreamsFeeds: DATA_STREAMS_FEEDS,
    clockScale: environment.PREDICTD_SANDBOX_SPEED,
    demoUser: true,
    grantUsdcMicros: 1_000_000_000,
    push: readPush(environment, { contact: 'mailto:operator@predictd.invalid' }),
    identity: readIdentity(environment, {
      codes: 'shown',
      google: {
        clientId: 'predictd-sandbox',
        clientSecret: 'sandbox-openid-client-secret',
        returnTo: environment.PREDICTD_GOOGLE_RETURN_URL ?? `${own}/sign-in/google`,
      },
      social: {
        domain: environment.PREDICTD_SOCIAL_DOMAIN ?? new URL(own).host,
        uri: environment.PREDICTD_SOCIAL_URI ?? `${own}/sign-in/social`,
      },
    }),
  };
}

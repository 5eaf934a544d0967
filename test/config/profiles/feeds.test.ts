import { describe, expect, it } from 'vitest';
import { linkSecrets, readFeeds } from '../../../config/profiles/feeds.ts';
import { liveProfile } from '../../../config/profiles/live.ts';
import { readEnvironment } from '../../../config/schema.ts';

const SECRET = 'a secret that is long enough for links';
const URLS = 'http://10.0.0.7:8790, https://feed.example.com/';
const LIVE = {
  PREDICTD_PROFILE: 'live',
  PREDICTD_POLYGON_RPC_URL: 'https://polygon.example.com',
  PREDICTD_BASE_RPC_URL: 'https://base.example.com',
  PREDICTD_SOLANA_RPC_URL: 'https://solana.example.com',
};
const feedsOf = (settings: Readonly<Record<string, string>>) =>
  readFeeds(readEnvironment({ PREDICTD_PROFILE: 'live', ...settings }));

describe('where prices and books are read', () => {
  it('is at their sources, unless feeds are named', () => {
    expect([feedsOf({}), feedsOf({ PREDICTD_ROLE: 'feed', PREDICTD_LINK_SECRET: SECRET })]).toEqual(
      [null, null],
    );
    expect(
      feedsOf({ PREDICTD_FEED_URLS: URLS, PREDICTD_LINK_SECRET: `${SECRET},${SECRET}2` }),
    ).toEqual({ urls: ['http://10.0.0.7:8790', 'https://feed.example.com'], secret: SECRET });
  });

  it.each([
    ['feeds of a feed', { PREDICTD_ROLE: 'feed', PREDICTD_FEED_URLS: URLS }, 'PREDICTD_ROLE=feed'],
    ['a secret for no link', { PREDICTD_LINK_SECRET: SECRET }, 'goes with PREDICTD_FEED_URLS'],
    ['feeds without a secret', { PREDICTD_FEED_URLS: URLS }, 'PREDICTD_LINK_SECRET must be'],
    [
      'a short secret',
      { PREDICTD_FEED_URLS: URLS, PREDICTD_LINK_SECRET: 'short' },
      'at least 32 characters',
    ],
    [
      'feeds of a sandbox',
      { PREDICTD_PROFILE: 'sandbox', PREDICTD_FEED_URLS: URLS, PREDICTD_LINK_SECRET: SECRET },
      'the sandbox profile takes no PREDICTD_FEED_URLS',
    ],
    [
      'a password in an address',
      { PREDICTD_FEED_URLS: 'http://me:pass@10.0.0.7' },
      'addresses of feeds',
    ],
    ['what is no address', { PREDICTD_FEED_URLS: 'feed' }, 'addresses of feeds'],
    ['an address of another kind', { PREDICTD_FEED_URLS: 'ws://10.0.0.7' }, 'addresses of feeds'],
  ])('is refused for %s', (_, settings, sentence) => {
    expect(() => feedsOf(settings)).toThrow(sentence);
  });

  it('takes two secrets while one replaces the other, and no more', () => {
    const secretsOf = (PREDICTD_LINK_SECRET: string) =>
      linkSecrets(readEnvironment({ PREDICTD_LINK_SECRET }));
    expect(secretsOf(`${SECRET},${SECRET}2`)).toEqual([SECRET, `${SECRET}2`]);
    expect(() => secretsOf(`${SECRET},${SECRET},${SECRET}`)).toThrow(
      'PREDICTD_LINK_SECRET must be',
    );
  });
});

describe('what the live profile insists on', () => {
  const profileOf = (settings: Readonly<Record<string, string>>) =>
    liveProfile(readEnvironment({ ...LIVE, ...settings }));

  it('is no master key of a feed, and no key of the inference network where feeds ask it', () => {
    const asked = { PREDICTD_INFERENCE_KEY: 'UP-x' };
    const sealed = { PREDICTD_MASTER_KEY: 'a1'.repeat(32) };
    const linked = { PREDICTD_FEED_URLS: URLS, PREDICTD_LINK_SECRET: SECRET };
    expect(profileOf({ PREDICTD_ROLE: 'feed', ...asked }).credentials.inferenceKey).toBe('UP-x');
    expect(profileOf({ ...sealed, ...linked }).feeds?.urls.length).toBe(2);
    expect(() => profileOf(asked)).toThrow('needs PREDICTD_MASTER_KEY');
    expect(() => profileOf(sealed)).toThrow('needs PREDICTD_INFERENCE_KEY');
    expect(() => profileOf({ PREDICTD_ROLE: 'feed' })).toThrow('needs PREDICTD_INFERENCE_KEY');
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { liveProfile } from '../../../config/profiles/live.ts';
import { readEnvironment } from '../../../config/schema.ts';
import { calledHosts, hostChecks } from '../../../src/app/doctor/host-checks.ts';
import { probeHost, type HostProbe } from '../../../src/app/doctor/host-probe.ts';
import { startStubServer, type StubServer } from '../../support/fixtures/stub-server.ts';

const LIVE = {
  PREDICTD_PROFILE: 'live',
  PREDICTD_MASTER_KEY: 'ab'.repeat(32),
  PREDICTD_INFERENCE_KEY: 'inference',
  PREDICTD_POLYGON_RPC_URL: 'https://me:pass@node.example/v2/polygon-key-1234567890',
  PREDICTD_BASE_RPC_URL: 'https://node.example/base?key=base-key-1234',
  PREDICTD_SOLANA_RPC_URL: 'https://solana.example',
} as const;
const DAY_MS = 86_400_000;
const NOW = 1_800_000_000_000;

let stub: StubServer;
beforeEach(async () => {
  stub = await startStubServer();
});
afterEach(() => stub.close());

function hostsOf(settings: Readonly<Record<string, string>>): readonly string[] {
  const profile = liveProfile(readEnvironment({ ...LIVE, ...settings }));
  if (profile.endpoints === null) throw new Error('the live profile has its endpoints');
  return calledHosts(profile.endpoints, profile);
}

describe('the hosts that are called', () => {
  it('are named once each, without user, path and query', () => {
    const hosts = hostsOf({});
    expect(hosts).toContain('https://node.example');
    expect(hosts.length).toBe(new Set(hosts).size);
    expect(hosts.filter((host) => /key|pass|me:/.test(host))).toEqual([]);
  });

  it('are those of services that are on', () => {
    const google = {
      PREDICTD_GOOGLE_CLIENT_ID: 'us',
      PREDICTD_GOOGLE_CLIENT_SECRET: 'secret',
      PREDICTD_GOOGLE_RETURN_URL: 'https://app.example/back',
    };
    const twilio = {
      PREDICTD_TWILIO_SERVICE: `VA${'0'.repeat(32)}`,
      PREDICTD_TWILIO_ACCOUNT: `AC${'0'.repeat(32)}`,
      PREDICTD_TWILIO_SECRET: 'token',
    };
    const more = hostsOf({ ...google, ...twilio, PREDICTD_PINNING_KEY: 'key' });
    expect(more.filter((host) => !hostsOf({}).includes(host)).sort()).toEqual([
      'https://accounts.google.com',
      'https://api.pinata.cloud',
      'https://verify.twilio.com',
    ]);
  });
});

describe('the hosts that are called by one that reads from feeds', () => {
  it('are the feeds, and not those that feeds call for it', () => {
    const linked = hostsOf({
      PREDICTD_FEED_URLS: 'http://10.0.0.7:8790,http://10.0.0.8:8790',
      PREDICTD_LINK_SECRET: 'a secret that is long enough for links',
    });
    expect(linked.filter((host) => !hostsOf({}).includes(host))).toEqual([
      'http://10.0.0.7:8790',
      'http://10.0.0.8:8790',
    ]);
    expect(hostsOf({}).filter((host) => !linked.includes(host))).toEqual([
      'https://api.allora.network',
      'https://data-api.binance.vision',
      'https://data-stream.binance.vision',
    ]);
  });
});

describe('a host', () => {
  it('is asked for the head of its root alone, and shows its clock', async () => {
    stub.behaviour.answer = () => ({ status: 404, headers: { date: new Date().toUTCString() } });
    const probe = await probeHost(stub.socketUrl, 5_000);
    expect(probe).toMatchObject({ status: 404, certificateEndsAtMs: null, foundMs: null });
    expect(Math.abs(probe.clockAheadMs ?? Number.NaN)).toBeLessThan(60_000);
    expect(stub.requests.map(({ path }) => path)).toEqual(['/']);
  });

  it('that takes no connection, or lets go of it, fails by its code', async () => {
    stub.behaviour.answer = () => 'reset';
    await expect(probeHost(stub.httpUrl, 5_000)).rejects.toThrow('ECONNRESET');
    stub.behaviour.answer = () => 'hang';
    await expect(probeHost(stub.httpUrl, 20)).rejects.toThrow('no answer within 0.02 s');
    await stub.close();
    await expect(probeHost(stub.httpUrl, 5_000)).rejects.toThrow('ECONNREFUSED');
    stub = await startStubServer();
  });

  it.each<readonly [Partial<HostProbe>, string, RegExp]>([
    [{ certificateEndsAtMs: null }, 'ok', /answered 200 in 30 ms$/],
    [{ foundMs: 5 }, 'ok', /^found in 5 ms, connected in 20 ms/],
    [{ certificateEndsAtMs: NOW + 90 * DAY_MS }, 'ok', /lasts 90 days/],
    [{ certificateEndsAtMs: NOW + 3 * DAY_MS }, 'warn', /ends in 3 days/],
    [{ certificateEndsAtMs: NOW - 2 * DAY_MS }, 'fail', /ended 2 days ago/],
  ])('that shows %j is %s', async (shown, level, sentence) => {
    const probe: HostProbe = {
      foundMs: null,
      connectedMs: 20,
      answeredMs: 30,
      status: 200,
      certificateEndsAtMs: null,
      clockAheadMs: null,
      ...shown,
    };
    const [check] = hostChecks({
      hosts: ['https://host.example'],
      probe: async () => probe,
      nowMs: () => NOW,
    });
    expect(check?.name).toBe('host host.example');
    expect(await check?.run()).toMatchObject({ level, sentence: expect.stringMatching(sentence) });
  });
});

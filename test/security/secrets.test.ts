import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { killDaemons, startDaemon, type Daemon, type Settings } from '../crash/support/daemon.ts';
import { openMoneyEnvironment, type MoneyEnvironment } from '../crash/support/money-environment.ts';
import { worldSettings } from '../crash/support/world-settings.ts';
import { WORLD_CREDENTIALS } from '../support/worlds/small-world.ts';
import { liveSecretDay, type SecretDay } from './secrets-day.ts';
import { filesBelow, leaks, type Canary, type Place } from './secrets.ts';

const CRASHER = fileURLToPath(new URL('secrets-crash.mjs', import.meta.url));
const hex = (): string => randomBytes(32).toString('hex');

/** What the operator gives the daemon. Each is drawn, so that finding one is no chance. */
const SERVICE = {
  masterKey: hex(),
  internal: `internal-${hex()}`,
  push: randomBytes(32).toString('base64url'),
  google: `google-${hex()}`,
};

let environment: MoneyEnvironment;
let folder: string;
let day: SecretDay;
const printed: Place[] = [];
let crashEnding: Awaited<Daemon['ended']>;

function settings(): Settings {
  const { telephone, world } = environment;
  return {
    ...worldSettings(world),
    PREDICTD_PROFILE: 'live',
    PREDICTD_LOG_LEVEL: 'debug',
    PREDICTD_DATA: join(folder, 'data'),
    PREDICTD_MASTER_KEY: SERVICE.masterKey,
    PREDICTD_INTERNAL_SECRET: SERVICE.internal,
    PREDICTD_PUSH_CONTACT: 'mailto:operator@predictd.invalid',
    PREDICTD_PUSH_PRIVATE_KEY: SERVICE.push,
    PREDICTD_GOOGLE_CLIENT_ID: 'us',
    PREDICTD_GOOGLE_CLIENT_SECRET: SERVICE.google,
    PREDICTD_GOOGLE_RETURN_URL: 'http://127.0.0.1:1/back',
    PREDICTD_GOOGLE_ISSUER: 'http://127.0.0.1:1',
    PREDICTD_TWILIO_URL: telephone.url,
    PREDICTD_TWILIO_SERVICE: telephone.serviceSid,
    PREDICTD_TWILIO_ACCOUNT: telephone.username,
    PREDICTD_TWILIO_SECRET: telephone.password,
  };
}

function keep(name: string, life: Daemon): void {
  printed.push(
    { name: `${name}: standard output`, bytes: Buffer.from(life.printed()) },
    { name: `${name}: standard error, the log`, bytes: Buffer.from(life.complained()) },
  );
}

/** Secrets of the service that come by its settings. */
function runtimeCanaries(): readonly Canary[] {
  const { inferenceKey, dataStreams, relayer } = WORLD_CREDENTIALS;
  return [
    { name: 'the master key', value: SERVICE.masterKey },
    { name: 'the internal secret', value: SERVICE.internal },
    { name: 'the push key', value: SERVICE.push },
    { name: 'the client secret at Google', value: SERVICE.google },
    { name: 'the password at the telephone service', value: environment.telephone.password },
    { name: 'the key of the inference network', value: inferenceKey },
    { name: 'the secret of the oracle', value: dataStreams.secret },
    { name: 'the secret of the relayer', value: relayer.secret },
    { name: 'the passphrase of the relayer', value: relayer.passphrase },
  ];
}

/**
 * Credentials at the venue: the key's id is part of every order's body, its secret and passphrase
 * of nothing.
 */
function venueCanaries(): readonly Canary[] {
  return environment.world.venues.venue_a.exchange.keys.all().flatMap(({ secret, passphrase }) => [
    { name: 'a secret at the venue', value: secret },
    { name: 'a passphrase at the venue', value: passphrase },
  ]);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'predictd-secrets-'));
  environment = await openMoneyEnvironment('answers get lost');
  const first = startDaemon(settings());
  day = await liveSecretDay({ environment, daemon: first, internalSecret: SERVICE.internal });
  first.signal('SIGKILL');
  await first.ended;
  keep('the life that was killed', first);
  const second = startDaemon(settings(), { preload: CRASHER });
  await second.url();
  second.signal('SIGUSR2');
  crashEnding = await second.ended;
  keep('the life that crashed', second);
}, 600_000);

afterAll(async () => {
  await killDaemons();
  await environment.close();
  rmSync(folder, { recursive: true, force: true });
});

const all = (): readonly Canary[] => [...runtimeCanaries(), ...venueCanaries(), ...day.canaries];

describe('L12: secrets stay in, over a day with sign-in, keys, orders, an export and a withdrawal under faults, killed and crashed:', () => {
  it('the day has met each kind of secret', () => {
    expect([...new Set(day.canaries.map(({ name }) => name))].sort()).toEqual([
      'a one-time code',
      'a refresh token',
      'a token',
      'an API key',
      'the EVM key',
      'the Solana key',
      'the phone number',
    ]);
    expect(day.canaries.every(({ value }) => value.length >= 6)).toBe(true);
    expect(venueCanaries().length).toBeGreaterThan(0);
  });

  it('none is printed or logged at the level debug', () => {
    expect(printed.some(({ bytes }) => bytes.includes('"event":"order.state"'))).toBe(true);
    expect(leaks(all(), printed)).toEqual([]);
  });

  it('none is in an answer but the one that gives it, nor in a metric', () => {
    expect(day.answers.length).toBeGreaterThan(20);
    expect(leaks(all(), day.answers)).toEqual([]);
  });

  it('none lies in the data folder as it is, nor as its bytes', () => {
    const files = filesBelow(join(folder, 'data'));
    expect(files.some(({ bytes }) => bytes.length > 10_000)).toBe(true);
    expect(leaks(all(), files)).toEqual([]);
  });

  it('an uncaught error ends the process with its message and stack, and without the request inside it', () => {
    const words = printed.at(-1)?.bytes.toString() ?? '';
    expect(crashEnding).toEqual({ code: 70, signal: null });
    expect(words).toContain('request failed');
    expect(words).toContain('secrets-crash.mjs');
    expect(words).not.toContain('headers');
  });

  it('a start that is refused says which setting is wrong, and not what was in it', async () => {
    const broken = {
      PREDICTD_MASTER_KEY: `${SERVICE.masterKey}ff`,
      PREDICTD_PUSH_PRIVATE_KEY: `${SERVICE.push}!`,
      PREDICTD_TWILIO_SERVICE: `VA-${SERVICE.internal}`,
      PREDICTD_POLYGON_RPC_URL: `not an address with ${SERVICE.google}`,
    };
    for (const [name, value] of Object.entries(broken)) {
      const refused = startDaemon({ ...settings(), [name]: value });
      expect(await refused.ended).toEqual({ code: 2, signal: null });
      expect(refused.complained()).toContain(name);
      expect(
        leaks(runtimeCanaries(), [
          { name, bytes: Buffer.from(refused.printed() + refused.complained()) },
        ]),
      ).toEqual([]);
    }
  });
});

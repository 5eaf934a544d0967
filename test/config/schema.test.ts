import { describe, expect, it } from 'vitest';
import { readEnvironment } from '../../config/schema.ts';

function refusal(source: Record<string, string>): string {
  try {
    readEnvironment(source);
    return 'accepted';
  } catch (error) {
    return error instanceof Error ? error.message : 'not an error';
  }
}

describe('readEnvironment', () => {
  it('binds loopback, port 8787 and .predictd unless set otherwise', () => {
    const environment = readEnvironment({ PATH: '/bin' });
    expect([
      environment.PREDICTD_HOST,
      environment.PREDICTD_PORT,
      environment.PREDICTD_DATA,
      environment.PREDICTD_PROFILE,
    ]).toEqual(['127.0.0.1', 8787, '.predictd', 'sandbox']);
  });

  it('refuses a variable it does not know, by name', () => {
    expect(refusal({ PREDICTD_QUIET: '1' })).toBe(
      'PREDICTD_QUIET is not a setting of predictd; all settings are in config/README.md.',
    );
  });

  it.each([
    ['PREDICTD_PROT', 'PREDICTD_PORT'],
    ['PREDICTD_PORTS', 'PREDICTD_PORT'],
    ['PREDICTD_SANDBOX_FAULT', 'PREDICTD_SANDBOX_FAULTS'],
    ['PREDICTD_MASTERKEY', 'PREDICTD_MASTER_KEY'],
  ])('names the setting that %s was likely meant for', (name, meant) => {
    expect(refusal({ [name]: '1' })).toBe(
      `${name} is not a setting of predictd, ${meant} is; all settings are in config/README.md.`,
    );
  });

  it.each([
    ['PREDICTD_PORT', '70000'],
    ['PREDICTD_PORT', '8e3'],
    ['PREDICTD_PORT', ''],
    ['PREDICTD_PROFILE', 'prod'],
    ['PREDICTD_MASTER_KEY', 'short'],
    ['PREDICTD_CLOB_URL', 'ftp://example.org'],
    ['PREDICTD_SANDBOX_SPEED', '0'],
    ...[
      '*',
      'https://app.example.com/',
      'https://APP.example.com',
      'app.example.com',
      'https://a.example, https://b.example',
      'https://a.example:443',
      'null',
      '',
    ].map((origins) => ['PREDICTD_CORS_ORIGINS', origins]),
    ...['', '10.0.0', '10.0.0.0/8', 'proxy.internal', '10.0.0.1,,10.0.0.2'].map((proxies) => [
      'PREDICTD_TRUSTED_PROXIES',
      proxies,
    ]),
    ['PREDICTD_METRICS_ACCESS', 'everybody'],
    ['PREDICTD_HTTP_SERVER', 'nginx'],
  ])('refuses %s = %j in one sentence that names it', (name, value) => {
    expect(refusal({ [name]: value })).toMatch(new RegExp(`^${name} must be [^\\n]+\\.$`));
  });

  it('takes exact origins whose pages may call, and none unless set', () => {
    expect(readEnvironment({}).PREDICTD_CORS_ORIGINS).toEqual([]);
    expect(
      readEnvironment({ PREDICTD_CORS_ORIGINS: 'https://app.example.com,http://localhost:5173' })
        .PREDICTD_CORS_ORIGINS,
    ).toEqual(['https://app.example.com', 'http://localhost:5173']);
  });

  it('takes addresses of proxies, and none by default', () => {
    expect(readEnvironment({}).PREDICTD_TRUSTED_PROXIES).toEqual([]);
    expect(
      readEnvironment({ PREDICTD_TRUSTED_PROXIES: '127.0.0.1, fd00::1' }).PREDICTD_TRUSTED_PROXIES,
    ).toEqual(['127.0.0.1', 'fd00::1']);
  });

  it('L12: never repeats a malformed master key', () => {
    expect(refusal({ PREDICTD_MASTER_KEY: 'deadbeefsecret' })).not.toContain('deadbeefsecret');
  });
});

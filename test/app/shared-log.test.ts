import { describe, expect, it } from 'vitest';
import { createPromMetrics } from '../../src/adapters/metrics/prom-metrics.ts';
import { profileOf } from '../../src/app/profiles.ts';
import { openSharedLog, openUserDirectory } from '../../src/app/shared-log.ts';
import { readEnvironment } from '../../config/schema.ts';

const KEY = { PREDICTD_LOG_URLS: 'postgres://predictd@127.0.0.1:1/predictd' };

describe('the log that several machines keep', () => {
  const open = async (
    variables: Readonly<Record<string, string>>,
    name: 'live' | 'sandbox' = 'live',
  ) => {
    const environment = readEnvironment(variables);
    await openUserDirectory(
      environment,
      name === 'sandbox' ? profileOf(readEnvironment({})) : { name, world: null },
    );
    return openSharedLog(environment, {
      path: 'nowhere',
      version: '0',
      metrics: createPromMetrics(),
      ending: new AbortController().signal,
      print: () => undefined,
      lost: () => undefined,
    });
  };

  it('is this machine’s alone without an address', async () => {
    expect(await open({})).toBeNull();
  });

  it.each<[string, Readonly<Record<string, string>>, 'live' | 'sandbox', string]>([
    ['of a sandbox, whose world lies in a folder', KEY, 'sandbox', 'config_invalid'],
    [
      'of another machine without certificates',
      { PREDICTD_LOG_URLS: 'postgres://predictd@db.example.com/predictd' },
      'live',
      'config_invalid',
    ],
    [
      'with a part of its certificates',
      { ...KEY, PREDICTD_LOG_CA_FILE: 'ca' },
      'live',
      'config_invalid',
    ],
    ['of several shards on one machine', { PREDICTD_SHARDS: '2' }, 'live', 'config_invalid'],
    ['of another shard than the only one', { PREDICTD_SHARD: '1' }, 'live', 'config_invalid'],
    ['at which nothing answers', KEY, 'live', 'store_unavailable'],
  ])('is refused %s', async (_what, variables, name, code) => {
    await expect(open(variables, name)).rejects.toMatchObject({ code });
  });

  it('is not found at an address of another kind', () => {
    expect(() => readEnvironment({ PREDICTD_LOG_URLS: 'https://db.example.com' })).toThrow(
      /addresses of PostgreSQL/,
    );
  });
});

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readEnvironment, SETTING_NAMES } from '../../config/schema.ts';
import { ROOT } from '../repository/source-files.ts';
import { complaints, has } from './units.ts';

const FOLDER = join(ROOT, 'config/deploy');
const fileOf = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');
const load = createRequire(import.meta.url);

const composeSchema = z.object({
  services: z.record(
    z.string(),
    z.object({
      image: z.string().regex(/:[\w.]+$/),
      volumes: z.array(z.string()),
      env_file: z.array(z.string()).optional(),
      environment: z.record(z.string(), z.string()),
      network_mode: z.literal('host'),
    }),
  ),
  volumes: z.record(z.string(), z.null()),
});

describe('the units of a cluster', () => {
  const units = [
    ['predictd-shard@0.service', fileOf('predictd-shard@.service')],
    ['predictd-gateway.service', fileOf('predictd-gateway.service')],
    ['predictd-feed.service', fileOf('predictd-feed.service')],
  ] as const;

  it.runIf(has('systemd-analyze')).each(units)(
    'give systemd nothing to say: %s (needs systemd-analyze)',
    (name, unit) => {
      expect(complaints(name, unit)).toBe('');
      expect(complaints(name, unit.replace('RestartSec=5', 'RestartSek=5'))).toContain(
        'RestartSek',
      );
    },
  );

  it.each(units)('start a replaced process again, and none that was refused: %s', (_name, unit) => {
    expect(unit).toContain('\nRestart=on-failure\n');
    expect(unit).toContain('\nRestartPreventExitStatus=2\n');
    const named = unit.match(/PREDICTD_\w+/g) ?? [];
    expect(named.filter((name) => !SETTING_NAMES.includes(name))).toEqual([]);
  });

  it('give gateways and feeds no master key, and keys of the database to shards and gateways alone, as credentials', () => {
    const [[, shard], [, gateway], [, feed]] = units;
    for (const unit of [gateway, feed]) expect(unit).not.toContain('MASTER_KEY');
    for (const unit of [shard, gateway])
      expect(unit).toContain('\nEnvironment=PREDICTD_LOG_KEY_FILE=%d/log-key\n');
    expect(feed).not.toMatch(/LOG_KEY|LoadCredential/);
  });
});

describe('the compose file of a cluster', () => {
  const { parse } = load('yaml') as { parse(text: string, options: object): unknown };
  const { services, volumes } = composeSchema.parse(parse(fileOf('cluster.yaml'), { merge: true }));
  const of = (prefix: string) =>
    Object.entries(services).flatMap(([name, service]) =>
      name.startsWith(prefix) ? [service] : [],
    );

  it('runs three nodes of the database, a shard as a pair, two gateways and two feeds', () => {
    expect(['postgres-', 'shard-0-', 'gateway-', 'feed-'].map((name) => of(name).length)).toEqual([
      3, 2, 2, 2,
    ]);
  });

  it('has the shards read from the feeds it runs, which have settings of their own that are accepted', () => {
    const addresses = of('feed-').map(({ environment, env_file: files }) => {
      const {
        PREDICTD_ROLE: role,
        PREDICTD_HOST: host,
        PREDICTD_PORT: port,
      } = readEnvironment(environment);
      expect([role, files]).toEqual(['feed', ['feed']]);
      return `http://${host}:${port}`;
    });
    for (const { environment, env_file: files } of of('shard-0-')) {
      expect(environment['PREDICTD_FEED_URLS']).toBe(addresses.join(','));
      expect(files).toEqual(['environment']);
    }
    for (const { environment } of of('gateway-'))
      expect(environment['PREDICTD_FEED_URLS']).toBeUndefined();
  });

  it('has each read the log at the nodes it runs, in a folder of its own, with settings that are accepted', () => {
    const ports = of('postgres-').map(({ environment }) => environment['NODE_PORT']);
    const used = [...of('shard-0-'), ...of('gateway-')];
    for (const { environment } of used) {
      const { PREDICTD_LOG_URLS: urls, PREDICTD_LOG_DURABILITY: durability } = readEnvironment({
        ...environment,
        PREDICTD_MASTER_KEY_FILE: undefined,
      });
      expect(urls?.map((url) => new URL(url).port)).toEqual(ports);
      expect(durability).toBe('quorum');
    }
    expect(new Set(used.map(({ environment }) => environment['PREDICTD_PORT'])).size).toBe(4);
    const sources = Object.values(services).flatMap((service) =>
      service.volumes.map((volume) => volume.split(':')[0] ?? ''),
    );
    const kept = sources.filter((source) => !source.startsWith('.'));
    expect(kept.toSorted()).toEqual(Object.keys(volumes).toSorted());
    const files = sources.filter((source) => source.startsWith('.'));
    expect(files.filter((file) => !existsSync(resolve(FOLDER, file)))).toEqual([]);
  });

  it('has a commit wait for a second node, by the names that the nodes give themselves', () => {
    const script = fileOf('postgres-node.sh');
    expect(spawnSync('bash', ['-n', join(FOLDER, 'postgres-node.sh')]).status).toBe(0);
    const [, names = ''] = /synchronous_standby_names='ANY 1 \((.*)\)'/.exec(script) ?? [];
    expect(names.split(', ')).toEqual(
      of('postgres-').map(({ environment }) => environment['NODE_NAME']),
    );
    for (const setting of ['synchronous_commit=on', 'fsync=on', 'full_page_writes=on'])
      expect(script).toContain(setting);
  });
});

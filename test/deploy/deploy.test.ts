import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { SETTING_NAMES } from '../../config/schema.ts';
import { ROOT } from '../repository/source-files.ts';
import { complaints, has } from './units.ts';

const FOLDER = join(ROOT, 'config/deploy');
const fileOf = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');
const load = createRequire(import.meta.url);

describe('the unit of systemd', () => {
  const unit = fileOf('predictd.service');

  it.runIf(has('systemd-analyze'))('gives systemd nothing to say (needs systemd-analyze)', () => {
    expect(complaints('predictd.service', unit)).toBe('');
    expect(complaints('predictd.service', unit.replace('RestartSec=5', 'RestartSek=5'))).toContain(
      'RestartSek',
    );
  });

  it('does not start again what was refused, waits longer than an end takes, and keeps the key out of the environment', () => {
    expect(unit).toContain('\nRestartPreventExitStatus=2\n');
    const stopSeconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]);
    expect(stopSeconds).toBeGreaterThan(60);
    expect(unit).toContain('\nEnvironment=PREDICTD_MASTER_KEY_FILE=%d/master-key\n');
    expect(unit).not.toMatch(/PREDICTD_MASTER_KEY=/);
  });
});

describe('the container file', () => {
  const text = fileOf('Containerfile');
  const { validate } = load('dockerfile-utils') as {
    validate(text: string): readonly { readonly message: string }[];
  };

  it('passes the linter', () => {
    expect(validate(text).map(({ message }) => message)).toEqual([]);
    expect(validate(text.replace('EXPOSE', 'EXPOZE'))).not.toEqual([]);
  });

  it('fetches nothing while it is built and runs as no superuser', () => {
    expect(text).not.toMatch(/^(RUN|ADD) /m);
    expect(text).toMatch(/^USER 10001:10001$/m);
  });

  it.runIf(has('buildah'))('is built by buildah from scratch (needs buildah)', () => {
    const folder = mkdtempSync(join(tmpdir(), 'predictd-image-'));
    execFileSync('sh', ['-c', 'mkdir -p node/bin predictd data; : > node/bin/node'], {
      cwd: folder,
    });
    const { status, stderr } = spawnSync(
      'buildah',
      [
        '--storage-driver',
        'vfs',
        'bud',
        '--isolation',
        'chroot',
        '--build-arg',
        'BASE=scratch',
        '-f',
        join(FOLDER, 'Containerfile'),
        folder,
      ],
      { encoding: 'utf8' },
    );
    rmSync(folder, { recursive: true });
    expect([status, status === 0 ? '' : stderr]).toEqual([0, '']);
  });
});

const composeSchema = z.object({
  services: z.record(
    z.string(),
    z.object({
      image: z.string().regex(/:[\w.]+$/),
      volumes: z.array(z.string()),
      environment: z.record(z.string(), z.string()).optional(),
      command: z.array(z.string()).optional(),
      network_mode: z.literal('host'),
    }),
  ),
  volumes: z.record(z.string(), z.null()),
});

describe('the compose file', () => {
  const { parse } = load('yaml') as { parse(text: string): unknown };
  const { services, volumes } = composeSchema.parse(parse(fileOf('compose.yaml')));

  it('runs a daemon, a Prometheus and a Grafana of stated versions', () => {
    expect(Object.keys(services)).toEqual(['predictd', 'prometheus', 'grafana']);
  });

  it('mounts what is there: rules, dashboards and volumes it has', () => {
    const sources = Object.values(services).flatMap((service) =>
      service.volumes.map((volume) => volume.split(':')[0] ?? ''),
    );
    const missing = sources.filter((source) =>
      source.startsWith('.') ? !existsSync(resolve(FOLDER, source)) : !(source in volumes),
    );
    expect(missing).toEqual([]);
  });

  it('names settings that exist', () => {
    const named = [
      ...Object.keys(services['predictd']?.environment ?? {}),
      ...[fileOf('predictd.service'), fileOf('Containerfile')].flatMap((text) => [
        ...(text.match(/PREDICTD_\w+/g) ?? []),
      ]),
    ];
    expect(named.filter((name) => !SETTING_NAMES.includes(name))).toEqual([]);
  });

  it('puts the dashboards where their provisioning looks for them', () => {
    const provisioning = readFileSync(
      join(ROOT, 'config/grafana/provisioning/dashboards/predictd.yml'),
      'utf8',
    );
    const [, path = '?'] = /path: (\S+)/.exec(provisioning) ?? [];
    expect(services['grafana']?.volumes.join(' ')).toContain(`:${path}:`);
  });
});

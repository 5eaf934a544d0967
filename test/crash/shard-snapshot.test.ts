import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWallClock } from '../../src/adapters/clock/wall-clock.ts';
import { startWorld, type World } from '../../src/sandbox/world.ts';
import { NO_POSTGRES, startPostgres, type Postgres } from '../support/fixtures/postgres.ts';
import { WORLD_CREDENTIALS } from '../support/worlds/small-world.ts';
import { killDaemons, startDaemon, type Daemon } from './support/daemon.ts';
import { contractSettings } from './support/world-settings.ts';

describe.skipIf(NO_POSTGRES !== null)('daemons whose log is kept in snapshots', () => {
  const folder = mkdtempSync(join(tmpdir(), 'predictd-shard-snapshot-'));
  let postgres: Postgres;
  let world: World;

  beforeAll(async () => {
    postgres = await startPostgres();
    world = await startWorld({
      seed: 7,
      clock: createWallClock(),
      wallClock: createWallClock(),
      dataDir: null,
      chains: false,
      credentials: WORLD_CREDENTIALS,
    });
  });
  afterAll(async () => {
    await killDaemons();
    await world.close();
    await postgres.end();
    rmSync(folder, { recursive: true, force: true });
  });

  const machine = (name: string): Daemon =>
    startDaemon({
      ...contractSettings(world),
      PREDICTD_DATA: join(folder, name),
      PREDICTD_LOG_URLS: postgres.url,
      PREDICTD_LOG_DURABILITY: 'storage',
    });
  const waitingUrl = async (daemon: Daemon): Promise<string> =>
    (await daemon.saw(/(http:\S+)\/readyz says how that goes/))[1] ?? '';
  const read = async (url: string): Promise<string> => (await fetch(url)).text();

  it('begin anew from one that a waiting process made, and park where none is left', async () => {
    const first = machine('one');
    await first.url();
    const second = machine('two');
    const waiting = await waitingUrl(second);
    expect((await fetch(`${waiting}/healthz`)).status).toBe(200);
    expect((await fetch(`${waiting}/api/user/profile`)).status).toBe(503);
    await expect.poll(() => read(`${waiting}/readyz`)).toContain('following');
    const restored = () =>
      postgres.ask('select seq from shard_snapshot_head where restored_at is not null');
    await expect.poll(restored).toHaveLength(1);
    // The row is there before the process that made it has counted it.
    await expect
      .poll(() => read(`${waiting}/metrics`))
      .toContain('predictd_snapshots_total{result="made"} 1');
    const metrics = await read(`${waiting}/metrics`);
    for (const line of [
      'predictd_shard_state{shard="0",state="following"} 1',
      'predictd_shard_state{shard="0",state="owner"} 0',
      'predictd_commit_log_standbys 1',
    ])
      expect(metrics).toContain(line);
    expect(metrics).not.toContain('predictd_backup_timestamp_seconds');

    expect(await read(`${await first.url()}/metrics`)).toMatch(
      /predictd_commit_log_append_seconds_count [1-9]/,
    );

    // As the owner does once there are two.
    await postgres.ask(
      'delete from shard_log where seq < (select max(seq) from shard_snapshot_head)',
    );
    for (const daemon of [first, second]) daemon.signalGroup('SIGKILL');
    const third = machine('three');
    await third.saw(/the folder begins with the snapshot at frame \d+/);
    expect(await read(`${await third.url()}/metrics`)).toMatch(
      /predictd_shard_takeovers_total\{cause="(disconnected|expired)"\} 1/,
    );

    await postgres.ask('delete from shard_snapshot');
    const fourth = machine('four');
    await fourth.saw(/shard 0 is broken here \(snapshot_missing\)/);
    const parked = await waitingUrl(fourth);
    expect(await read(`${parked}/readyz`)).toContain('snapshot_missing');
    expect(await read(`${parked}/metrics`)).toContain(
      'predictd_shard_broken_state{reason="snapshot_missing"} 1',
    );
    const asked = startDaemon(
      { PREDICTD_LOG_URLS: postgres.url },
      { command: [process.execPath, 'dist/src/main.js', 'shards'] },
    );
    expect((await asked.ended).code).toBe(1);
    expect(asked.printed()).toMatch(/^shard 0 {2}owned by \S+ at http:\S+, epoch 2, \d+ frames/);
    expect(asked.printed()).toMatch(
      /four\/store {2}broken \(snapshot_missing\): .*\n {4}do: start a/,
    );
    expect(asked.printed()).toMatch(/three\/store {2}owner, since /);
    fourth.signal('SIGTERM');
    expect((await fourth.ended).code).toBe(0);
    third.signal('SIGTERM');
    expect((await third.ended).code).toBe(0);
  });
});

import { SHARED_LOG } from '../../../config/limits/shared-log.ts';
import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Engine } from './engine.ts';

/** Settings without which a node that answers may forget. */
const ON_DISK: readonly string[] = ['fsync', 'full_page_writes'];

/**
 * Checks that what the engine acknowledges is kept: on the disks of two nodes (`quorum`), or on one
 * whose provider replicates it below (`storage`). Errors: `config_invalid` naming the setting.
 */
export async function assertDurable(
  engine: Engine,
  durability: 'quorum' | 'storage',
): Promise<void> {
  const { rows } = await engine.ask<{ readonly name: string; readonly setting: string }>(
    'select name, setting from pg_settings where name = any($1)',
    [[...ON_DISK, 'synchronous_commit', 'synchronous_standby_names']],
  );
  const settings = new Map(rows.map(({ name, setting }) => [name, setting]));
  const lacking = ON_DISK.filter((name) => settings.get(name) !== 'on');
  const commit = settings.get('synchronous_commit') ?? '';
  if (commit !== 'on' && commit !== 'remote_apply') lacking.push('synchronous_commit');
  if (durability === 'quorum' && (settings.get('synchronous_standby_names') ?? '') === '')
    lacking.push('synchronous_standby_names');
  if (lacking.length === 0) return;
  const how =
    durability === 'quorum'
      ? '; where the provider replicates what one node has on disk, set PREDICTD_LOG_DURABILITY=storage'
      : '';
  throw new AppError(
    'config_invalid',
    `the database of PREDICTD_LOG_URLS may lose what it acknowledges: set ${lacking.join(', ')} there (config/README.md)${how}.`,
  );
}

/**
 * Checks that this machine's clock is that of the engine: a process that takes over goes on with
 * deadlines that another machine has set. Errors: `config_invalid` with the difference.
 */
export async function assertSameTime(
  engine: Engine,
  { nowMs }: Pick<Clock, 'nowMs'>,
): Promise<void> {
  const askedAtMs = nowMs();
  const { rows } = await engine.ask<{ readonly ms: string }>(
    'select round(extract(epoch from clock_timestamp()) * 1000)::bigint as ms',
  );
  const answeredAtMs = nowMs();
  const theirsMs = Number(rows[0]?.ms);
  // It was read somewhere between the two.
  const aheadMs = Math.max(askedAtMs - theirsMs, theirsMs - answeredAtMs, 0);
  if (aheadMs <= SHARED_LOG.clockApartMaximumMs) return;
  throw new AppError(
    'config_invalid',
    `this machine's clock is ${aheadMs} ms apart from that of the database of PREDICTD_LOG_URLS, more than ${SHARED_LOG.clockApartMaximumMs}: set the two right.`,
  );
}

import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { CLOCK_TEST, DOCTOR } from '../../../config/limits/doctor.ts';
import { inWallTime, type Clock } from '../../ports/clock.ts';
import type { Venue } from '../../ports/venue.ts';
import { check, fail, ok, skipped, warn, type Check, type Finding } from './check.ts';
import type { HostProbe } from './host-probe.ts';

const SYNC = 'run a time service on this machine: systemd-timesyncd or chrony';

/** What the system says of its clock; null where it does not say. */
export interface ClockFacts {
  /** What the kernel counts by, such as `tsc`. */
  readonly source: string | null;
  readonly isSynchronized: boolean | null;
}

/** Reads them. */
export async function clockFacts(): Promise<ClockFacts> {
  return { source: sourceOf(), isSynchronized: await synchronized() };
}

const GOOD_SOURCES = /^(tsc|kvm-clock|hyperv_clocksource_tsc_page|arch_sys_counter|xen)$/;

/** Checks of what this machine's clock goes by. */
export function machineClockChecks(read: () => Promise<ClockFacts>): readonly Check[] {
  const lost = { level: 'warn', remedy: SYNC } as const;
  return [
    check('clock source', lost, async () => {
      const { source } = await read();
      if (source === null) return skipped('this system does not name one');
      return GOOD_SOURCES.test(source)
        ? ok(source)
        : warn(
            `${source}, which takes microseconds to read and may drift`,
            'see dmesg on why tsc is not used',
          );
    }),
    check('time service', lost, async () => {
      const { isSynchronized } = await read();
      if (isSynchronized === null) return skipped('no systemd runs here that could be asked');
      return isSynchronized
        ? ok('keeps this clock synchronised')
        : fail('this clock is not synchronised', SYNC);
    }),
  ];
}

/** Checks of this machine's clock beside those of venues, by the middle of the question. */
export function venueClockChecks(
  venues: readonly Pick<Venue, 'id' | 'readClock'>[],
  clock: Clock,
): readonly Check[] {
  return venues.map(({ id, readClock }) =>
    check(`clock of ${id}`, { level: 'warn', remedy: 'run doctor again' }, async () => {
      if (readClock === undefined) return skipped('the venue does not tell its time');
      const sentAtMs = clock.nowMs();
      const theirsMs = await readClock();
      const aheadMs = ((sentAtMs + clock.nowMs()) / 2 - theirsMs) / inWallTime(clock, 1);
      return offsetFinding(aheadMs);
    }),
  );
}

/** A check of this machine's clock beside the dates of hosts, of which the middle one counts. */
export function hostClockCheck(probes: readonly HostProbe[]): Check {
  return check('clock of hosts', { level: 'warn', remedy: 'run doctor again' }, async () => {
    const ahead = probes.flatMap(({ clockAheadMs }) =>
      clockAheadMs === null ? [] : [-clockAheadMs],
    );
    if (ahead.length === 0) return skipped('no host that answered tells its time');
    const middle = ahead.toSorted((one, other) => one - other)[Math.floor(ahead.length / 2)] ?? 0;
    return offsetFinding(middle);
  });
}

/** Clocks are read in whole seconds: only what is beyond the half of one is a finding. */
const UNCERTAIN_MS = 500;

function offsetFinding(aheadMs: number): Finding {
  const text = `this clock is ${Math.abs(Math.round(aheadMs))} ms ${aheadMs < 0 ? 'behind' : 'ahead'}, give or take ${UNCERTAIN_MS}`;
  const least = Math.abs(aheadMs) - UNCERTAIN_MS;
  if (least > CLOCK_TEST.failMs) return fail(text, SYNC);
  return least > CLOCK_TEST.warnMs ? warn(text, SYNC) : ok(text);
}

function sourceOf(): string | null {
  const file = '/sys/devices/system/clocksource/clocksource0/current_clocksource';
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : null;
}

async function synchronized(): Promise<boolean | null> {
  if (!existsSync('/run/systemd/system')) return null;
  try {
    const { stdout } = await promisify(execFile)(
      'timedatectl',
      ['show', '-p', 'NTPSynchronized', '--value'],
      { timeout: DOCTOR.checkMs },
    );
    return stdout.trim() === 'yes';
  } catch {
    return null;
  }
}

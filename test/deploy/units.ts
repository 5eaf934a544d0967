import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Whether a program is there; where it is not, the test is skipped and its name says so. */
export function has(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;
}

/** What systemd says of a unit: it complains with exit code 0. */
export function complaints(name: string, unit: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'predictd-unit-'));
  const file = join(folder, name);
  // the program of the unit has to exist
  writeFileSync(file, unit.replace('/opt/predictd/bin/predictd', '/bin/true'));
  const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], {
    encoding: 'utf8',
  });
  rmSync(folder, { recursive: true });
  // other units of this machine are not ours
  return `${stdout}${stderr}`
    .split('\n')
    .filter((line) => line.includes(name))
    .join('\n');
}

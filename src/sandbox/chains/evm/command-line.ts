import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Returns the command line of a process; empty without one. Linux has it as a file, other
 * systems by `ps`.
 */
export function commandLineOf(processId: number, platform: string = process.platform): string {
  if (platform !== 'linux')
    return spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(processId)], { encoding: 'utf8' })
      .stdout;
  try {
    return readFileSync(`/proc/${processId}/cmdline`, 'utf8');
  } catch {
    // No such process, or it ended while it was looked at.
    return '';
  }
}

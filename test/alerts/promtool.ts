import { spawnSync } from 'node:child_process';

/** What promtool said. */
export interface PromtoolRun {
  readonly succeeded: boolean;
  readonly output: string;
}

/** Runs promtool with these arguments. */
export function promtool(...args: readonly string[]): PromtoolRun {
  const { status, stdout, stderr } = spawnSync('promtool', args, {
    encoding: 'utf8',
    timeout: 200_000,
  });
  return { succeeded: status === 0, output: `${stdout}${stderr}` };
}

/**
 * True where promtool is installed. Prints one line where it is not, so that a run without it says
 * what it left out.
 */
export function hasPromtool(): boolean {
  const isThere = spawnSync('promtool', ['--version']).status === 0;
  if (!isThere)
    console.info(
      'not run, because promtool (Debian package prometheus) is not installed: rules are not judged here',
    );
  return isThere;
}

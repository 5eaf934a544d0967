import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Lived } from '../scenarios/scenario.ts';
import { ask, startChild, type Answer } from './child-processes.ts';
import type { OfScenario } from './crash-child.ts';
import { whatDiffers } from './cut-model.ts';
import type { CutPoint } from './live-through.ts';

/** A scenario and where in it its process is killed. */
export interface Killing extends OfScenario {
  readonly point: CutPoint;
}

/** What came of it. */
export interface Killed extends Killing {
  /** Null when the next process came to the end of the run that was not killed. */
  readonly failure: string | null;
}

/** Runs of scenarios that were not killed, by name. */
export type Wholes = ReadonlyMap<string, Lived>;

/**
 * Points at which a process can be killed: a store that has written has it on disk, so there is
 * nothing to lose after a write.
 */
export function deadly(points: readonly CutPoint[]): readonly CutPoint[] {
  return points.filter(({ moment }) => moment === 'before' || moment === 'after');
}

/** Lives scenarios uncut in the model, in one child. Throws when one fails. */
export async function liveWholes(scenarios: readonly OfScenario[]): Promise<Wholes> {
  const child = startChild();
  const wholes = new Map<string, Lived>();
  try {
    for (const { file, name } of scenarios) {
      const answer = await ask(child, { kind: 'whole', file, name });
      if (answer.kind !== 'lived')
        throw new Error(`${name} failed uncut: ${JSON.stringify(answer)}`);
      wholes.set(name, answer.lived);
    }
  } finally {
    if (child.connected) child.disconnect();
  }
  return wholes;
}

/**
 * Kills processes over LMDB stores, one after another: each process first goes on where the one
 * before it was killed, over what that one left on disk, and then lives the next scenario until it
 * is killed itself.
 */
export async function killInTurn(
  killings: Iterable<Killing>,
  wholes: Wholes,
  onKilled: (killed: Killed) => void,
): Promise<void> {
  let child = startChild();
  try {
    for (const killing of killings) {
      const folder = mkdtempSync(join(tmpdir(), 'predictd-crash-'));
      const { answer, next } = await killOnce(child, killing, folder);
      child = next;
      onKilled({ ...killing, failure: judge(answer, wholes.get(killing.name)) });
      rmSync(folder, { recursive: true, force: true });
    }
  } finally {
    if (child.connected) child.disconnect();
  }
}

async function killOnce(
  child: ChildProcess,
  killing: Killing,
  folder: string,
): Promise<{ readonly answer: Answer; readonly next: ChildProcess }> {
  const death = await ask(child, { kind: 'die', ...killing, folder });
  if (death.kind === 'lived')
    return {
      answer: { kind: 'failed', why: 'the process came to the end without meeting its point' },
      next: child,
    };
  if (death.kind !== 'ended') return { answer: death, next: child };
  const next = startChild();
  if (death.signal !== 'SIGKILL')
    return { answer: { kind: 'failed', why: `the process ended with ${death.signal}` }, next };
  const answer = await ask(next, { kind: 'succeed', ...killing, folder });
  return { answer, next: answer.kind === 'ended' ? startChild() : next };
}

function judge(answer: Answer, whole: Lived | undefined): string | null {
  switch (answer.kind) {
    case 'lived':
      return whole === undefined
        ? 'the scenario was not lived uncut'
        : whatDiffers(answer.lived, whole);
    case 'failed':
      return answer.why;
    case 'ended':
      return `the process that came after ended with ${answer.signal}`;
    case 'cut':
      return 'the process did something else';
  }
}

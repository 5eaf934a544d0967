import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { verifyJournal, type JournalFinding } from '../../../src/tools/verify/verify-journal.ts';
import { AppError } from '../../../src/domain/errors.ts';
import type { ChainLink } from '../../../src/ports/store.ts';
import {
  startDaemon,
  until,
  untilGroupGone,
  type Daemon,
  type Ending,
  type Settings,
} from './daemon.ts';

/**
 * A durable step of the daemon or its world, as signal-at-file-steps.mjs names it, and what is sent
 * there.
 */
export interface Strike {
  readonly step: string;
  /** Within: half of what the step writes is written. */
  readonly moment: 'before' | 'within' | 'after';
  /** A kill takes the daemon and its world, requests to end reach the daemon alone. */
  readonly signals: readonly ['SIGKILL'] | readonly ('SIGTERM' | 'SIGINT')[];
}

const STRIKER = pathToFileURL(
  fileURLToPath(new URL('signal-at-file-steps.mjs', import.meta.url)),
).href;
/** What a life prints last while it starts. */
export const DEMO = /demo user (usr_\w+) is ready/;

/** A data folder of its own, empty or a copy, and the notes of the lives in it. */
export class StruckFolder {
  readonly path: string;
  readonly #notes: string;

  constructor(copyOf: string | null = null) {
    const room = mkdtempSync(join(tmpdir(), 'predictd-struck-'));
    this.path = join(room, 'data');
    this.#notes = join(room, 'notes');
    if (copyOf !== null) cpSync(copyOf, this.path, { recursive: true });
  }

  /** Starts a daemon whose steps are noted, and who is struck at one of them. */
  start(strike: Strike | null): Daemon {
    rmSync(this.#notes, { force: true });
    const words: Settings =
      strike === null
        ? {}
        : {
            STEPS_AT: strike.step,
            STEPS_MOMENT: strike.moment,
            STEPS_SIGNALS: strike.signals.join(','),
          };
    return startDaemon({
      PREDICTD_DATA: this.path,
      STEPS_FOLDER: this.path,
      STEPS_NOTES: this.#notes,
      NODE_OPTIONS: `--import ${STRIKER}`,
      ...words,
    });
  }

  /** Steps of the newest life, in order. */
  steps(): readonly Step[] {
    return this.#lines().flatMap((line) => {
      const [, word, step = ''] = /^(step|write) (.+)$/.exec(line) ?? [];
      return word === undefined ? [] : [{ step, isWrite: word === 'write' }];
    });
  }

  /** True once the newest life has been struck. */
  isStruck(): boolean {
    return this.#lines().some((line) => line.startsWith('struck '));
  }

  /**
   * Waits until no process is left of a life: its group, and its chains, which lead groups of their
   * own and name their files.
   */
  async untilLeft(life: Daemon): Promise<void> {
    await untilGroupGone(life);
    await until(() => !isNamedByAProcess(this.path));
  }

  /**
   * The newest link of a journal without a writer; null where a first start was cut off before
   * there was one.
   */
  async head(): Promise<ChainLink | null> {
    const report = await this.#verify([]).catch((cause: unknown) => {
      if (cause instanceof AppError && cause.code === 'not_found') return null;
      throw cause;
    });
    return report?.head ?? null;
  }

  /**
   * What is wrong with the journal of a store that was closed in order, and with a head it once
   * had.
   */
  async journalFaults(noted: ChainLink | null): Promise<readonly JournalFinding[]> {
    return (await this.#verify(noted === null ? [] : [noted])).findings;
  }

  #verify(noted: readonly ChainLink[]): ReturnType<typeof verifyJournal> {
    return verifyJournal(join(this.path, 'store'), noted);
  }

  remove(): void {
    rmSync(join(this.path, '..'), {
      recursive: true,
      force: true,
      maxRetries: 50,
      retryDelay: 100,
    });
  }

  #lines(): readonly string[] {
    return existsSync(this.#notes) ? readFileSync(this.#notes, 'utf8').split('\n') : [];
  }
}

/** A step, and whether it can be cut in half. */
export interface Step {
  readonly step: string;
  readonly isWrite: boolean;
}

/** How a life ended that was struck, or, where it never came to that step, was asked to end. */
export async function endOf(
  life: Daemon,
  folder: StruckFolder,
  strike: Strike | null,
): Promise<Ending> {
  await Promise.race([life.ended, life.saw(DEMO)]).catch(() => undefined);
  const isEndingStep = strike === null || / ending /.test(strike.step);
  // A step that is taken by itself now and then comes while the life runs.
  if (!isEndingStep)
    await Promise.race([life.ended, until(() => folder.isStruck()), pause(RUNNING_MS)]);
  if (strike === null || isEndingStep || !folder.isStruck()) life.signal('SIGTERM');
  return life.ended;
}

/** How long a life runs that has come up, while it is waited for a step. */
const RUNNING_MS = 4_000;

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}

function isNamedByAProcess(path: string): boolean {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(path);
      } catch {
        return false;
      }
    });
}

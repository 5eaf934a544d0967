import type { Upkeep } from '../upkeep.ts';
import { check, fail, ok, skipped, warn, type Check, type Finding } from './check.ts';
import type { StoreFacts } from './store-facts.ts';

/** What the checks of a store are about. */
export interface StoreParts {
  /** Null where nothing was ever stored. Errors: those of `readStoreFacts`. */
  readonly read: () => Promise<StoreFacts | null>;
  readonly upkeep: Upkeep;
  /** True while a daemon writes it. */
  readonly isInUse: boolean;
  /** False for play money, of which no copy is needed. */
  readonly isMoneyReal: boolean;
  /** Wall time, epoch ms. */
  readonly nowMs: number;
}

const NOTHING = skipped('nothing was ever stored in this folder');
const RESTORE = 'keep the folder, run predictd verify-journal, and restore a backup as it says';
const DAY_MS = 86_400_000;

/** Checks of the log, its head, LMDB beside it, and what was done for them. */
export function storeChecks(parts: StoreParts): readonly Check[] {
  const { read, upkeep, nowMs } = parts;
  const lost = { level: 'fail', remedy: RESTORE } as const;
  const row = (name: string, finding: (facts: StoreFacts) => Finding): Check =>
    check(name, lost, async () => {
      const facts = await read();
      return facts === null ? NOTHING : finding(facts);
    });
  return [
    row('journal', headFinding),
    row('last commit', (facts) => lastCommitFinding(facts, parts.isInUse)),
    row('LMDB', lmdbFinding),
    row('last backup', () => backupFinding(parts)),
    row('last verification', () => ({
      level: 'ok',
      sentence:
        upkeep.verifiedAtMs === 0
          ? 'predictd verify-journal never ran to its end here; it reads the whole journal'
          : `the journal was whole ${agoText(nowMs - upkeep.verifiedAtMs)} ago`,
    })),
  ];
}

function headFinding({ lastEntry, anchor }: StoreFacts): Finding {
  if (anchor === 'damaged') return fail('journal.head is damaged', RESTORE);
  if (anchor === null) return ok(`${lastEntry} entries; journal.head notes none of them yet`);
  return anchor.seq > lastEntry
    ? fail(
        `it ends at entry ${lastEntry}, and journal.head says that it went on to ${anchor.seq}: it was cut`,
        RESTORE,
      )
    : ok(`${lastEntry} entries, ${lastEntry - anchor.seq} of them after the noted head`);
}

function lastCommitFinding({ lastCommit, isCut }: StoreFacts, isInUse: boolean): Finding {
  if (!isCut) return ok(`commit ${lastCommit} is whole`);
  return isInUse
    ? ok(`commit ${lastCommit} is whole, and the daemon was writing the next one`)
    : ok(
        `commit ${lastCommit} is whole; half of one behind it, never acknowledged, is left out by a start`,
      );
}

function lmdbFinding({ lastCommit, inLmdb }: StoreFacts): Finding {
  const behind = lastCommit - inLmdb;
  if (behind < 0)
    return fail(
      `the log ends with commit ${lastCommit}, and LMDB has taken in ${inLmdb}: the log was cut`,
      RESTORE,
    );
  return ok(
    behind === 0
      ? 'has all of the log'
      : `is ${behind} commits behind the log, which a start takes in`,
  );
}

function backupFinding({ upkeep, isMoneyReal, nowMs }: StoreParts): Finding {
  if (!isMoneyReal) return skipped('money is play money here');
  const remedy = 'run "predictd backup <folder> --follow", best as a unit of its own';
  if (upkeep.backupAtMs === 0) return warn('none was ever made of this folder', remedy);
  const text = `the newest copy was whole ${agoText(nowMs - upkeep.backupAtMs)} ago`;
  return nowMs - upkeep.backupAtMs > DAY_MS ? warn(text, remedy) : ok(text);
}

function agoText(ms: number): string {
  const hours = ms / 3_600_000;
  if (hours < 1) return `${Math.round(ms / 60_000)} min`;
  return hours < 48 ? `${Math.round(hours)} h` : `${Math.round(hours / 24)} days`;
}

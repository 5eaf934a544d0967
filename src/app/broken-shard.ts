import { AppError } from '../domain/errors.ts';
import type { BrokenReason } from '../domain/shard-states.ts';

/** What a person does about each, in one sentence. */
export const REMEDIES: Readonly<Record<BrokenReason, string>> = {
  commit_log_lost:
    'the database lost commits that were acknowledged: keep this folder, bring back the node that has them, or decide to go on without them and move the folder away',
  folder_foreign:
    'the folder holds another log: check PREDICTD_SHARD and PREDICTD_LOG_URLS, or move the folder away and start again',
  folder_damaged:
    'the disk has changed the folder: move it away and start again, and it is made anew from the shared log',
  snapshot_missing:
    'start a process whose folder is whole, which makes a snapshot within minutes, then start this one again',
  log_damaged:
    'the database has changed what it keeps: restore it from a copy of its own, or begin a new shard with the folder that goes furthest',
};

/** A shard that a process cannot go on with. Its code is `store_corrupt`. */
export class BrokenShard extends AppError {
  readonly reason: BrokenReason;

  constructor(reason: BrokenReason, sentence: string, cause?: unknown) {
    super('store_corrupt', sentence, { cause });
    this.reason = reason;
  }
}

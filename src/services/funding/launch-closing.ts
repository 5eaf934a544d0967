import type { Clock } from '../../ports/clock.ts';
import { audit } from '../audit.ts';
import { putLaunch, readLaunch } from '../launches/launch-records.ts';
import type { OwnerClosings } from './transaction-closing.ts';
import { doneByItsBlock, endedWith, endInWords } from './transaction-end.ts';

/**
 * Creates what the end of a launch's transaction means: the bytes are ours and make the token or
 * nothing, so that a final block with them is the proof, and the launch ends in the same commit.
 */
export function createLaunchClosings(clock: Clock): OwnerClosings<'launches'> {
  return {
    launch: {
      verdict: doneByItsBlock,
      close(tx, record) {
        const { userId, purpose } = record;
        const { launchId } = purpose.data;
        const before = readLaunch(tx, userId, launchId);
        const atMs = clock.nowMs();
        putLaunch(tx, { before, after: endedWith(before, record, { done: 'launched', atMs }) });
        audit(tx, {
          userId,
          atMs,
          action: 'launch_ended',
          subject: launchId,
          detail: `${before.mint} ${endInWords(record)}`,
        });
      },
    },
  };
}

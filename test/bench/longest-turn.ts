import { createThreadClock } from './thread-clock.ts';

/**
 * The longest turn of the event loop while `work` goes on, ms. On a machine with other work a turn
 * also lasts while another process runs: what the thread itself used bounds it. The loop is kept
 * busy for it, so nothing else can be measured meanwhile.
 */
export async function longestTurnMs(work: () => Promise<void>): Promise<number> {
  const thread = createThreadClock();
  let [last, used, longest] = [performance.now(), thread.nowMs(), 0];
  const done = work().then(() => true);
  while (!(await Promise.race([done, nextTurn()]))) {
    const [now, usedNow] = [performance.now(), thread.nowMs()];
    longest = Math.max(longest, Math.min(now - last, usedNow - used));
    [last, used] = [now, usedNow];
  }
  thread.close();
  return longest;
}

function nextTurn(): Promise<false> {
  return new Promise((resolve) => setImmediate(resolve, false));
}

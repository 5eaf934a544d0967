import type { FaultBoard, FaultName } from '../../../src/sandbox/faults.ts';

/** Notes from now on which faults of a board come to happen: one that never does proves nothing. */
export function noteFaults(board: FaultBoard): ReadonlySet<FaultName> {
  const met = new Set<FaultName>();
  const { take, isArmed } = board;
  board.take = (name, subject) => {
    const hit = take(name, subject);
    if (hit !== null) met.add(name);
    return hit;
  };
  board.isArmed = (name, subject) => {
    const isOn = isArmed(name, subject);
    if (isOn) met.add(name);
    return isOn;
  };
  return met;
}

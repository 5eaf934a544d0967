import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import { hearSignals } from '../../src/app/process-end.ts';

const exits: (string | number | null | undefined)[] = [];
const before = { SIGINT: process.listeners('SIGINT'), SIGTERM: process.listeners('SIGTERM') };

beforeEach(() => {
  vi.useFakeTimers();
  exits.length = 0;
  vi.spyOn(process, 'exit').mockImplementation((code) => {
    exits.push(code);
    return undefined as never;
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    for (const listener of process.listeners(name))
      if (!before[name].includes(listener)) process.removeListener(name, listener);
});

describe('an end that hangs', () => {
  it.each([
    ['broken after a minute where the service was asked to end', null, 60_000, 70],
    ['to be started again after ten seconds where another took over', 'not_owner', 10_000, 75],
  ] as const)('is given up: %s', (_name, code, afterMs, exitCode) => {
    const ending = hearSignals();
    ending.abort(code === null ? undefined : new AppError(code, 'another process took over'));
    vi.advanceTimersByTime(afterMs - 1);
    expect(exits).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(exits).toEqual([exitCode]);
  });
});

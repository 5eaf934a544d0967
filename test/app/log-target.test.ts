import { describe, expect, it } from 'vitest';
import { logTarget, reopenAtHangUp } from '../../src/app/log-target.ts';
import { createTeardown } from '../../src/app/teardown.ts';

describe('the log', () => {
  it('goes to a file of the data folder, and in live to standard error, outside of a service', () => {
    expect([logTarget({ name: 'sandbox' }, '/data'), logTarget({ name: 'live' }, '/data')]).toEqual(
      [{ file: '/data/predictd.log' }, { stream: 'error' }],
    );
  });

  it('is opened anew at SIGHUP until the daemon ends, but not where that is a closed terminal', async () => {
    let opened = 0;
    const log = { reopen: () => void (opened += 1) };
    const teardown = createTeardown();
    const others = process.listenerCount('SIGHUP');
    reopenAtHangUp(log, teardown, true);
    expect(process.listenerCount('SIGHUP')).toBe(others);
    reopenAtHangUp(log, teardown, false);
    process.emit('SIGHUP');
    expect(opened).toBe(1);
    await teardown.run();
    expect(process.listenerCount('SIGHUP')).toBe(others);
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { stubSessionStorage } from '../../support/session-storage.ts';
import { keepSentCode, sentCode } from '../../../src/web/api/sent-code.ts';

const SENT = { phone: '+14155552671', challengeId: 'otp_1', resendAtMs: 30, expiresAtMs: 100 };

describe('a code that was sent', () => {
  beforeEach(stubSessionStorage);
  afterEach(() => vi.unstubAllGlobals());

  it('is kept over a reload until it expires', () => {
    keepSentCode(SENT);
    expect([sentCode(99), sentCode(100)]).toEqual([SENT, null]);
  });

  it('is forgotten once it is used', () => {
    keepSentCode(SENT);
    keepSentCode(null);
    expect(sentCode(0)).toBeNull();
  });
});

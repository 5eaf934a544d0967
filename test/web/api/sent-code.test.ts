import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { keepSentCode, sentCode } from '../../../src/web/api/sent-code.ts';

const SENT = { phone: '+14155552671', challengeId: 'otp_1', resendAtMs: 30, expiresAtMs: 100 };

describe('a code that was sent', () => {
  const stored = new Map<string, string>();
  beforeEach(() => {
    stored.clear();
    vi.stubGlobal('sessionStorage', {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => stored.set(key, value),
      removeItem: (key: string) => stored.delete(key),
    });
  });
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

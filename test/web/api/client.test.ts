import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { call as Call } from '../../../src/web/api/client.ts';

vi.mock('../../../src/web/api/session.ts', () => ({
  session: {
    accessToken: async () => 'old',
    renewed: async () => 'new',
  },
}));

let call: typeof Call;
// files of one worker share their modules: another may have read the client with its own session
beforeAll(async () => {
  vi.resetModules();
  ({ call } = await import('../../../src/web/api/client.ts'));
});
afterEach(() => vi.unstubAllGlobals());
afterAll(() => vi.resetModules());

/** Answers every call with a refusal of this code; gives the tokens that were sent. */
function refusing(code: string): readonly string[] {
  const tokens: string[] = [];
  vi.stubGlobal('fetch', async (_url: string, { headers }: { headers: Record<string, string> }) => {
    tokens.push(String(headers['Authorization']));
    return new Response(JSON.stringify({ code, title: 'No', detail: 'no' }), { status: 401 });
  });
  return tokens;
}

describe('a call that is refused with 401', () => {
  it.each(['unauthenticated', 'token_expired', 'token_invalid'])(
    'goes once more with a renewed token after %s',
    async (code) => {
      const tokens = refusing(code);
      await expect(call('GET /api/user/profile', {})).rejects.toMatchObject({ code });
      expect(tokens).toEqual(['Bearer old', 'Bearer new']);
    },
  );

  it('does not go again after a wrong one-time code, which would use up another attempt', async () => {
    const tokens = refusing('code_invalid');
    const asked = call('GET /api/web3/export-private-key', { query: { wallet: 'evm' } });
    await expect(asked).rejects.toMatchObject({ code: 'code_invalid' });
    expect(tokens).toEqual(['Bearer old']);
  });
});

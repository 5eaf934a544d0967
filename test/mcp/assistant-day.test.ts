import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startDaemon } from '../crash/support/daemon.ts';
import { PICTURES } from '../support/pictures.ts';
import { liveDay } from './assistant-day.ts';
import { createAssistant } from './assistant.ts';
import { connect } from './mcp-client.ts';

/** What the day's person may use, and no more than that. */
const KEY = {
  name: 'assistant',
  scopes: ['read', 'trade', 'swap', 'launch'],
  maxOrderSize: 50,
  confirmAbove: 20,
};

it('an assistant does twelve tasks of a day, by what the tools tell it, in 40 calls and 25,000 tokens', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'predictd-day-'));
  const daemon = startDaemon({ PREDICTD_DATA: folder });
  try {
    const url = await daemon.url();
    const [, token = ''] = await daemon.saw(/\b(eyJ[\w-]+\.[\w-]+\.[\w-]+)/);
    await daemon.saw(/demo user \S+ is ready with/);
    const ask = async (method: string, path: string, sent?: unknown) => {
      const isPicture = sent instanceof Uint8Array;
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': isPicture ? 'image/png' : 'application/json',
        },
        ...(sent === undefined ? {} : { body: isPicture ? sent : JSON.stringify(sent) }),
      });
      return Object(await answer.json());
    };
    await expect
      .poll(
        async () =>
          Number((await ask('GET', '/api/venue_b/portfolio/balance')).cash?.available ?? 0),
        { interval: 500 },
      )
      .toBeGreaterThan(300);
    const { imageId } = await ask(
      'POST',
      '/api/web3/memelaunch/image',
      new Uint8Array(PICTURES.png),
    );
    const { key } = await ask('POST', '/api/user/keys/', KEY);
    const assistant = await createAssistant(await connect(url, key, 'legacy'), imageId);
    let waits = 0;
    const person = {
      imageId,
      async wait(seconds = 2) {
        waits += 1;
        await after(seconds * 1_000);
      },
      async confirm(page: string) {
        const id = new URL(page).searchParams.get('order');
        expect(page.startsWith(`${url}/confirm?`)).toBe(true);
        await ask('POST', `/api/user/confirmations/${id}/confirm`);
      },
    };
    const day = await liveDay(assistant, person, Date.now());
    const { calls, tokens } = assistant.used();
    console.log(`a day: ${calls} calls, ${tokens} tokens; ${assistant.log.join(', ')}`);
    expect(day).toMatchObject({
      rules: expect.any(Number),
      preview: { worstPrice: expect.any(String), fee: {}, setsAside: {} },
      bought: { orderId: expect.any(String) },
      cost: { state: 'filled', filledUsdc: expect.any(String), feesUsdc: expect.any(String) },
      again: { outcome: 'done', replay: true, result: { state: 'filled' } },
      closed: { action: 'sell', filledUsdc: expect.any(String) },
      account: { cash: { 'usdc:solana': {} }, today: { trades: expect.any(Number) } },
      tried: { left: { keyOrder: '50' } },
      swapped: { state: 'completed', received: expect.any(String) },
      price: { isEnough: true },
      launched: { state: 'launched' },
      asked: { outcome: 'awaiting_confirmation' },
      confirmed: { outcome: 'placed', result: { side: 'no' } },
    });
    expect(day['rules']).toBeGreaterThan(250);
    expect(day['refused']).toMatch(/^cap_exceeded: .*What to do: .*the user makes another key/s);
    expect((day['stopped'] as readonly unknown[]).length).toBeGreaterThan(3);
    expect(JSON.stringify(day['events'])).toContain(Object(day['bought']).orderId);
    // A call is repeated after each wait: how often something is asked is up to the machine.
    expect(calls - waits).toBeLessThanOrEqual(40);
    expect(tokens).toBeLessThanOrEqual(25_000);
  } finally {
    daemon.signal('SIGKILL');
    await daemon.ended;
    // the chains write their last state for a moment
    rmSync(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
  }
});

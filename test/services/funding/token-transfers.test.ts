import { describe, expect, it } from 'vitest';
import { TOKEN_TRANSFER } from '../../../config/limits/funds.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { asId } from '../../../src/domain/ids.ts';
import type { TransactionRecord } from '../../../src/domain/transaction.ts';
import { openHolds } from '../../../src/services/books/holds.ts';
import { assertMaySign } from '../../../src/services/funding/stopped-money.ts';
import { writeStop } from '../../../src/services/orders/stop-check.ts';
import { outSince } from '../../../src/services/transactions/daily-out.ts';
import { aSender, REQUEST, USDC } from '../../support/worlds/token-sender.ts';

const OTHER = 'FoVhVHqrnLmWLVRBN28tE79p3oU6wwNGuQZUSMUWyqgn';

describe('a transfer to another wallet', () => {
  it('is held, leaves once the chain is final, and is reported with its hash', async () => {
    const { send, balance, transfers, userId } = await aSender();
    const sent = await send();
    expect(sent).toMatchObject({ chain: 'SOLANA', token: 'USDC', amount: '5', to: REQUEST.to });
    const settled = transfers.get(userId, sent.transferId);
    expect([settled?.state, settled?.transactionHash === null]).toEqual(['settled', false]);
    expect(balance().settled).toBe(19_995_000_000);
    expect(transfers.list(userId, { limit: 5, cursor: null }).data).toEqual([settled]);
  });

  it('L5: counts in full for what leaves by other ways, also while its outcome is unknown', async () => {
    const { send, store, userId, rail } = await aSender();
    await send();
    await send({ ...REQUEST, token: 'SOL', amount: '0.1' });
    expect(outSince(store, userId, 0)).toBe(20_000_000);
    rail.drops = true;
    await send({ ...REQUEST, amount: '7' });
    expect(outSince(store, userId, 0)).toBe(27_000_000);
  });

  it('L5: is refused what another on its way takes of the wallet, and may be asked for again', async () => {
    const { send, rail } = await aSender();
    rail.drops = true;
    await send({ ...REQUEST, token: 'SOL', amount: '0.6' });
    await expect(send({ ...REQUEST, token: 'SOL', amount: '0.3' })).resolves.toBeDefined();
    await expect(send({ ...REQUEST, token: 'SOL', amount: '0.2' })).rejects.toMatchObject({
      code: 'insufficient_funds',
      retryable: true,
    });
  });

  it('takes a code that was sent for this amount to this address, once, and no other', async () => {
    const { codeFor, transfers, userId } = await aSender();
    const proof = await codeFor();
    const attempts = [
      { ...REQUEST, to: OTHER },
      { ...REQUEST, amount: '6' },
      { ...REQUEST, token: 'SOL', amount: '0.1' },
    ];
    for (const request of attempts)
      await expect(
        transfers.transfer(userId, request, { ...proof, waitMs: 8_000 }),
      ).rejects.toMatchObject({
        code: 'code_expired',
        message: expect.stringContaining('another chain, token, amount or recipient'),
      });
    await expect(
      transfers.transfer(userId, REQUEST, { challengeId: null, code: null, waitMs: 0 }),
    ).rejects.toMatchObject({ code: 'code_required' });
    const answers = await Promise.allSettled(
      [1, 2].map(() =>
        Promise.race([transfers.transfer(userId, REQUEST, { ...proof, waitMs: 8_000 }), tick()]),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(transfers.list(userId, { limit: 5, cursor: null }).data).toHaveLength(1);
  });

  it('is made once for a key, however often it is asked for', async () => {
    const { send, transfers, userId, rail } = await aSender();
    const first = await send(REQUEST, 'k');
    const again = await transfers.transfer(userId, REQUEST, {
      challengeId: null,
      code: null,
      waitMs: 8_000,
      key: 'k',
    });
    expect([again.transferId, rail.signatures]).toEqual([first.transferId, 1]);
  });

  it('is refused while a stop is set, and nothing is signed', async () => {
    const { codeFor, transfers, userId, commit, clock, rail, balance } = await aSender();
    const proof = await codeFor();
    await commit((tx) =>
      writeStop(tx, {
        scope: { kind: 'user', userId },
        stopped: true,
        reason: 'looks stolen',
        policy: 'keep',
        atMs: clock.nowMs(),
      }),
    );
    await expect(
      transfers.transfer(userId, REQUEST, { ...proof, waitMs: 8_000 }),
    ).rejects.toMatchObject({
      code: 'trading_stopped',
    });
    expect([rail.signatures, balance().settled]).toEqual([0, 20_000_000_000]);
  });

  it('L6: is not signed during a stop, as a purchase at a venue is not, but a sale is', async () => {
    const { store, userId, commit, clock } = await aSender();
    const atVenue = (side: 'buy' | 'sell'): Pick<TransactionRecord, 'userId' | 'purpose'> => ({
      userId,
      purpose: {
        owner: 'venue',
        kind: 'venue_call',
        data: { venue: asId('example'), side, data: null },
      },
    });
    const sent = {
      userId,
      purpose: { owner: 'safe', kind: 'deploy', data: {} },
    } as const;
    const refused = () =>
      [sent, atVenue('buy'), atVenue('sell')].map((record) => {
        try {
          assertMaySign(store, record);
          return null;
        } catch (cause) {
          return cause instanceof AppError ? cause.code : cause;
        }
      });
    expect(refused()).toEqual([null, null, null]);
    await commit((tx) =>
      writeStop(tx, {
        scope: { kind: 'self', userId },
        stopped: true,
        reason: null,
        policy: 'keep',
        atMs: clock.nowMs(),
      }),
    );
    expect(refused()).toEqual(['trading_stopped', 'trading_stopped', null]);
  });

  it('is refused beyond what may leave in a UTC day, which begins anew', async () => {
    const { send, clock } = await aSender();
    const most = String(TOKEN_TRANSFER.dailyUsdMicros / 1_000_000);
    await send({ ...REQUEST, amount: most });
    await expect(send({ ...REQUEST, amount: '0.01' })).rejects.toMatchObject({
      code: 'cap_exceeded',
      fields: [
        { path: '/amount', message: 'at most 0 USD may still leave by transfers in this UTC day' },
      ],
    });
    await clock.advance(86_400_000);
    expect(await send({ ...REQUEST, amount: '0.01' })).toMatchObject({ amount: '0.01' });
  });

  it('counts what a coin is worth with the dollars, and says so before a code is sent', async () => {
    const { send, codeFor, sent } = await aSender({ lamports: 200_000_000_000n });
    await send({ ...REQUEST, token: 'SOL', amount: '60' });
    const before = sent.length;
    await expect(codeFor({ ...REQUEST, amount: '1001' })).rejects.toMatchObject({
      code: 'cap_exceeded',
      fields: [{ message: 'at most 1000 USD may still leave by transfers in this UTC day' }],
    });
    expect(sent.length).toBe(before);
  });

  it('says of an amount beyond any supply that it is too large, not that it has decimals', async () => {
    const { codeFor } = await aSender();
    await expect(codeFor({ ...REQUEST, amount: '9'.repeat(32) })).rejects.toMatchObject({
      code: 'insufficient_funds',
    });
    await expect(codeFor({ ...REQUEST, amount: '0.0000001' })).rejects.toMatchObject({
      message: 'amount: a number of at most 6 decimals',
    });
  });

  it('stays held while its outcome is unknown', async () => {
    const { send, rail, store, transfers, userId } = await aSender();
    rail.drops = true;
    const { transferId } = await send();
    expect(transfers.get(userId, transferId)?.state).toBe('sent');
    expect(openHolds(store, userId)).toEqual([
      expect.objectContaining({ holdId: transferId, cashAccount: 'usdc:solana', usdc: 5_000_000 }),
    ]);
  });

  it.each([
    [{ chain: 'BASE' }, '/chain'],
    [{ token: 'BONK' }, '/token'],
    [{ amount: '0.0000001' }, '/amount'],
    [{ to: 'not an address' }, '/to'],
    // belongs to no key: what is sent there is lost
    [{ to: '4wBqpZM9xaSheZzJSMawUKKwhdpChKbZ5eu5ky4Vigw' }, '/to'],
  ])('is refused for what it does not take: %o', async (change, path) => {
    const { transfers, userId } = await aSender();
    await expect(
      transfers.requestCode(userId, { ...REQUEST, ...change } as typeof REQUEST),
    ).rejects.toMatchObject({ code: 'invalid_request', fields: [{ path }] });
  });

  it('is refused to the address of a token, to which there is no key', async () => {
    const { codeFor } = await aSender();
    await expect(codeFor({ ...REQUEST, to: USDC })).rejects.toMatchObject({
      code: 'invalid_request',
      fields: [{ path: '/to' }],
    });
  });

  it("is refused to one's own wallet, below a cent, and where SOL for its fees is missing", async () => {
    const { transfers, userId, wallet } = await aSender({ lamports: 10_000n });
    const ask = (change: Partial<Record<'to' | 'amount', string>>) =>
      transfers.requestCode(userId, { ...REQUEST, ...change });
    await expect(ask({ to: wallet })).rejects.toMatchObject({ fields: [{ path: '/to' }] });
    await expect(ask({ amount: '0.001' })).rejects.toMatchObject({ code: 'amount_too_small' });
    await expect(ask({})).rejects.toMatchObject({
      code: 'insufficient_funds',
      message: expect.stringContaining('not enough SOL for fees: 0.00204588 are needed'),
    });
  });
});

/** Lets what was asked for get as far as it can without the clock. */
function tick(): Promise<string> {
  return new Promise((resolve) => setImmediate(() => setImmediate(() => resolve('under way'))));
}

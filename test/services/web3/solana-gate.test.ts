import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { asId, type UserId } from '../../../src/domain/ids.ts';
import { createSolanaGate } from '../../../src/services/web3/solana-gate.ts';

const USER = asId<UserId>('usr_1');
const OTHER = asId<UserId>('usr_2');

function fixture(fails = false) {
  const clock = createVirtualClock(1_800_000_000_000);
  const asked: string[] = [];
  const behaviour = { fails };
  const gate = createSolanaGate({
    clock,
    node: {
      async ask(method) {
        asked.push(method);
        if (behaviour.fails)
          throw new AppError('chain_unavailable', 'Solana does not answer', { retryable: true });
        return { kind: 'result', result: asked.length };
      },
    },
  });
  const ask = (method: string, ...params: unknown[]) => gate.ask(USER, [{ method, params }]);
  return { clock, asked, gate, ask, behaviour };
}

describe('the gate to Solana', () => {
  it('passes a question on as it is', async () => {
    const { ask, asked } = fixture();
    expect(await ask('getBalance', 'x')).toEqual([{ kind: 'result', result: 1 }]);
    expect(asked).toEqual(['getBalance']);
  });

  it.each([
    'getProgramAccounts',
    'getBlock',
    'getLargestAccounts',
    'getVoteAccounts',
    'requestAirdrop',
    'accountSubscribe',
    'validatorExit',
    'constructor',
    '__proto__',
    'toString',
  ])('does not pass %s on', async (method) => {
    const { ask, asked } = fixture();
    expect(await ask(method)).toEqual([
      {
        kind: 'error',
        code: -32_601,
        message: `Method not allowed here: ${method}`,
        data: undefined,
      },
    ]);
    expect(asked).toEqual([]);
  });

  it('bounds what one question may ask for', async () => {
    const { ask, asked } = fixture();
    const names = Array.from({ length: 101 }, () => 'x');
    const codes = [
      await ask('getMultipleAccounts', names),
      await ask('getSignatureStatuses', names),
      await ask('getSignaturesForAddress', 'x'),
      await ask('getSignaturesForAddress', 'x', { limit: 101 }),
    ].flat();
    expect(codes.map((answer) => answer.kind === 'error' && answer.code)).toEqual([
      -32_602, -32_602, -32_602, -32_602,
    ]);
    expect(asked).toEqual([]);
    await ask('getSignaturesForAddress', 'x', { limit: 100 });
    expect(asked).toEqual(['getSignaturesForAddress']);
  });

  it('counts every question of a batch, each user apart, and takes nothing for a batch that is refused', async () => {
    const { gate, clock } = fixture();
    const batch = (count: number) =>
      Array.from({ length: count }, () => ({ method: 'getSlot', params: [] }));
    for (let round = 0; round < 11; round += 1) await gate.ask(USER, batch(10));
    await expect(gate.ask(USER, batch(11))).rejects.toMatchObject({
      code: 'rate_limited',
      retryable: true,
      retryAfterMs: 500,
    });
    await gate.ask(USER, batch(10));
    await gate.ask(OTHER, batch(10));
    await expect(gate.ask(USER, batch(1))).rejects.toMatchObject({ code: 'rate_limited' });
    await clock.advance(500);
    await gate.ask(USER, batch(1));
  });

  it('allows twenty transactions a minute', async () => {
    const { ask, asked } = fixture();
    for (let count = 0; count < 20; count += 1) await ask('sendTransaction', 'x');
    await expect(ask('sendTransaction', 'x')).rejects.toMatchObject({ code: 'rate_limited' });
    expect(asked).toHaveLength(20);
    await ask('getSlot');
  });

  it('keeps a blockhash for a second, and no failure', async () => {
    const { ask, asked, clock, behaviour } = fixture(true);
    await expect(ask('getLatestBlockhash')).rejects.toMatchObject({ code: 'chain_unavailable' });
    behaviour.fails = false;
    expect(await ask('getLatestBlockhash')).toEqual([{ kind: 'result', result: 2 }]);
    expect(await ask('getLatestBlockhash')).toEqual([{ kind: 'result', result: 2 }]);
    await ask('getLatestBlockhash', { commitment: 'finalized' });
    await clock.advance(1_000);
    await ask('getLatestBlockhash');
    expect(asked).toHaveLength(4);
  });
});

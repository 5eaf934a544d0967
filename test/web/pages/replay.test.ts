import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { basisOf } from '../../../src/domain/decision-basis.ts';
import { decideAgain } from '../../../src/domain/strategy/decide-again.ts';
import {
  isSame,
  linkHash,
  numbersOf,
  replay,
  withNumber,
} from '../../../src/web/pages/activity/replay.ts';

const BASIS = basisOf({
  kind: 'stop_loss',
  held: 0,
  entry: { usdc: 4_900_000, shares: 5_000_000 },
  lossPerMille: 100,
  looks: [],
  atMs: 1_000,
});
const DECIDED_BY = {
  agentId: 'venue_a_farming',
  strategy: 'high_probability',
  basis: BASIS,
} as const;
const DECISION = decideAgain(DECIDED_BY);
const TEXT = JSON.stringify({
  type: 'decision.made',
  decision: { ...DECIDED_BY, decision: DECISION },
});
const PREVIOUS = 'cd'.repeat(32);

function answerWith(text: string) {
  const hash = createHash('sha256')
    .update(Buffer.from(PREVIOUS, 'hex'))
    .update(Buffer.from([0, 0, 0, 0, 0, 0, 0, 7]))
    .update(TEXT)
    .digest('hex');
  return {
    decision: { chain: { seq: 7, hash, previousHash: PREVIOUS } },
    basis: null,
    text,
  } as unknown as Parameters<typeof replay>[0];
}

describe('a receipt that a browser looks at', () => {
  it('has the hash of its link, and is decided again by what its entry holds', async () => {
    const { isChained, said, again } = await replay(answerWith(TEXT));
    expect([isChained, isSame(said, again), again]).toEqual([true, true, DECISION]);
  });

  it('is shown as changed where one byte of its entry is another', async () => {
    const { isChained } = await replay(answerWith(TEXT.replace('"atMs":1000', '"atMs":1001')));
    expect(isChained).toBe(false);
  });

  it('is shown as another decision where what it says does not follow from its inputs', async () => {
    const lied = JSON.stringify({
      type: 'decision.made',
      decision: { ...DECIDED_BY, decision: { ...DECISION, verdict: 'exit' } },
    });
    const { said, again } = await replay(answerWith(lied));
    expect(isSame(said, again)).toBe(false);
  });

  it('is not decided again where no strategy decided', async () => {
    const { decidedBy } = await replay(answerWith('{"type":"decision.made","decision":{}}'));
    expect(decidedBy).toBeNull();
  });

  it('hashes as the journal does', async () => {
    const { hash } = answerWith(TEXT).decision.chain ?? expect.unreachable();
    expect(await linkHash(PREVIOUS, 7, TEXT)).toBe(hash);
  });

  it('tells its numbers, each of which can be another without changing the rest', () => {
    const paths = numbersOf(BASIS).map(({ path }) => path.join('.'));
    expect(paths).toEqual(['held', 'entry.usdc', 'entry.shares', 'lossPerMille', 'atMs']);
    expect(withNumber(BASIS, ['entry', 'shares'], 7)).toEqual({
      ...BASIS,
      entry: { usdc: 4_900_000, shares: 7 },
    });
  });
});

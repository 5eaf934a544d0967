import { describe, expect, it } from 'vitest';
import { TOKEN_INDEX } from '../../../config/limits/tokens.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { asId, type Address } from '../../../src/domain/ids.ts';
import { createIndexedTokens } from '../../../src/services/web3/indexed-tokens.ts';
import { T0 } from '../../support/builders.ts';
import { createKeptLog } from '../../support/quiet.ts';

const OWNER = asId<Address>('0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A');
const at = (end: string) => asId<Address>(`0x${end.padStart(40, '0')}`);
const USDC = asId<Address>('0x833589fcd6edb6e08f4c7c32d4f71b54bda02913');

/** An indexer that gives the set answer, and a chain that says what each token calls itself. */
function fixture(held: () => Promise<readonly Address[]>) {
  const clock = createVirtualClock(T0);
  const counted = { index: 0, facts: 0 };
  const indexed = createIndexedTokens({
    index: {
      covers: (chain) => chain !== 'SOLANA',
      held() {
        counted.index += 1;
        return held();
      },
    },
    async factsOf(_chain, token) {
      counted.facts += 1;
      if (token.endsWith('dead')) return null;
      const [symbol, name] = token.endsWith('beef')
        ? ['UЅDC', 'Claim at https://usdc.example']
        : ['CAFE', 'Cafe'];
      return { decimals: 6, totalSupply: 1n, symbol, name };
    },
    clock,
    log: createKeptLog(),
  });
  return { clock, counted, indexed };
}

describe('what an indexer tells of a wallet', () => {
  it('is judged by its name, as the chain has it, without what we know anyway', async () => {
    const { indexed } = fixture(async () => [USDC, at('beef'), at('dead'), at('cafe')]);
    expect(await indexed.of('BASE', OWNER)).toEqual({
      tokens: [
        {
          address: at('beef'),
          symbol: 'UЅDC',
          decimals: 6,
          origin: 'indexed',
          warnings: ['look_alike', 'odd_name'],
        },
        { address: at('cafe'), symbol: 'CAFE', decimals: 6, origin: 'indexed', warnings: [] },
      ],
      error: null,
    });
  });

  it('is asked for once a minute, and of a token the chain once', async () => {
    const { indexed, counted, clock } = fixture(async () => [at('cafe')]);
    await Promise.all([indexed.of('BASE', OWNER), indexed.of('BASE', OWNER)]);
    await indexed.of('BASE', OWNER);
    expect(counted).toEqual({ index: 1, facts: 1 });
    await clock.advance(TOKEN_INDEX.freshMs);
    await indexed.of('BASE', OWNER);
    expect(counted).toEqual({ index: 2, facts: 1 });
  });

  it('is bounded, however much it is', async () => {
    const many = Array.from({ length: 400 }, (_, index) => at((index + 1).toString(16)));
    const { indexed, counted } = fixture(async () => many);
    expect((await indexed.of('BASE', OWNER)).tokens).toHaveLength(TOKEN_INDEX.shownMaximum);
    expect(counted.facts).toBe(TOKEN_INDEX.shownMaximum);
  });

  it('is waited for a second, and is kept for a quarter of an hour after that', async () => {
    let isSilent = false;
    const { indexed, clock } = fixture(async () =>
      isSilent ? new Promise<never>(() => undefined) : [at('cafe')],
    );
    await indexed.of('BASE', OWNER);
    isSilent = true;
    await clock.advance(TOKEN_INDEX.freshMs);
    const later = async () => {
      const answer = indexed.of('BASE', OWNER);
      await clock.advance(TOKEN_INDEX.waitMs);
      return answer;
    };
    expect(await later()).toMatchObject({ tokens: [{ symbol: 'CAFE' }], error: null });
    await clock.advance(TOKEN_INDEX.shownMaximumMs);
    expect(await later()).toEqual({ tokens: [], error: 'the indexer did not answer in time' });
  });

  it('that fails is reported in a sentence, and asked again at the next read', async () => {
    let fails = true;
    const { indexed } = fixture(async () => {
      if (fails) throw new AppError('token_data_unavailable', 'the indexer answered 500');
      return [at('cafe')];
    });
    expect(await indexed.of('BASE', OWNER)).toEqual({
      tokens: [],
      error: 'the indexer answered 500',
    });
    fails = false;
    expect((await indexed.of('BASE', OWNER)).tokens).toHaveLength(1);
  });
});

import { expect, it } from 'vitest';
import { createSolanaArrivals } from '../../../src/adapters/solana/arrivals.ts';

const OWNER = 'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB';

interface ReportedTransaction {
  readonly keys: readonly string[];
  readonly loaded?: readonly string[];
  readonly before: readonly number[];
  readonly after: readonly number[];
  /** Of a token account of the owner's. */
  readonly held?: readonly [string, string];
}

/** What is read of a wallet whose node lists these, newest first, all final but `open`. */
function read(
  reported: Readonly<Record<string, ReportedTransaction>>,
  { open = [] as readonly string[] } = {},
) {
  const asked: string[] = [];
  const holding = (amount: string | undefined) =>
    amount === undefined
      ? []
      : [{ accountIndex: 3, mint: 'm', owner: OWNER, uiTokenAmount: { amount } }];
  const arrivals = createSolanaArrivals({
    async ask(method, [name]) {
      if (method === 'getSignaturesForAddress')
        return {
          kind: 'result',
          result: Object.keys(reported).map((signature) => ({
            signature,
            slot: 1,
            err: null,
            confirmationStatus: open.includes(signature) ? 'confirmed' : 'finalized',
          })),
        };
      asked.push(String(name));
      const {
        keys,
        loaded = [],
        before,
        after,
        held,
      } = reported[String(name)] ?? expect.unreachable();
      return {
        kind: 'result',
        result: {
          transaction: {
            message: { accountKeys: keys, header: { numRequiredSignatures: 1 } },
          },
          meta: {
            preBalances: before,
            postBalances: after,
            preTokenBalances: holding(held?.[0]),
            postTokenBalances: holding(held?.[1]),
            loadedAddresses: { writable: loaded, readonly: [] },
          },
        },
      };
    },
  });
  return { asked, since: (known = '') => arrivals.since(OWNER, null, (name) => name === known) };
}

it('tells what came, oldest first, also by an address that a table names', async () => {
  const { since } = read({
    SigB: { keys: ['x', 'y'], loaded: [OWNER], before: [9, 1, 0], after: [4, 1, 5] },
    SigA: { keys: ['x', OWNER], before: [2 ** 60, 1], after: [2 ** 60, 8], held: ['1', '2'] },
  });
  expect(await since()).toEqual({
    arrivals: [
      { signature: 'SigA', lamports: 7n, movesTokens: true },
      { signature: 'SigB', lamports: 5n, movesTokens: false },
    ],
    newest: 'SigB',
    isUnsettled: false,
    isWhole: true,
  });
});

it('leaves out what the owner signed, what took SOL, what is known and what is not final', async () => {
  const came = { keys: ['x', OWNER], before: [9, 1], after: [4, 6] };
  const { since, asked } = read(
    {
      SigOpen: came,
      SigKnown: came,
      SigOwn: { keys: [OWNER, 'x'], before: [1, 9], after: [6, 4] },
      SigOut: { keys: ['x', OWNER], before: [4, 6], after: [9, 1] },
    },
    { open: ['SigOpen'] },
  );
  expect(await since('SigKnown')).toEqual({
    arrivals: [],
    newest: 'SigKnown',
    isUnsettled: true,
    isWhole: true,
  });
  expect(asked).toEqual(['SigOut', 'SigOwn']);
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  BRIDGE_TOKENS,
  creditMicros,
  isTransferOver,
  nextBridgeState,
  NON_EVM,
  transferRow,
  type BridgeState,
  type TransferFacts,
} from '../../../../../src/sandbox/venues/venue-a/bridge/bridge-model.ts';

const ORDER: readonly BridgeState[] = [
  'DEPOSIT_DETECTED',
  'PROCESSING',
  'ORIGIN_TX_CONFIRMED',
  'SUBMITTED',
  'COMPLETED',
];
const BASE_USDC = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';
const BTC_USD = 90_000_000_000n;

describe('a transfer of the bridge', () => {
  it('goes through every status in order, one at a poll', () => {
    const facts: TransferFacts[] = [
      { isOriginFinal: false, credit: 'none' },
      { isOriginFinal: true, credit: 'none' },
      { isOriginFinal: true, credit: 'open' },
      { isOriginFinal: true, credit: 'done' },
    ];
    let state: BridgeState = 'DEPOSIT_DETECTED';
    expect(
      facts.map((fact) => (state = nextBridgeState({ state, creditMicros: '1' }, fact))),
    ).toEqual(ORDER.slice(1));
  });

  it('never goes back, never leaves an end, and is not credited before its payment is final', () => {
    const fact = fc.record({
      isOriginFinal: fc.boolean(),
      credit: fc.constantFrom('none', 'open', 'done', 'failed'),
    });
    fc.assert(
      fc.property(fc.array(fact), fc.option(fc.constant('5')), (facts, credit) => {
        let state: BridgeState = 'DEPOSIT_DETECTED';
        for (const each of facts) {
          const next = nextBridgeState({ state, creditMicros: credit }, each);
          expect(
            isTransferOver(state)
              ? next === state
              : next === 'FAILED' || ORDER.indexOf(next) - ORDER.indexOf(state) <= 1,
          ).toBe(true);
          if (next === 'ORIGIN_TX_CONFIRMED' && state === 'PROCESSING')
            expect([each.isOriginFinal, credit]).toEqual([true, '5']);
          state = next;
        }
      }),
    );
  });

  it.each([
    ['a dollar for a dollar', '8453', BASE_USDC, '25000000', 25_000_000n],
    [
      'eighteen decimals rounded down',
      '56',
      '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d',
      '2000000999999999999',
      2_000_000n,
    ],
    [
      'bitcoin by its price',
      NON_EVM.bitcoin,
      BRIDGE_TOKENS.find(({ symbol }) => symbol === 'BTC')?.address ?? '',
      '100000',
      90_000_000n,
    ],
    ['the least', '8453', BASE_USDC, '2000000', 2_000_000n],
    ['less than the least', '8453', BASE_USDC, '1999999', null],
    ['another token', '8453', '0x0000000000000000000000000000000000000001', '25000000', null],
    ['a token of another chain', '1', BASE_USDC, '25000000', null],
    ['more than it takes', '8453', BASE_USDC, '1000000000001', null],
  ])('credits %s', (_what, chainId, token, amount, credit) => {
    expect(creditMicros({ chainId, token, amount }, BTC_USD)).toBe(credit);
  });

  it('is reported without hash and time before it is taken up', () => {
    const transfer = {
      id: 'x',
      address: '0x1',
      wallet: '0x2',
      chainId: '8453',
      token: BASE_USDC,
      amount: '5',
      creditMicros: null,
      state: 'DEPOSIT_DETECTED',
      creditHash: null,
      seenAtMs: 7,
    } as const;
    expect(transferRow(transfer, '0xC0')).toEqual({
      fromChainId: '8453',
      fromTokenAddress: BASE_USDC,
      fromAmountBaseUnit: '5',
      toChainId: '137',
      toTokenAddress: '0xC0',
      status: 'DEPOSIT_DETECTED',
    });
    expect(
      transferRow({ ...transfer, state: 'COMPLETED', creditHash: '0xab' }, '0xC0'),
    ).toMatchObject({ status: 'COMPLETED', txHash: '0xab', createdTimeMs: 7 });
  });
});

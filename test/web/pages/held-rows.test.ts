import { describe, expect, it } from 'vitest';
import { heldRows } from '../../../src/web/pages/markets/held-rows.ts';

type Trade = Parameters<typeof heldRows>[0][number];
type Known = Parameters<typeof heldRows>[1];

// of trades these fields alone are read
const aFill = (changes: object): Trade =>
  ({
    kind: 'fill',
    fill: {
      tokenId: '7',
      action: 'buy',
      shares: '10',
      feeShares: '0',
      usdc: '5',
      fee: '0.1',
      settlementState: 'settled',
      ...changes,
    },
  }) as unknown as Trade;
const aClosed = (changes: object): Trade =>
  ({
    kind: 'closed',
    position: { tokenId: '7', state: 'lost', realizedPnl: '-5.1', ...changes },
  }) as unknown as Trade;

const of = (fills: readonly Trade[], payouts: Known['payouts'] = null): Known => ({
  fills,
  areAll: true,
  payouts,
});

describe('what was held in a market that is over', () => {
  it('cost what its purchases took with their fees, and brought nothing where it lost', () => {
    expect(heldRows([aClosed({})], of([aFill({})]))).toMatchObject([
      {
        bought: '10.000000',
        paid: '5.100000',
        cameBack: '0.000000',
        end: 'Lost, paid nothing',
      },
    ]);
  });

  it('brought what was sold before and what the market paid', () => {
    const fills = [
      aFill({ action: 'sell', shares: '4', usdc: '3', fee: '0.05' }),
      aFill({ shares: '6', usdc: '2', fee: '0', feeShares: '0.02' }),
      aFill({}),
    ];
    const won = aClosed({ state: 'redeemed', realizedPnl: '7.83' });
    expect(heldRows([won], of(fills))).toMatchObject([
      { bought: '15.980000', paid: '7.100000', cameBack: '14.930000', end: 'Won, paid out' },
    ]);
  });

  it('was paid a part of a dollar a share where its market was voided', () => {
    const paid = aClosed({ state: 'redeemed', side: 'no', realizedPnl: '-0.1' });
    const endOf = (yes: string, no: string) =>
      heldRows([paid], of([aFill({})], { yes, no }))[0]?.end;
    expect(endOf('0.5', '0.5')).toBe('50¢ a share, paid out');
    expect(endOf('0', '1')).toBe('Won, paid out');
  });

  it('counts neither trades that were taken back nor those of the other outcome', () => {
    const fills = [aFill({}), aFill({ settlementState: 'reversed' }), aFill({ tokenId: '8' })];
    expect(heldRows([aClosed({})], of(fills))).toMatchObject([{ bought: '10.000000' }]);
  });

  it('is not summed while trades are missing, and its profit is still known', () => {
    const [row] = heldRows([aClosed({ state: 'closed' })], {
      ...of([aFill({})]),
      areAll: false,
    });
    expect(row).toMatchObject({ bought: null, paid: null, cameBack: null, end: 'Sold' });
    expect(row?.position.realizedPnl).toBe('-5.1');
  });
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeReport, isV3Feed } from '../../../src/adapters/oracle/report.ts';
import { aReport } from './report-builder.ts';

const BTC = '0x00039d9e45394f473ab1f050a1b963e6b05351e52d71e507509ada0c95ed75b8';

describe('decodeReport', () => {
  it('reads feed, time and price of a v3 report', () => {
    expect(
      decodeReport(
        aReport({ feedId: BTC, atSeconds: 1_777_108_200, price: 78_788_525_642_908_795_142_144n }),
      ),
    ).toEqual({
      feedId: BTC,
      observedAtMs: 1_777_108_200_000,
      price: 7_878_852_564_290,
    });
  });

  it('refuses negative, zero and absurd prices', () => {
    expect(
      [0n, -1n, -(10n ** 30n), 10n ** 40n].map((price) =>
        decodeReport(aReport({ feedId: BTC, atSeconds: 1, price })),
      ),
    ).toEqual([null, null, null, null]);
  });

  it('refuses an envelope that contradicts what was signed', () => {
    const report = aReport({ feedId: BTC, atSeconds: 100, price: 10n ** 20n });
    expect(decodeReport({ ...report, observationsTimestamp: 101 })).toBeNull();
    expect(
      decodeReport(
        aReport({
          feedId: BTC,
          schemaFeedId: `0x0003${'00'.repeat(30)}`,
          atSeconds: 100,
          price: 10n ** 20n,
        }),
      ),
    ).toBeNull();
    expect(
      decodeReport(
        aReport({ feedId: `0x0004${'00'.repeat(30)}`, atSeconds: 100, price: 10n ** 20n }),
      ),
    ).toBeNull();
  });

  it('never throws on a cut or mangled report', () => {
    const report = aReport({ feedId: BTC, atSeconds: 100, price: 10n ** 22n });
    const bytes = Buffer.from(report.fullReport.slice(2), 'hex');
    fc.assert(
      fc.property(
        fc.nat(bytes.length),
        fc.nat(bytes.length - 1),
        fc.nat(255),
        (length, place, value) => {
          const mangled = Buffer.from(bytes);
          mangled[place] = value;
          const decoded = decodeReport({
            ...report,
            fullReport: `0x${mangled.subarray(0, length).toString('hex')}`,
          });
          expect(decoded === null || decoded.price > 0).toBe(true);
        },
      ),
    );
  });

  it('knows the streams of schema version 3 by their ids', () => {
    expect(
      [BTC, BTC.toUpperCase().replace('0X', '0x'), `0x0004${'0'.repeat(60)}`, '0x0003', ''].map(
        isV3Feed,
      ),
    ).toEqual([true, true, false, false, false]);
  });
});

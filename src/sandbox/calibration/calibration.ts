import type { Asset } from '../../domain/ids.ts';
import type { BookFigures, BookPhase } from './book-figures.ts';
import type { MoveFigures } from './move-figures.ts';

/**
 * Figures of the modelled world, each taken from recordings.
 * `test/sandbox/calibration/calibration.test.ts` takes them again from the files and compares.
 */

/**
 * Second-by-second moves of BTC/USD on the settlement feed. Source: venue_a-btc5m-settlement,
 * chainlink-btcusd-2026-06-08 (whole UTC day) and chainlink-btcusd-2026-07-24 (00:00 to 08:00 UTC),
 * 110,783 ticks. Method: `fitMoves`; one volatile and one quiet day together, returns over holes
 * left out.
 */
export const BTC_MOVES: MoveFigures = {
  returnLag1: 0.3144,
  logScaleMean: -10.814,
  logScaleSpread: 0.5232,
  logScaleLag1: 0.7324,
  innovationQuantiles: [
    0, 0.0624, 0.1636, 0.2929, 0.4593, 0.6745, 0.9536, 1.3673, 1.9949, 3.2604, 4.8133, 7.3909,
    9.9256, 13.114, 23.685, 30.016, 46.566, 133.9,
  ],
};

/**
 * Spread of an asset's returns relative to BTC, and their correlation with BTC's. Source:
 * prices/{btc,eth,sol}-usd-5m-2026-01-20--03-21 (candles of 2026-01-20 to 02-28 UTC). Method:
 * `fitAgainstLeader`.
 */
export const AGAINST_BTC: Readonly<
  Record<Asset, { readonly ratio: number; readonly correlation: number }>
> = {
  BTC: { ratio: 1, correlation: 1 },
  ETH: { ratio: 1.3752, correlation: 0.8787 },
  SOL: { ratio: 1.1691, correlation: 0.6466 },
};

/**
 * Prices in USD from which the process starts: the last recorded ones. Source:
 * chainlink-btcusd-2026-07-24 (08:00 UTC), eth-usd-1m-2026-03 (03-21 16:16 UTC),
 * sol-1m-2026-07-05--07-19 (07-14 21:59 UTC).
 */
export const STARTING_PRICES: Readonly<Record<Asset, number>> = {
  BTC: 65_454.01,
  ETH: 2_152.67,
  SOL: 77.18,
};

/**
 * Exchange against settlement price: ln(exchange ÷ settlement). The mean is the quote currency's
 * basis. Source: venue_a-btc5m-sessions/btc-updown-5m-1777108200 (2026-04-25 09:07 to 09:16 UTC),
 * 525 pairs. Method: `fitBasis`.
 */
export const EXCHANGE_BASIS = { mean: -0.000237, spread: 0.0000297 } as const;

/**
 * The exchange moves this long before the settlement feed. In the same session the correlation of
 * second returns peaks with the settlement price two to four seconds behind; 1.15 s of that is the
 * mirror's delay below.
 */
export const EXCHANGE_LEAD_SECONDS = 1;

/**
 * Send time minus value time of the venue's mirror of the settlement feed, in ms: median. Source:
 * as `BTC_MOVES` (5 % 793, 95 % 1,759).
 */
export const MIRROR_DELAY_MS = 1_152;

/**
 * Books of 5-minute BTC markets by phase of the window, sizes in shares. Source:
 * venue_a-btc5m-books/changes, 33 windows of 2026-04-16 07:10 to 09:55 UTC, one sample a second of
 * the first token. Method: `fitBooks`. Credit: Polymarket BTC Orderbook Dataset © 2026 by
 * CronosVirus00, CC BY 4.0.
 */
export const BOOKS: Readonly<Record<BookPhase, BookFigures>> = {
  early: {
    spreadShares: [0.9177, 0.0596, 0.0149, 0.0078],
    oneSidedShare: 0,
    meanDepth: [
      359.5, 347.1, 436.7, 466.2, 513.6, 546.2, 569.1, 560.9, 554.5, 528.2, 500.2, 481.9, 470.8,
      464.1, 465, 469.1, 473.4, 481.7, 478, 483.9,
    ],
    logSizeSpread: 0.6065,
    floorDepth: [14_677, 3_767, 2_954, 1_462, 1_263, 862.1, 785.7, 913.9, 1_936, 511],
  },
  late: {
    spreadShares: [0.9139, 0.0627, 0.014, 0.0093],
    oneSidedShare: 0.086,
    meanDepth: [
      384.4, 307.5, 390.8, 370.4, 398.2, 411.9, 444.1, 431.5, 441, 456.8, 470.3, 457, 444.1, 443.7,
      448.1, 448.5, 423.1, 423.6, 435.8, 425.3,
    ],
    logSizeSpread: 0.8777,
    floorDepth: [13_341, 3_187, 2_117, 878.3, 902.8, 541.1, 570, 715.9, 1_194, 449.8],
  },
  last: {
    spreadShares: [0.908, 0.0533, 0.0121, 0.0266],
    oneSidedShare: 0.4396,
    meanDepth: [
      254.8, 121.6, 140.5, 183.3, 122.6, 150.2, 134.2, 169.2, 184.4, 183.7, 175.5, 173.3, 204.2,
      201.3, 221.9, 216.3, 246, 263, 250.1, 216.3,
    ],
    logSizeSpread: 1.5471,
    floorDepth: [9_593, 1_959, 1_334, 356, 488.8, 193.1, 289.3, 436.7, 175, 205],
  },
};

/** A set of recorded data: what it is, under which licence, and what the report uses it for. */
export interface DataSet {
  readonly folder: string;
  readonly file: RegExp;
  readonly what: string;
  readonly licence: string;
  readonly credit: string;
  readonly use: string;
}

/** Every set the report can read. */
export const DATA_SETS: readonly DataSet[] = [
  {
    folder: 'venue_a-btc5m-settlement',
    file: /./,
    what: 'settlement-feed ticks about once a second, with the rounds they decided',
    licence: 'none stated; internal use, not to be republished',
    credit: 'Ligengxin96/polymarket-data-samples',
    use: 'calibration of the signal; how often a strategy’s signal comes true',
  },
  {
    folder: 'venue_a-updown-outcomes',
    file: /^btc-5m-late-window-books/,
    what: 'both books, a spot price and the winner, 120 to 10 s before the end of BTC 5-minute rounds',
    licence: 'none stated; internal use, not to be republished',
    credit: 'houssem98/polymarket-btc-5m-research',
    use: 'signal against the market’s price; profit of the 5-minute strategies',
  },
  {
    folder: 'venue_a-updown-outcomes',
    file: /^btc-5m-outcomes/,
    what: 'outcomes of BTC 5-minute rounds with an exchange’s open and close',
    licence: 'MIT',
    credit: 'felixdoteth/polymarket-btc-5m-dataset-',
    use: 'how often a round ends Up',
  },
  {
    folder: 'venue_a-updown-outcomes',
    file: /^btc-5m-markets/,
    what: 'one price a round of BTC 5-minute markets, with outcome',
    licence: 'none stated; internal use, not to be republished',
    credit: 'mariomerinom/polymarket-bot',
    use: 'calibration of the market’s price',
  },
  {
    folder: 'venue_a-updown-outcomes',
    file: /^btc-5m-mid-at-close/,
    what: 'middle prices of BTC 5-minute markets about 50 s before the end',
    licence: 'none stated; internal use, not to be republished',
    credit: 'houssem98/polymarket-btc-5m-research',
    use: 'calibration of the market’s price',
  },
  {
    folder: 'venue_a-btc5m-books',
    file: /./,
    what: 'full books of 33 BTC 5-minute rounds in a row; winner inferred from the closing book',
    licence: 'CC BY 4.0',
    credit:
      '“Polymarket BTC Orderbook Dataset © 2026 by CronosVirus00”, changed: re-sorted, duplicates removed, written as level changes',
    use: 'calibration of the market’s price',
  },
  {
    folder: 'venue_a-updown-outcomes',
    file: /^btc-15m-outcomes/,
    what: 'outcomes of BTC 15-minute rounds',
    licence: 'none stated; internal use, not to be republished',
    credit: 'rananjaybika-ctrl/polymarket-amm-bot',
    use: 'hit rate of the BTC 15-minute strategies',
  },
  {
    folder: 'prices',
    file: /^btc-usd-5m/,
    what: '5-minute candles of BTC',
    licence: 'none stated; internal use, not to be republished',
    credit: 'zhangjing02/StockDataSave',
    use: 'prices beside the 15-minute outcomes',
  },
  {
    folder: 'venue_b-15m-results',
    file: /./,
    what: '15-minute BTC, ETH and SOL rounds of venue_b: settlement index, result, quotes 14 minutes before the end',
    licence: 'none stated; internal use, not to be republished',
    credit: 'UnityeFUCD/m15-crypto15m-research',
    use: 'what a 15-minute entry costs, and the hit rate it needs; farming: hit rate by probability, minute by minute',
  },
  {
    folder: 'venue_b-settled',
    file: /./,
    what: 'results of settled markets of venue_b, without quotes',
    licence: 'none stated; internal use, not to be republished',
    credit: 'rgillon10-pixel/kalshi-headless',
    use: 'farming: whether any market of venue_b-books has a result',
  },
  {
    folder: 'venue_b-books',
    file: /./,
    what: 'depth of markets of venue_b at a few moments of a day, without results',
    licence: 'none stated; internal use, not to be republished',
    credit: 'rgillon10-pixel/kalshi-headless',
    use: 'farming: whether any of them has a result in venue_b-settled',
  },
  {
    folder: 'venue_a-us-quotes',
    file: /./,
    what: 'two-minute quotes of long-running markets of the venue’s US variant, with official outcomes',
    licence: 'CC BY 4.0',
    credit:
      '“Polymarket Order Book Dataset (2026), Dinesh Gopalakrishnan”, changed: a selection of markets, unchanged rows dropped',
    use: 'farming: hit rate by probability',
  },
  {
    folder: 'venue_a-active-markets',
    file: /./,
    what: 'every active market of 2026-03-11, and prices five weeks later of part of them',
    licence: 'none stated (snapshot); CC BY 4.0 (later state)',
    credit: 'wakeupnemo/polymarket-research; manja316/polymarket-historical-data',
    use: 'farming: hit rate by probability',
  },
];

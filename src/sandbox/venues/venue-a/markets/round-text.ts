import type { RoundSeries } from '../../../engine/listing.ts';

const PARTS = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/New_York',
  month: 'long',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  hour12: true,
});

/** Title of a round as the venue writes it: "Bitcoin Up or Down - July 23, 10:20PM-10:25PM ET". */
export function roundTitle(series: RoundSeries, startsAtMs: number, endsAtMs: number): string {
  const from = eastern(startsAtMs);
  return `${series.assetName} Up or Down - ${from.day}, ${from.time}-${eastern(endsAtMs).time} ET`;
}

/** The rule of a round in words, and the address of the stream that settles it. */
export function roundRules(
  series: RoundSeries,
  rule: 'spot' | 'twap_60',
): { readonly description: string; readonly resolutionSource: string } {
  const pair = `${series.asset}/USD`;
  const stream = `${series.asset.toLowerCase()}-usd${rule === 'twap_60' ? '-twap-60s-streams' : ''}`;
  const resolutionSource = `https://data.chain.link/streams/${stream}`;
  const price = rule === 'twap_60' ? '60-second average price' : 'price';
  return {
    resolutionSource,
    description:
      `Resolves to "Up" when the ${series.assetName} ${price} at the end of the window in the title is greater than or equal to the ${price} at its beginning, otherwise to "Down".\n` +
      `The resolution source is the Chainlink ${pair} data stream at ${resolutionSource}, not any other source or spot market.`,
  };
}

function eastern(atMs: number): { readonly day: string; readonly time: string } {
  const parts = new Map(PARTS.formatToParts(atMs).map(({ type, value }) => [type, value]));
  return {
    day: `${parts.get('month')} ${parts.get('day')}`,
    time: `${parts.get('hour')}:${parts.get('minute')}${parts.get('dayPeriod')}`,
  };
}

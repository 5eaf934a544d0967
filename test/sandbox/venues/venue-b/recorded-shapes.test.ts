import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  exchangeEvent,
  exchangeMarket,
  exchangeSeries,
} from '../../../../src/sandbox/venues/venue-b/wire/exchange-shapes.ts';
import { sharedData } from '../../../support/recordings/shared-data.ts';
import { aModel, marketsIn } from './a-model.ts';

type Json = Readonly<Record<string, unknown>>;

const gold = sharedData('data/venue_b-gold15m-wire/markets/KXGOLD15M-26AUG101800.json');
const apache = 'data/venue_b-fixtures/apache';
const series = sharedData(`${apache}/series_single_response.json`);

/** What a value is written as: its type, and of text whether it is money, contracts or a time. */
function formOf(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  if (typeof value !== 'string') return value === null ? 'null' : typeof value;
  if (/^-?\d+\.\d{4}$/.test(value)) return 'dollars';
  if (/^-?\d+\.\d{2}$/.test(value)) return 'contracts';
  return /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(value) ? 'time' : 'text';
}

/** Fields that both have and write differently; an empty text says nothing of its form. */
function differences(ours: Json, theirs: Json): readonly string[] {
  return Object.keys(ours).flatMap((name) => {
    const [one, other] = [ours[name], theirs[name]];
    if (other === undefined || other === null || one === null || one === '' || other === '')
      return [];
    return formOf(one) === formOf(other) ? [] : [`${name}: ${formOf(one)}, not ${formOf(other)}`];
  });
}

function recorded(path: string | null): Json {
  const bytes = readFileSync(path ?? '');
  const text = (path ?? '').endsWith('.gz') ? gunzipSync(bytes) : bytes;
  return (JSON.parse(text.toString('utf8')) as { response: Json }).response;
}

describe('what the exchange behind the sandbox’s venue_b writes, beside recorded answers', () => {
  const { model } = aModel();
  const [ended] = marketsIn(model, 'finalized');
  const event = model
    .events()
    .find(({ markets }) => markets.some(({ ticker }) => ticker === ended?.ticker));

  it.runIf(gold !== null)(
    'has every field of a recorded market that a reader goes by, in its form',
    () => {
      const [theirs = {}] = recorded(gold)['markets'] as readonly Json[];
      const ours = ended === undefined ? {} : (exchangeMarket(model, ended) as Json);
      expect(differences(ours, theirs)).toEqual([]);
      // Of its kind of market, of shards, and of one moment of its life: nothing here has them.
      const without = new Set([
        'custom_strike',
        'exchange_index',
        'floor_strike',
        'occurrence_datetime',
        'strike_type',
      ]);
      expect(Object.keys(theirs).filter((name) => !(name in ours) && !without.has(name))).toEqual(
        [],
      );
    },
  );

  it.runIf(gold !== null)('writes events as recorded ones', () => {
    const theirs = recorded(gold)['event'] as Json;
    const ours = event === undefined ? {} : exchangeEvent(model, event, false);
    expect(differences(ours, theirs)).toEqual([]);
    const without = new Set([
      'exchange_index',
      'last_updated_ts',
      'product_metadata',
      'strike_date',
    ]);
    expect(Object.keys(theirs).filter((name) => !(name in ours) && !without.has(name))).toEqual([]);
  });

  it.runIf(series !== null)('writes series as recorded ones', () => {
    const theirs = recorded(series)['series'] as Json;
    const ours = ended === undefined ? {} : (exchangeSeries(model.seriesOf(ended)) as Json);
    expect([
      differences(ours, theirs),
      Object.keys(theirs).filter((name) => !(name in ours)),
    ]).toEqual([[], []]);
  });
});

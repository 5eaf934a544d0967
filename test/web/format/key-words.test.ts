import { describe, expect, it } from 'vitest';
import { keyWords } from '../../../src/web/format/key-words.ts';

describe('a key of the journal in plain words', () => {
  it.each([
    [['inferenceDifferenceMicros'], 'Inference difference'],
    [['view', 'oracle', 'value'], 'Oracle price'],
    [['view', 'oracle', 'receivedAtMs'], 'Oracle price: received at'],
    [['view', 'exchangeAtStart'], 'Exchange price at the start'],
    [['view', 'strike', 'price'], 'Price to beat'],
    [
      ['view', 'books', '0', 'value', 'bids', '2', 'price'],
      'Book of the first outcome: bid 3: price',
    ],
    [['filters', 'endsWithinHours'], 'Ends within'],
    [['strictFilters', 'volumeAboveUsd'], 'Strict filters: volume above'],
    [['lossPerMille'], 'Loss'],
    [['some_key'], 'Some key'],
    [['view', 'atMs'], 'Decided at'],
    [['notes', '1', 'atMs'], 'Note 2: at'],
  ])('%j is “%s”', (path, words) => {
    expect(keyWords(path)).toBe(words);
  });
});

import { describe, expect, it } from 'vitest';
import { keyWords } from '../../../src/web/format/key-words.ts';

describe('a key of the journal in plain words', () => {
  it.each([
    [['inferenceDifferenceMicros'], 'Inference difference, in millionths'],
    [['view', 'oracle', 'value'], 'Oracle'],
    [['view', 'oracle', 'receivedAtMs'], 'Oracle: received at, in ms'],
    [['view', 'exchangeAtStart'], 'Exchange at start'],
    [
      ['view', 'books', '0', 'value', 'bids', '2', 'price'],
      'Book of the first outcome: bid 3: price',
    ],
    [['strictFilters', 'volumeAboveUsd'], 'Strict filters: volume above, in USD'],
    [['lossPerMille'], 'Loss, in thousandths'],
    [['some_key'], 'Some key'],
    [['atMs'], 'At, in ms'],
  ])('%j is “%s”', (path, words) => {
    expect(keyWords(path)).toBe(words);
  });
});

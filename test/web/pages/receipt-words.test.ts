import { describe, expect, it } from 'vitest';
import {
  criterionText,
  inputText,
  reasonText,
  receiptName,
} from '../../../src/web/pages/agents/receipt-words.ts';

describe('the names of a receipt', () => {
  it.each([
    ['time in round', 'Time since the round began'],
    ['signal strength Down', 'Signal strength of Down'],
    ['Limiter: signal strength Up', 'Limiter: signal strength of Up'],
    ['Inference strike: inference direction', 'Inference strike: direction of the prediction'],
    ['sale per share after fee', 'What a share brings now after the fee'],
    ['Up book', 'Order book of Up'],
    ['oracle_stale', 'Oracle stale'],
    ['category', 'Category'],
  ])('%s is “%s”', (name, words) => {
    expect(receiptName(name)).toBe(words);
  });
});

describe('the figures of a criterion', () => {
  it.each([
    ['ask', '0.76', '76¢'],
    ['ask', 'at most 0.98', 'at most 98¢'],
    ['ask', 'none', 'nothing is offered'],
    ['Limiter: ask', '0.505', '50.5¢'],
    ['spread', '0.04', '4¢'],
    ['best bid', '3 looks in a row at or below 0.873', '3 looks in a row at or below 87.3¢'],
    ['sale per share after fee', '0.64429 at 0.66', '64.43¢ at 66¢'],
    [
      'sale per share after fee',
      'at least 0.675, a cent above the worth of holding',
      'at least 67.5¢, a cent above the worth of holding',
    ],
    [
      'predicted minus baseline price',
      '-1.04571844 USD, 0.0497 % of 2101.31834834 (Down)',
      '\u2212$1.05, 0.0497 % of $2,101.32 (Down)',
    ],
    [
      'predicted minus baseline price',
      '+50 USD, 0.07 % of 70070 (Up)',
      '+$50.00, 0.07 % of $70,070.00 (Up)',
    ],
    ['volume', 'more than 1000 USD', 'more than $1,000.00'],
    ['signal strength Up', 'at least 70.0 %', 'at least 70.0 %'],
    ['category', 'crypto_price (BTC)', 'crypto price (BTC)'],
  ])('%s: “%s” is “%s”', (name, text, words) => {
    expect(criterionText({ name }, text)).toBe(words);
  });
});

describe('the figures of an input', () => {
  it.each([
    ['oracle price', '65589.41812611', '$65,589.42'],
    ['prediction', '2100.2726299', '$2,100.27'],
    ['price to beat', '65586.52443733 (captured)', '$65,586.52, the oracle’s when the round began'],
    ['price to beat', '65586.52 (venue)', '$65,586.52, as the venue states it'],
    ['volatility', '6.814e-5', 'about 0.053 % in a minute'],
    ['Up book', '0.24 x 184 / 0.25 x 368.36', 'bid 24¢ for 184 shares, ask 25¢ for 368.36 shares'],
    ['No book', '0.98 x 1721 / no ask', 'bid 98¢ for 1,721 shares, no ask'],
    ['best bid', '8400', '84¢'],
    ['listing', 'volume 1620.00 USD, liquidity 972.00 USD', 'volume $1,620.00, liquidity $972.00'],
    ['risk assessment', 'none', 'no answer'],
    ['exchange price', null, '–'],
  ])('%s: %s is “%s”', (name, value, words) => {
    expect(inputText({ name, value })).toBe(words);
  });
});

describe('the sentence of a decision', () => {
  const failed = (name: string, value: string, threshold: string) => ({
    criteria: [{ name, value, threshold, passed: false }],
  });

  it.each([
    ['ask', '0.99', 'at most 0.98', 'Ask is 99¢, needed at most 98¢.'],
    [
      'volume',
      '620.00 USD',
      'more than 1000 USD',
      'Volume is $620.00, needed more than $1,000.00.',
    ],
    [
      'inference difference',
      '0.0110 %',
      'at least 0.0500 %',
      'Difference of the prediction is 0.0110 %, needed at least 0.0500 %.',
    ],
    [
      'risk assessment',
      'blocked: Who decides may decide as he likes.',
      'not blocked',
      'Risk assessment is blocked: Who decides may decide as he likes, needed not blocked.',
    ],
  ])('names %s “%s” against “%s” as its row does', (name, value, threshold, words) => {
    const reason = `${name} is ${value}, needed ${threshold}.`;
    expect(reasonText({ reason, ...failed(name, value, threshold) })).toBe(words);
  });

  it('of a position that is held has its price in cents', () => {
    expect(
      reasonText({
        reason: 'Held: sale per share after fee is 0.5 at 0.51, an exit needs at least 0.62.',
        ...failed('sale per share after fee', '0.5 at 0.51', 'at least 0.62'),
      }),
    ).toBe(
      'Held: what a share brings now after the fee is 50¢ at 51¢, an exit needs at least 62¢.',
    );
  });

  it.each([
    [
      'Stop-loss: the bid stayed at or below 0.873 for 3 looks.',
      'Stop-loss: the bid stayed at or below 87.3¢ for 3 looks.',
    ],
    ['The bid at 0.6 stays: Up is worth more.', 'The bid at 60¢ stays: Up is worth more.'],
    [
      'Cash of 0.5 USD does not cover the smallest position and its fee.',
      'Cash of $0.50 does not cover the smallest position and its fee.',
    ],
    ['Degraded: The oracle is late.', 'Held back: The oracle is late.'],
  ])('“%s” is “%s”', (reason, words) => {
    expect(reasonText({ reason, criteria: [] })).toBe(words);
  });
});

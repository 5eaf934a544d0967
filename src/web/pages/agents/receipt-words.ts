import type { Criterion, Decision, DecisionInput } from '../../../domain/agent.ts';
import { cents, shares, usd } from '../../format/money.ts';
import { sentence, words } from '../../format/text.ts';

/** What pages call the criteria and inputs of receipts; others keep the name that they have. */
const NAMES: Readonly<Record<string, string>> = {
  'time in round': 'time since the round began',
  'exchange and oracle apart': 'difference of exchange and oracle price',
  'exchange move': 'move of the exchange price in the round',
  'inference direction': 'direction of the prediction',
  'inference difference': 'difference of the prediction',
  lead: 'side that is ahead',
  'predicted minus baseline price': 'predicted price less the oracle price',
  'sale per share after fee': 'what a share brings now after the fee',
  probability: 'chance',
  prediction: 'predicted price',
  book: 'order book',
  listing: 'what the venue lists',
};
/** Of two strategies the one that a criterion belongs to, the criterion, and its direction. */
const NAME = /^([A-Za-z ]+: )?(.+?)( (?:Up|Down|none))?$/;
const BOOK = /^(\w+) book$/;

/** Criteria that are prices of a share, in dollars without a sign. */
const PRICED = ['ask', 'best bid', 'spread', 'sale per share after fee'];
/** Inputs that are prices of an asset, in dollars without a sign. */
const ASSET_PRICED = ['oracle price', 'exchange price', 'exchange price at start', 'prediction'];

/** Who stated the price to beat. */
const STRIKE_SOURCES: Readonly<Record<string, string>> = {
  captured: 'the oracle’s when the round began',
  venue: 'as the venue states it',
};

/** Writes the name of a criterion or of an input: "Signal strength of Up". */
export function receiptName(name: string): string {
  return sentence(receiptNoun(name));
}

/** The same inside a sentence. */
export function receiptNoun(name: string): string {
  const book = BOOK.exec(name)?.[1];
  if (book !== undefined) return `order book of ${book}`;
  const [, part = '', bare = name, direction] = NAME.exec(name) ?? [];
  const plain = NAMES[bare] ?? words(bare);
  return `${part}${plain}${direction === undefined ? '' : ` of${direction}`}`;
}

/** Writes a value or a threshold of a criterion with its unit: prices in cents, USD as dollars. */
export function criterionText({ name }: Pick<Criterion, 'name'>, text: string): string {
  const [, , bare = name] = NAME.exec(name) ?? [];
  if (bare === 'ask' && text === 'none') return 'nothing is offered';
  const plain = words(text);
  return PRICED.includes(bare) ? pricesIn(plain) : dollarsIn(plain);
}

/** Writes the value of an input with its unit; "–" where it was absent. */
export function inputText({ name, value }: Pick<DecisionInput, 'name' | 'value'>): string {
  if (value === null) return '–';
  if (ASSET_PRICED.includes(name)) return usd(value);
  if (name === 'price to beat') return strikeText(value);
  // a relative move in the square root of a second
  if (name === 'volatility')
    return `about ${(Number(value) * Math.sqrt(60) * 100).toPrecision(2)} % in a minute`;
  // the receipt of a stop has it in hundredths of a cent
  if (name === 'best bid') return `${Number(value) / 100}¢`;
  if (name === 'risk assessment' && value === 'none') return 'no answer';
  return BOOK.test(name) ? bookText(value) : dollarsIn(words(value));
}

/** Writes the sentence of a decision with the names and units of its receipt. */
export function reasonText({ reason, criteria }: Pick<Decision, 'reason' | 'criteria'>): string {
  const named = criteria.reduce(
    (text, { name, value, threshold }) =>
      text
        .replace(
          `${name} is ${value}, `,
          () => `${receiptNoun(name)} is ${criterionText({ name }, value.replace(/\.$/, ''))}, `,
        )
        .replace(` ${threshold}.`, () => ` ${criterionText({ name }, threshold)}.`),
    reason,
  );
  return sentence(
    dollarsIn(named)
      .replace(/^Degraded: /, 'Held back: ')
      .replace(/(bid at|at or below) ([01]\.\d+)/g, (_, before: string, price: string) => {
        return `${before} ${cents(price)}`;
      }),
  );
}

function strikeText(value: string): string {
  const [, price = null, source = ''] = /^([\d.]+)(?: \((\w+)\))?$/.exec(value) ?? [];
  if (price === null) return value;
  const stated = STRIKE_SOURCES[source];
  return stated === undefined ? usd(price) : `${usd(price)}, ${stated}`;
}

/** `0.24 x 184 / no ask` is "bid 24¢ for 184 shares, no ask". */
function bookText(value: string): string {
  const sides = ['bid', 'ask'];
  return value
    .split(' / ')
    .map((level, index) => {
      const [, price, size] = /^([\d.]+) x ([\d.]+)$/.exec(level) ?? [];
      return price === undefined || size === undefined
        ? level
        : `${sides[index]} ${cents(price)} for ${shares(size)} shares`;
    })
    .join(', ');
}

function pricesIn(text: string): string {
  return text.replace(/\b[01]\.\d+\b/g, cents);
}

/** Writes "-1.04 USD, 0.05 % of 2101.31 (Down)" as "−$1.04, 0.05 % of $2,101.31 (Down)". */
function dollarsIn(text: string): string {
  return text
    .replace(/([-+]?)(\d+(?:\.\d+)?) USD\b/g, (_, sign: string, amount: string) =>
      sign === '-' ? usd(`-${amount}`) : `${sign}${usd(amount)}`,
    )
    .replace(
      / of (\d+(?:\.\d+)?)(?= \((?:Up|Down|none)\))/g,
      (_, price: string) => ` of ${usd(price)}`,
    );
}

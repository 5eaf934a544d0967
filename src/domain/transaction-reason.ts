import { meaningOf, type Meaning, type Reason } from './reason.ts';

/** Own words that are a sentence but for its first letter and its full stop. */
const SENTENCES: readonly RegExp[] = [
  /^less arrived than was promised$/,
  /^nothing was seen to arrive within a day$/,
  /^(?:the amount is|the router says) .+ no longer has the balances$/,
  /^the bridge (?:gave|paid) .+$/,
  /^.+ arrived: the token keeps the rest$/,
  /^a trade of the market, or its end on chain, is not final yet, .+$/,
];

const MEANINGS: readonly Meaning[] = [
  {
    words: /^its transaction is not there$/,
    sentence: 'Its transaction is not there; nothing was sent.',
    isOwn: true,
  },
  {
    words: /^(?:given up: )?not executed(?: in time)?$/,
    sentence: 'It was not executed in time, and given up.',
    isOwn: true,
  },
  {
    words: /^its block was taken back$/,
    sentence: 'The block it was in was taken back; the chain is asked what becomes of it.',
    isOwn: true,
  },
  {
    words: /^undone: (.+)$/s,
    sentence:
      'The chain took back the block it was in, and did not carry it out again: nothing but fees has moved.',
    isOwn: true,
  },
  {
    words: /^executed, and no .+ left your wallet$/,
    sentence: 'It was executed, and nothing of the token left your wallet.',
    isOwn: true,
  },
  {
    words: /^executed(?:,| without) /,
    sentence: 'It was executed, and the chain does not show what it was to do.',
  },
  {
    words: /left the Safe .+ came to the owner$/,
    sentence: 'Less came to your wallet than left the Safe.',
  },
  {
    words: /used its nonce|^nonce \d+ was used by another/,
    sentence: 'Another transaction of the wallet took its place.',
  },
  {
    words: /ERC20InsufficientAllowance|TransferFromFailed|allowance/i,
    sentence: 'The token did not let the contract take what it needed.',
  },
  {
    words: /slippage|"Custom":6001\b|too little received|insufficient_output/i,
    sentence: 'The price moved further than the slippage you allow.',
  },
  {
    words:
      /insufficient ?(?:funds|balance|lamports)|InsufficientFunds|exceeds balance|"Custom":1\b/i,
    sentence: 'The wallet held too little for it when its turn came.',
  },
  { words: /pause/i, sentence: 'The contract is paused.' },
  {
    words: /blockhash|no block took it/i,
    sentence: 'No block took it in time; nothing was executed.',
  },
  { words: /slower calls/, sentence: 'It was asked to come back later.' },
  {
    words: /^(?:answered 5\d\d|no answer in|.*does not answer|the answer has another shape)/,
    sentence: 'The answer is missing; the chain is asked what became of it.',
  },
  {
    words: /took everything back|revert|inside the Safe failed|"InstructionError"/i,
    sentence: 'The chain ran it and took everything back; nothing but fees has moved.',
  },
];

const GIVEN_UP = /^given up: (.+)$/s;

/**
 * Explains what became of a transaction, or of what it was made for, to people in one sentence;
 * addresses, figures and what else a chain or a contract writes stay in `venueReason`.
 */
export function explainTransaction(words: string | null): Reason {
  if (words === null) return { reason: null, venueReason: null };
  if (SENTENCES.some((own) => own.test(words)))
    return { reason: `${words.slice(0, 1).toUpperCase()}${words.slice(1)}.`, venueReason: null };
  const known = meaningOf(MEANINGS, words);
  if (known !== null) return known;
  const [, before = null] = GIVEN_UP.exec(words) ?? [];
  return before === null
    ? { reason: 'The chain refused it.', venueReason: words }
    : { reason: 'It was not executed in time, and given up.', venueReason: before };
}

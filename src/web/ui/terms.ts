/** A term of trading, in a sentence or two for someone who meets it for the first time. */
export const TERMS = {
  ask: 'Ask: the least at which someone sells a share now. It is what a purchase pays.',
  bid: 'Bid: the most that someone pays for a share now. It is what a sale gets.',
  bidAsk:
    'Bid: the most that someone pays for a share now, which a sale gets. Ask: the least at which someone sells one, which a purchase pays.',
  book: 'Order book: everything others offer to buy and to sell at now, by price. Bids are offers to buy, asks offers to sell; the spread between them is what buying and selling again at once would cost.',
  pool: 'Pool: a contract that sells and buys shares at prices of its own, its fee included. Each share that is bought makes the next one dearer, so that a large order costs more a share than a small one.',
  chance:
    'What the price says: a share pays $1 if the outcome comes, so at 63¢ the market takes it for about 63 %.',
  tick: 'Tick: the smallest step in which a price moves in this market.',
  volume: 'Volume: what has been traded in this market so far, as its venue counts it.',
  liquidity: 'Liquidity: how much money waits in the book, as its venue counts it.',
  worth:
    'Cash that pays for orders and what you hold in positions, together. Other tokens in your own wallets are not in it: they stand beside it.',
  walletsWorth:
    'Coins and tokens of your own wallets that no venue is paid from, such as what a swap bought: dollars count as one, others at the newest price of our data provider. What has no price counts as nothing, and says “and more”.',
  viewOnly:
    'View only: what your EVM wallet holds at this venue, as the venue itself reports it. Points and tokens that are no dollars are not in these sums. You sell and claim at the venue, not here.',
  available:
    'What you can spend now at all venues together: cash, less what open orders set aside and what trades on their way take. A venue spends its own part alone.',
  cash: 'Money in your accounts, with what trades that are not final yet bring and take.',
  setAside: 'Set aside: money that open orders hold until they trade or end.',
  inPositions: 'What selling all you hold would bring at the best bid now, before fees.',
  openProfit:
    'Open profit: what your positions would bring at the best bid now, less what they cost; gas is not in it. It moves until you sell or the market ends.',
  realizedProfit:
    'Realized profit: what sales and ended markets have brought, less what those shares cost, fees included; gas is not in it. A part that is sold counts at once.',
  profitable:
    'Profitable: the part that has brought a profit, of all positions that have ended or were sold in part. What was only bought is not counted, nor a part that was sold at its cost.',
  worstPrice:
    'A market order takes the prices of the book as they come, but none beyond this one, even if the book moves while it is on its way. What is not to be had at it is not traded.',
  priceImpact:
    'Price impact: how far the average price of this order is beyond what the first share costs now. It grows with the size of the order.',
  gas: 'Gas: what the network takes for a transaction of your own wallet, in the coin of its chain. It comes beside what you trade.',
  rent: 'Rent: a deposit in the new account of your wallet that will hold the shares. It stays there: nothing here closes the account.',
  gasNeeded:
    'The wallet must hold this much before the order is sent, in case the network asks for more than now. What is not taken stays yours.',
  entry: 'Entry: what a share has cost on average, fees included, without gas.',
  settling:
    'Settled: the trade is final on the chain. Until then it is matched and on its way there, which takes some seconds.',
  drawdown: 'Largest drawdown: the furthest the realized profit ever fell below its highest.',
  trades:
    'Orders to enter a market that bought something. What was refused, cancelled or found no one to trade with is not counted.',
  fillRate: 'Of its orders to enter a market that are over, the part that bought something.',
  atRisk: 'At risk: what its open positions have cost, which is the most they can lose.',
  paper:
    'On paper: the agent decides as with money and its orders are worked out against the real book, but none is sent and no money moves. It plays with $1,000 of its own.',
  shadow:
    'Not yours: one run on paper with this strategy, these settings and these sizes, shared by all agents with real money that have them. It goes on from when the first of them was switched on, takes every market, also where a cap or too little cash kept yours from ordering, and so has other results. It shows what the strategy itself is worth.',
  beyondPaper:
    'How much more a share cost with real money than paper had worked out for the same order: what being late and others in the book have cost.',
  prediction:
    'Prediction: the price that the inference network, a network of models that forecast prices, expects in five minutes.',
  signalStrength:
    'Signal strength: how strongly the oracle price, the price to beat, the calm of the market and the time left speak for a side, from 0 to 100 %. It is a score, not the chance that the side wins.',
  oracle:
    'Oracle price: the price by which the round is decided in the end. The exchange price is what the asset trades at just now.',
  safe: 'Safe: the wallet contract on Polygon that holds your money and shares at venue a. Only your own key moves it.',
} as const;

/** Name of a word that is explained. */
export type TermName = keyof typeof TERMS;

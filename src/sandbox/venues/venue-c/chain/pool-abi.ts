import { parseAbi } from 'viem';

/** The factory of pools: FPMMDeterministicFactory of the market makers' package 1.8.1. */
export const POOL_FACTORY_ABI = parseAbi([
  'function create2FixedProductMarketMaker(uint256 saltNonce, address conditionalTokens, address collateralToken, bytes32[] conditionIds, uint256 fee, uint256 initialFunds, uint256[] distributionHint) returns (address)',
  'function cloneConstructor(bytes consData)',
  'event FixedProductMarketMakerCreation(address indexed creator, address fixedProductMarketMaker, address conditionalTokens, address collateralToken, bytes32[] conditionIds, uint256 fee)',
]);

/** A pool: FixedProductMarketMaker of the same package. */
export const POOL_ABI = parseAbi([
  'function calcBuyAmount(uint256 investmentAmount, uint256 outcomeIndex) view returns (uint256)',
  'function calcSellAmount(uint256 returnAmount, uint256 outcomeIndex) view returns (uint256)',
  'function buy(uint256 investmentAmount, uint256 outcomeIndex, uint256 minOutcomeTokensToBuy)',
  'function sell(uint256 returnAmount, uint256 outcomeIndex, uint256 maxOutcomeTokensToSell)',
  'function fee() view returns (uint256)',
  'function conditionalTokens() view returns (address)',
  'function collateralToken() view returns (address)',
  'event FPMMBuy(address indexed buyer, uint256 investmentAmount, uint256 feeAmount, uint256 indexed outcomeIndex, uint256 outcomeTokensBought)',
  'event FPMMSell(address indexed seller, uint256 returnAmount, uint256 feeAmount, uint256 indexed outcomeIndex, uint256 outcomeTokensSold)',
]);

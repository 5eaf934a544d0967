// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC1155} from "@openzeppelin/contracts/token/ERC1155/IERC1155.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// What the venue's contracts call of the Gnosis conditional tokens framework 1.0.3.
interface IConditionalTokens is IERC1155 {
    function splitPosition(IERC20 collateral, bytes32 parent, bytes32 conditionId, uint256[] calldata partition, uint256 amount) external;
    function mergePositions(IERC20 collateral, bytes32 parent, bytes32 conditionId, uint256[] calldata partition, uint256 amount) external;
    function redeemPositions(IERC20 collateral, bytes32 parent, bytes32 conditionId, uint256[] calldata indexSets) external;
    function reportPayouts(bytes32 questionId, uint256[] calldata payouts) external;
    function getCollectionId(bytes32 parent, bytes32 conditionId, uint256 indexSet) external view returns (bytes32);
    function getOutcomeSlotCount(bytes32 conditionId) external view returns (uint256);
    function payoutNumerators(bytes32 conditionId, uint256 outcome) external view returns (uint256);
    function payoutDenominator(bytes32 conditionId) external view returns (uint256);
}

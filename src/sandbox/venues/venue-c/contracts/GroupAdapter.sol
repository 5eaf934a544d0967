// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ERC1155Holder} from "@openzeppelin/contracts/token/ERC1155/utils/ERC1155Holder.sol";
import {ReentrancyGuard} from "@openzeppelin/contracts/utils/ReentrancyGuard.sol";
import {IConditionalTokens} from "../../../chains/evm/contracts/IConditionalTokens.sol";
import {OutcomePairs} from "../../../chains/evm/contracts/OutcomePairs.sol";

/// Markets of groups: their conditions are this contract's to report, so that no second market of a group ends with Yes, and their shares
/// are redeemed here, by whoever allows this contract to take them.
contract GroupAdapter is OutcomePairs, ERC1155Holder, ReentrancyGuard {
    using SafeERC20 for IERC20;

    address public immutable oracle;

    /// The question of each group that ended with Yes.
    mapping(bytes32 groupId => bytes32 questionId) public winnerOf;

    event PayoutRedemption(address indexed redeemer, bytes32 indexed conditionId, uint256[] amounts, uint256 payout);

    error NotOracle();
    error SecondWinner(bytes32 groupId);

    constructor(IERC20 dollars, IConditionalTokens tokens_, address oracle_) OutcomePairs(dollars, tokens_) {
        oracle = oracle_;
    }

    /// Says how a market ended: what a share of Yes and of No pays, as parts of their sum.
    function reportOutcome(bytes32 groupId, bytes32 questionId, uint256[] calldata payouts) external {
        if (msg.sender != oracle) revert NotOracle();
        if (payouts[0] > payouts[1]) {
            if (winnerOf[groupId] != 0) revert SecondWinner(groupId);
            winnerOf[groupId] = questionId;
        }
        tokens.reportPayouts(questionId, payouts);
    }

    /// Takes so many shares of Yes and of No, and pays what they are worth.
    function redeemPositions(bytes32 conditionId, uint256[] calldata amounts) external nonReentrant {
        uint256[] memory ids = pairOf(conditionId);
        tokens.safeBatchTransferFrom(msg.sender, address(this), ids, amounts, "");
        uint256 before = collateral.balanceOf(address(this));
        redeemSets(conditionId);
        uint256 payout = collateral.balanceOf(address(this)) - before;
        collateral.safeTransfer(msg.sender, payout);
        emit PayoutRedemption(msg.sender, conditionId, amounts, payout);
    }
}

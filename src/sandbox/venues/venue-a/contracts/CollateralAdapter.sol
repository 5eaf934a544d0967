// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ERC1155Holder} from "@openzeppelin/contracts/token/ERC1155/utils/ERC1155Holder.sol";
import {ReentrancyGuard} from "@openzeppelin/contracts/utils/ReentrancyGuard.sol";
import {IConditionalTokens} from "../../../chains/evm/contracts/IConditionalTokens.sol";

/// Split, merge and redeem in the venue's collateral, for callers who approved it: the collateral for splits, the shares for the rest.
/// On the local chain the collateral itself backs the shares, so this only forwards and keeps nothing.
contract CollateralAdapter is ERC1155Holder, ReentrancyGuard {
    using SafeERC20 for IERC20;

    error NotCollateral();
    error NotBinary();

    IERC20 public immutable collateral;
    IConditionalTokens public immutable tokens;

    constructor(IERC20 collateral_, IConditionalTokens tokens_) {
        collateral = collateral_;
        tokens = tokens_;
    }

    function splitPosition(IERC20 asset, bytes32 parent, bytes32 conditionId, uint256[] calldata partition, uint256 amount) external nonReentrant {
        uint256[] memory ids = requireBinary(asset, parent, conditionId, partition);
        collateral.safeTransferFrom(msg.sender, address(this), amount);
        collateral.forceApprove(address(tokens), amount);
        tokens.splitPosition(collateral, 0, conditionId, partition, amount);
        tokens.safeBatchTransferFrom(address(this), msg.sender, ids, both(amount, amount), "");
    }

    function mergePositions(IERC20 asset, bytes32 parent, bytes32 conditionId, uint256[] calldata partition, uint256 amount) external nonReentrant {
        uint256[] memory ids = requireBinary(asset, parent, conditionId, partition);
        tokens.safeBatchTransferFrom(msg.sender, address(this), ids, both(amount, amount), "");
        tokens.mergePositions(collateral, 0, conditionId, partition, amount);
        collateral.safeTransfer(msg.sender, amount);
    }

    /// Redeems all the caller holds of both outcomes.
    function redeemPositions(IERC20 asset, bytes32 parent, bytes32 conditionId, uint256[] calldata indexSets) external nonReentrant {
        uint256[] memory ids = requireBinary(asset, parent, conditionId, indexSets);
        uint256[] memory amounts = both(tokens.balanceOf(msg.sender, ids[0]), tokens.balanceOf(msg.sender, ids[1]));
        tokens.safeBatchTransferFrom(msg.sender, address(this), ids, amounts, "");
        tokens.redeemPositions(collateral, 0, conditionId, indexSets);
        uint256 payout = worth(conditionId, 0, amounts[0]) + worth(conditionId, 1, amounts[1]);
        if (payout > 0) collateral.safeTransfer(msg.sender, payout);
    }

    function requireBinary(IERC20 asset, bytes32 parent, bytes32 conditionId, uint256[] calldata sets) private view returns (uint256[] memory) {
        if (address(asset) != address(collateral) || parent != 0) revert NotCollateral();
        if (sets.length != 2 || sets[0] != 1 || sets[1] != 2) revert NotBinary();
        return both(positionId(conditionId, 1), positionId(conditionId, 2));
    }

    /// What the framework pays for these shares: reckoned, not read off the balance, which other transfers may have added to.
    function worth(bytes32 conditionId, uint256 outcome, uint256 amount) private view returns (uint256) {
        return amount * tokens.payoutNumerators(conditionId, outcome) / tokens.payoutDenominator(conditionId);
    }

    function positionId(bytes32 conditionId, uint256 indexSet) private view returns (uint256) {
        return uint256(keccak256(abi.encodePacked(collateral, tokens.getCollectionId(0, conditionId, indexSet))));
    }

    function both(uint256 first, uint256 second) private pure returns (uint256[] memory pair) {
        pair = new uint256[](2);
        pair[0] = first;
        pair[1] = second;
    }
}

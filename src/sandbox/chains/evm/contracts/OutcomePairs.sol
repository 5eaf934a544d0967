// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IConditionalTokens} from "./IConditionalTokens.sol";

/// Which outcome tokens belong together: the two of one condition, backed by the collateral.
abstract contract OutcomePairs {
    IERC20 public immutable collateral;
    IConditionalTokens public immutable tokens;

    struct Outcome {
        uint256 opposite;
        bytes32 conditionId;
    }

    mapping(uint256 tokenId => Outcome) private outcomes;

    event PairListed(bytes32 indexed conditionId, uint256 first, uint256 second);

    error UnknownToken(uint256 tokenId);
    error NotBinary(bytes32 conditionId);

    constructor(IERC20 collateral_, IConditionalTokens tokens_) {
        collateral = collateral_;
        tokens = tokens_;
    }

    /// Makes a condition's two tokens tradable. Anybody may: the ids follow from the condition.
    function listPair(bytes32 conditionId) external returns (uint256 first, uint256 second) {
        if (tokens.getOutcomeSlotCount(conditionId) != 2) revert NotBinary(conditionId);
        first = positionId(conditionId, 1);
        second = positionId(conditionId, 2);
        if (outcomes[first].conditionId != 0) return (first, second);
        outcomes[first] = Outcome(second, conditionId);
        outcomes[second] = Outcome(first, conditionId);
        emit PairListed(conditionId, first, second);
    }

    function outcomeOf(uint256 tokenId) public view returns (Outcome memory outcome) {
        outcome = outcomes[tokenId];
        if (outcome.conditionId == 0) revert UnknownToken(tokenId);
    }

    function splitSets(bytes32 conditionId, uint256 amount) internal {
        tokens.splitPosition(collateral, 0, conditionId, bothOutcomes(), amount);
    }

    function mergeSets(bytes32 conditionId, uint256 amount) internal {
        tokens.mergePositions(collateral, 0, conditionId, bothOutcomes(), amount);
    }

    function redeemSets(bytes32 conditionId) internal {
        tokens.redeemPositions(collateral, 0, conditionId, bothOutcomes());
    }

    /// The two tokens of a condition, listed or not.
    function pairOf(bytes32 conditionId) internal view returns (uint256[] memory ids) {
        ids = new uint256[](2);
        ids[0] = positionId(conditionId, 1);
        ids[1] = positionId(conditionId, 2);
    }

    function positionId(bytes32 conditionId, uint256 indexSet) private view returns (uint256) {
        return uint256(keccak256(abi.encodePacked(collateral, tokens.getCollectionId(0, conditionId, indexSet))));
    }

    function bothOutcomes() private pure returns (uint256[] memory sets) {
        sets = new uint256[](2);
        sets[0] = 1;
        sets[1] = 2;
    }
}

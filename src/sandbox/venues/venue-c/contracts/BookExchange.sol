// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ERC1155Holder} from "@openzeppelin/contracts/token/ERC1155/utils/ERC1155Holder.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {ReentrancyGuard} from "@openzeppelin/contracts/utils/ReentrancyGuard.sol";
import {IConditionalTokens} from "../../../chains/evm/contracts/IConditionalTokens.sol";
import {OutcomePairs} from "../../../chains/evm/contracts/OutcomePairs.sol";
import {BUY, Order, Part, SignedOrders} from "./SignedOrders.sol";

/// Settles what the venue matched: one taker against one or more makers, in three ways that may be mixed.
///   swap   a buy and a sell of one token: shares against dollars
///   mint   two buys of the two tokens of a condition: their dollars are split into a share of each
///   merge  two sells of the two tokens: the shares are merged and the dollars are shared out
/// Makers get their own price to the last unit, the taker all that is better than its own. The fee is the taker's: a buyer pays it in
/// shares, a seller in dollars, so that neither has to allow more than what it offers. Everything is reckoned from the orders, never from
/// what the contract holds; whatever was sent here by mistake stays where it is.
contract BookExchange is SignedOrders, OutcomePairs, ERC1155Holder, ReentrancyGuard {
    using SafeERC20 for IERC20;

    address public immutable operator;
    address public immutable feeReceiver;

    /// `given` of what the order offers and `got` of what it wants, fee not included.
    event OrderFilled(bytes32 indexed orderHash, address indexed maker, uint256 indexed tokenId, uint8 side, uint256 given, uint256 got, uint256 fee);

    error NotOperator();
    error NotCrossing(bytes32 makerHash);
    error PriceWorse(bytes32 orderHash);
    error FeeTooHigh();

    /// What one maker's part comes to.
    struct Leg {
        bool isSwap;
        uint256 gives;
        uint256 gets;
    }

    /// What a match comes to for the taker.
    struct Sums {
        uint256 given;
        uint256 got;
        /// Sets to split or to merge.
        uint256 sets;
        /// Dollars the taker adds to the makers' for the sets that are split.
        uint256 toSplit;
    }

    constructor(string memory name, string memory version, IERC20 dollars, IConditionalTokens tokens_, address operator_, address feeReceiver_)
        EIP712(name, version)
        OutcomePairs(dollars, tokens_)
    {
        operator = operator_;
        feeReceiver = feeReceiver_;
    }

    /// Settles a match. `fee` is of what the taker gets, and at most what its order says.
    function matchOrders(Part calldata taker, Part[] calldata makers, uint256 fee) external nonReentrant {
        if (msg.sender != operator) revert NotOperator();
        bytes32 takerHash = useUp(taker);
        Outcome memory outcome = outcomeOf(taker.order.tokenId);
        (Leg[] memory legs, Sums memory sums) = reckon(taker.order, makers, outcome.opposite);
        if (sums.given > taker.fill || sums.got < dueFor(taker.order, taker.fill)) revert PriceWorse(takerHash);
        if (fee > sums.got * taker.order.feeRateBps / 10_000) revert FeeTooHigh();
        emit OrderFilled(takerHash, taker.order.maker, taker.order.tokenId, taker.order.side, sums.given, sums.got, fee);
        if (taker.order.side == BUY) settleBuy(taker.order, makers, legs, sums, outcome, fee);
        else settleSell(taker.order, makers, legs, sums, outcome, fee);
    }

    /// Books every maker as filled and works out who gives and gets what.
    function reckon(Order calldata taker, Part[] calldata makers, uint256 opposite) private returns (Leg[] memory legs, Sums memory sums) {
        legs = new Leg[](makers.length);
        for (uint256 index = 0; index < makers.length; index++) {
            Order calldata maker = makers[index].order;
            bytes32 makerHash = useUp(makers[index]);
            uint256 gives = makers[index].fill;
            uint256 gets = dueFor(maker, gives);
            bool isSwap = maker.side != taker.side;
            if (maker.tokenId != (isSwap ? taker.tokenId : opposite)) revert NotCrossing(makerHash);
            legs[index] = Leg(isSwap, gives, gets);
            // What this leg takes from the taker and brings it. A set is worth a dollar, of which the maker's price is the maker's.
            uint256 given = gets;
            uint256 got = gives;
            if (!isSwap) {
                bool isMint = taker.side == BUY;
                if (isMint ? gives > gets : gets > gives) revert NotCrossing(makerHash);
                (given, got) = isMint ? (gets - gives, gets) : (gives, gives - gets);
                sums.sets += isMint ? gets : gives;
                if (isMint) sums.toSplit += given;
            }
            // Each leg at the taker's price or better, not only all of them together.
            if (got * taker.makerAmount < given * taker.takerAmount) revert NotCrossing(makerHash);
            sums.given += given;
            sums.got += got;
            emit OrderFilled(makerHash, maker.maker, maker.tokenId, maker.side, gives, gets, 0);
        }
    }

    /// The shares come here first, so that the fee can be kept of them.
    function settleBuy(Order calldata taker, Part[] calldata makers, Leg[] memory legs, Sums memory sums, Outcome memory outcome, uint256 fee) private {
        if (sums.toSplit > 0) collateral.safeTransferFrom(taker.maker, address(this), sums.toSplit);
        for (uint256 index = 0; index < legs.length; index++) {
            address maker = makers[index].order.maker;
            if (!legs[index].isSwap) {
                collateral.safeTransferFrom(maker, address(this), legs[index].gives);
                continue;
            }
            collateral.safeTransferFrom(taker.maker, maker, legs[index].gets);
            tokens.safeTransferFrom(maker, address(this), taker.tokenId, legs[index].gives, "");
        }
        if (sums.sets > 0) {
            collateral.forceApprove(address(tokens), sums.sets);
            splitSets(outcome.conditionId, sums.sets);
            for (uint256 index = 0; index < legs.length; index++) {
                if (!legs[index].isSwap) tokens.safeTransferFrom(address(this), makers[index].order.maker, outcome.opposite, legs[index].gets, "");
            }
        }
        tokens.safeTransferFrom(address(this), taker.maker, taker.tokenId, sums.got - fee, "");
        if (fee > 0) tokens.safeTransferFrom(address(this), feeReceiver, taker.tokenId, fee, "");
    }

    function settleSell(Order calldata taker, Part[] calldata makers, Leg[] memory legs, Sums memory sums, Outcome memory outcome, uint256 fee) private {
        if (sums.sets > 0) tokens.safeTransferFrom(taker.maker, address(this), taker.tokenId, sums.sets, "");
        for (uint256 index = 0; index < legs.length; index++) {
            address maker = makers[index].order.maker;
            if (!legs[index].isSwap) {
                tokens.safeTransferFrom(maker, address(this), outcome.opposite, legs[index].gives, "");
                continue;
            }
            collateral.safeTransferFrom(maker, address(this), legs[index].gives);
            tokens.safeTransferFrom(taker.maker, maker, taker.tokenId, legs[index].gets, "");
        }
        if (sums.sets > 0) mergeSets(outcome.conditionId, sums.sets);
        for (uint256 index = 0; index < legs.length; index++) {
            if (!legs[index].isSwap) collateral.safeTransfer(makers[index].order.maker, legs[index].gets);
        }
        if (fee > 0) collateral.safeTransfer(feeReceiver, fee);
        collateral.safeTransfer(taker.maker, sums.got - fee);
    }
}

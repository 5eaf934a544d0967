// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

interface PairRouter {
    function swapExactTokensForTokens(uint256 amountIn, uint256 minimumOut, address[] calldata path, address to, uint256 deadline)
        external
        returns (uint256[] memory);
    function swapExactETHForTokens(uint256 minimumOut, address[] calldata path, address to, uint256 deadline)
        external
        payable
        returns (uint256[] memory);
    function swapExactTokensForETH(uint256 amountIn, uint256 minimumOut, address[] calldata path, address to, uint256 deadline)
        external
        returns (uint256[] memory);
}

/// The router's contract on a local chain: swaps through pools of pairs, takes in what is bridged, and pays out what came from elsewhere,
/// each transfer once. The zero address stands for the chain's own coin.
contract RouterDiamond {
    using SafeERC20 for IERC20;

    error NotOperator();
    error AlreadyPaid();
    error WrongValue();
    error Expired();

    event SwapCompleted(bytes32 indexed id, address indexed receiver, uint256 amountIn, uint256 amountOut);
    event TransferStarted(
        bytes32 indexed id,
        address sender,
        address token,
        uint256 amount,
        uint256 destinationChainId,
        bytes32 receiver,
        bytes32 receivingToken,
        uint256 minimum
    );
    event TransferPaid(bytes32 indexed id, address token, address receiver, uint256 amount);

    address public immutable operator;
    PairRouter public immutable pairs;
    mapping(bytes32 => bool) public isPaid;

    constructor(address operator_, PairRouter pairs_) {
        operator = operator_;
        pairs = pairs_;
    }

    receive() external payable {}

    /// Sells for what the path leads to; the coin goes in or comes out where a token is the zero address.
    function swap(
        bytes32 id,
        address sold,
        address bought,
        address[] calldata path,
        uint256 amount,
        uint256 minimum,
        address receiver,
        uint256 deadline
    ) external payable {
        if (block.timestamp > deadline) revert Expired();
        if (msg.value != (sold == address(0) ? amount : 0)) revert WrongValue();
        if (sold != address(0)) {
            IERC20(sold).safeTransferFrom(msg.sender, address(this), amount);
            IERC20(sold).forceApprove(address(pairs), amount);
        }
        uint256[] memory amounts;
        if (sold == address(0)) {
            amounts = pairs.swapExactETHForTokens{value: amount}(minimum, path, receiver, block.timestamp);
        } else if (bought == address(0)) {
            amounts = pairs.swapExactTokensForETH(amount, minimum, path, receiver, block.timestamp);
        } else {
            amounts = pairs.swapExactTokensForTokens(amount, minimum, path, receiver, block.timestamp);
        }
        emit SwapCompleted(id, receiver, amount, amounts[amounts.length - 1]);
    }

    /// Takes in what is to arrive on another chain.
    function startBridge(
        bytes32 id,
        address token,
        uint256 amount,
        uint256 destinationChainId,
        bytes32 receiver,
        bytes32 receivingToken,
        uint256 minimum,
        uint256 deadline
    ) external payable {
        if (block.timestamp > deadline) revert Expired();
        if (msg.value != (token == address(0) ? amount : 0)) revert WrongValue();
        if (token != address(0)) IERC20(token).safeTransferFrom(msg.sender, address(this), amount);
        emit TransferStarted(id, msg.sender, token, amount, destinationChainId, receiver, receivingToken, minimum);
    }

    /// Pays out what came from another chain, or gives back what did not arrive there: once for each id.
    function pay(bytes32 id, address token, address receiver, uint256 amount) external payable {
        if (msg.sender != operator) revert NotOperator();
        if (isPaid[id]) revert AlreadyPaid();
        isPaid[id] = true;
        if (token == address(0)) {
            (bool isSent,) = receiver.call{value: amount}("");
            if (!isSent) revert WrongValue();
        } else {
            IERC20(token).safeTransfer(receiver, amount);
        }
        emit TransferPaid(id, token, receiver, amount);
    }
}

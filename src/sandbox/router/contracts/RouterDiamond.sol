// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// The words of every bridge of the router (LI.FI's ILiFi).
struct BridgeData {
    bytes32 transactionId;
    string bridge;
    string integrator;
    address referrer;
    address sendingAssetId;
    address receiver;
    uint256 minAmount;
    uint256 destinationChainId;
    bool hasSourceSwaps;
    bool hasDestinationCall;
}

/// What Across alone receives (LI.FI's AcrossFacetV4).
struct AcrossV4Data {
    bytes32 receiverAddress;
    bytes32 refundAddress;
    bytes32 sendingAssetId;
    bytes32 receivingAssetId;
    uint256 outputAmount;
    uint128 outputAmountMultiplier;
    bytes32 exclusiveRelayer;
    uint32 quoteTimestamp;
    uint32 fillDeadline;
    uint32 exclusivityParameter;
    bytes message;
}

/// One swap through an exchange (LI.FI's LibSwap).
struct SwapData {
    address callTo;
    address approveTo;
    address sendingAssetId;
    address receivingAssetId;
    uint256 fromAmount;
    bytes callData;
    bool requiresDeposit;
}

/// The router's contract on a local chain, called as LI.FI's own: swaps through pools of pairs, takes in what is bridged, and pays out what
/// came from elsewhere, each transfer once. The zero address stands for the chain's own coin.
contract RouterDiamond {
    using SafeERC20 for IERC20;

    error NotOperator();
    error AlreadyPaid();
    error WrongValue();
    error Expired();
    error ContractCallNotAllowed();
    error CumulativeSlippageTooHigh(uint256 minimum, uint256 received);
    error InformationMismatch();
    error InvalidReceiver();

    event LiFiGenericSwapCompleted(
        bytes32 indexed transactionId,
        string integrator,
        string referrer,
        address receiver,
        address fromAssetId,
        address toAssetId,
        uint256 fromAmount,
        uint256 toAmount
    );
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

    /// Placeholder of the receiver where the other chain is not an EVM chain.
    address public constant NON_EVM_ADDRESS = 0x11f111f111f111F111f111f111F111f111f111F1;
    address public immutable operator;
    address public immutable pairs;
    mapping(bytes32 => bool) public isPaid;

    constructor(address operator_, address pairs_) {
        operator = operator_;
        pairs = pairs_;
    }

    receive() external payable {}

    function swapTokensSingleV3ERC20ToERC20(
        bytes32 id,
        string calldata integrator,
        string calldata referrer,
        address payable receiver,
        uint256 minimum,
        SwapData calldata swap
    ) external {
        deposit(swap);
        uint256 out = sell(swap, 0);
        give(swap.receivingAssetId, receiver, least(out, minimum));
        emit LiFiGenericSwapCompleted(
            id, integrator, referrer, receiver, swap.sendingAssetId, swap.receivingAssetId, swap.fromAmount, out
        );
    }

    function swapTokensSingleV3ERC20ToNative(
        bytes32 id,
        string calldata integrator,
        string calldata referrer,
        address payable receiver,
        uint256 minimum,
        SwapData calldata swap
    ) external {
        deposit(swap);
        uint256 out = sell(swap, 0);
        give(address(0), receiver, least(out, minimum));
        emit LiFiGenericSwapCompleted(id, integrator, referrer, receiver, swap.sendingAssetId, address(0), swap.fromAmount, out);
    }

    function swapTokensSingleV3NativeToERC20(
        bytes32 id,
        string calldata integrator,
        string calldata referrer,
        address payable receiver,
        uint256 minimum,
        SwapData calldata swap
    ) external payable {
        uint256 out = sell(swap, msg.value);
        give(swap.receivingAssetId, receiver, least(out, minimum));
        emit LiFiGenericSwapCompleted(id, integrator, referrer, receiver, address(0), swap.receivingAssetId, swap.fromAmount, out);
    }

    /// Takes in what is to arrive on another chain.
    function startBridgeTokensViaAcrossV4(BridgeData calldata bridge, AcrossV4Data calldata across) external payable {
        if (block.timestamp > across.fillDeadline) revert Expired();
        if (bridge.hasSourceSwaps || bridge.hasDestinationCall || across.message.length > 0) revert InformationMismatch();
        if (across.receiverAddress == 0) revert InvalidReceiver();
        if (bridge.receiver != NON_EVM_ADDRESS && bytes32(uint256(uint160(bridge.receiver))) != across.receiverAddress) {
            revert InvalidReceiver();
        }
        address token = bridge.sendingAssetId;
        if (msg.value != (token == address(0) ? bridge.minAmount : 0)) revert WrongValue();
        if (token != address(0)) IERC20(token).safeTransferFrom(msg.sender, address(this), bridge.minAmount);
        emit TransferStarted(
            bridge.transactionId,
            msg.sender,
            token,
            bridge.minAmount,
            bridge.destinationChainId,
            across.receiverAddress,
            across.receivingAssetId,
            across.outputAmount
        );
    }

    /// Pays out what came from another chain, or gives back what did not arrive there: once for each id.
    function pay(bytes32 id, address token, address receiver, uint256 amount) external payable {
        if (msg.sender != operator) revert NotOperator();
        if (isPaid[id]) revert AlreadyPaid();
        isPaid[id] = true;
        give(token, receiver, amount);
        emit TransferPaid(id, token, receiver, amount);
    }

    function deposit(SwapData calldata swap) private {
        IERC20(swap.sendingAssetId).safeTransferFrom(msg.sender, address(this), swap.fromAmount);
        IERC20(swap.sendingAssetId).forceApprove(swap.approveTo, swap.fromAmount);
    }

    /// Calls the one exchange there is, and says what it brought here.
    function sell(SwapData calldata swap, uint256 value) private returns (uint256) {
        if (swap.callTo != pairs || swap.approveTo != pairs) revert ContractCallNotAllowed();
        uint256 before = held(swap.receivingAssetId);
        (bool isDone, bytes memory answer) = swap.callTo.call{value: value}(swap.callData);
        if (!isDone) {
            assembly {
                revert(add(answer, 32), mload(answer))
            }
        }
        return held(swap.receivingAssetId) - before;
    }

    function held(address token) private view returns (uint256) {
        return token == address(0) ? address(this).balance : IERC20(token).balanceOf(address(this));
    }

    function least(uint256 out, uint256 minimum) private pure returns (uint256) {
        if (out < minimum) revert CumulativeSlippageTooHigh(minimum, out);
        return out;
    }

    function give(address token, address receiver, uint256 amount) private {
        if (token != address(0)) {
            IERC20(token).safeTransfer(receiver, amount);
            return;
        }
        (bool isSent,) = receiver.call{value: amount}("");
        if (!isSent) revert WrongValue();
    }
}

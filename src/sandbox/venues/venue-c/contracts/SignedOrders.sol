// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";

uint8 constant BUY = 0;
uint8 constant SELL = 1;

/// An order as its owner signed it, version 1. A buy offers dollars for shares, a sell shares for dollars.
struct Order {
    uint256 salt;
    address maker;
    address signer;
    address taker;
    uint256 tokenId;
    uint256 makerAmount;
    uint256 takerAmount;
    uint256 expiration;
    uint256 nonce;
    uint256 feeRateBps;
    uint8 side;
    uint8 signatureType;
}

/// One order's part in a match: how much of its makerAmount is used up.
struct Part {
    Order order;
    bytes signature;
    uint256 fill;
}

/// Who may trade with whose money: order hashes, signatures, cancels, and how far each order is filled.
abstract contract SignedOrders is EIP712 {
    bytes32 private constant ORDER_TYPE = keccak256(
        "Order(uint256 salt,address maker,address signer,address taker,uint256 tokenId,uint256 makerAmount,uint256 takerAmount,uint256 expiration,uint256 nonce,uint256 feeRateBps,uint8 side,uint8 signatureType)"
    );

    struct Status {
        bool isCancelled;
        /// Of the order's makerAmount.
        uint248 filled;
    }

    mapping(bytes32 orderHash => Status) private statuses;

    event OrderCancelled(bytes32 indexed orderHash);

    error BadSignature(bytes32 orderHash);
    error BadAmounts(bytes32 orderHash);
    error Expired(bytes32 orderHash);
    error Private(bytes32 orderHash);
    error Cancelled(bytes32 orderHash);
    error Overfilled(bytes32 orderHash);
    error NotMaker();

    /// The EIP-712 digest.
    function hashOrder(Order calldata order) public view returns (bytes32) {
        return _hashTypedDataV4(keccak256(abi.encode(ORDER_TYPE, order)));
    }

    function statusOf(bytes32 orderHash) external view returns (bool isCancelled, uint256 filled) {
        Status storage status = statuses[orderHash];
        return (status.isCancelled, status.filled);
    }

    /// Ends an order for good, known here or not. Only its maker may, and always may.
    function cancelOrders(Order[] calldata orders) external {
        for (uint256 index = 0; index < orders.length; index++) {
            if (orders[index].maker != msg.sender) revert NotMaker();
            bytes32 orderHash = hashOrder(orders[index]);
            statuses[orderHash].isCancelled = true;
            emit OrderCancelled(orderHash);
        }
    }

    /// Checks that the order may be filled by so much, and books it as filled. Returns its hash.
    function useUp(Part calldata part) internal returns (bytes32 orderHash) {
        Order calldata order = part.order;
        orderHash = hashOrder(order);
        if (order.makerAmount == 0 || order.takerAmount == 0 || part.fill == 0 || order.side > SELL) revert BadAmounts(orderHash);
        if (order.expiration != 0 && order.expiration < block.timestamp) revert Expired(orderHash);
        if (order.taker != address(0)) revert Private(orderHash);
        Status storage status = statuses[orderHash];
        if (status.isCancelled) revert Cancelled(orderHash);
        uint256 filled = uint256(status.filled) + part.fill;
        if (filled > order.makerAmount || filled > type(uint248).max) revert Overfilled(orderHash);
        if (!isSigned(order, orderHash, part.signature)) revert BadSignature(orderHash);
        status.filled = uint248(filled);
    }

    /// The least the owner gets for `fill` at the signed price: rounded up, so never a worse price than signed.
    function dueFor(Order calldata order, uint256 fill) internal pure returns (uint256) {
        return Math.mulDiv(fill, order.takerAmount, order.makerAmount, Math.Rounding.Ceil);
    }

    /// Accounts that sign for themselves: type 0, and no other.
    function isSigned(Order calldata order, bytes32 orderHash, bytes calldata signature) private pure returns (bool) {
        (address signer, ECDSA.RecoverError failure,) = ECDSA.tryRecoverCalldata(orderHash, signature);
        return failure == ECDSA.RecoverError.NoError && signer == order.signer && order.signatureType == 0 && order.signer == order.maker;
    }
}

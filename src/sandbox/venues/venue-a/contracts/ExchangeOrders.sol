// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {Create2} from "@openzeppelin/contracts/utils/Create2.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";

enum Side {
    BUY,
    SELL
}

/// An order as its owner signed it, version 2. A buy offers collateral for shares, a sell shares for collateral.
struct Order {
    uint256 salt;
    address maker;
    address signer;
    uint256 tokenId;
    uint256 makerAmount;
    uint256 takerAmount;
    Side side;
    uint8 signatureType;
    uint256 timestamp;
    bytes32 metadata;
    bytes32 builder;
}

/// One order's part in a match: how much of its makerAmount is used up.
struct Part {
    Order order;
    bytes signature;
    uint256 fill;
}

/// What the exchange asks of a Safe.
interface ISafe {
    function isOwner(address owner) external view returns (bool);
    function getThreshold() external view returns (uint256);
}

/// Who may trade with whose money: order hashes, signatures, cancels, and how far each order is filled.
abstract contract ExchangeOrders is EIP712 {
    bytes32 private constant ORDER_TYPE = keccak256(
        "Order(uint256 salt,address maker,address signer,uint256 tokenId,uint256 makerAmount,uint256 takerAmount,uint8 side,uint8 signatureType,uint256 timestamp,bytes32 metadata,bytes32 builder)"
    );

    /// An account that signs for itself; an account that owns the Safe it trades with; a wallet contract that says itself what it signed.
    uint8 private constant EOA = 0;
    uint8 private constant SAFE = 2;
    uint8 private constant WALLET = 3;

    struct Status {
        bool isCancelled;
        /// Of the order's makerAmount.
        uint248 filled;
    }

    /// What gives an owner its Safe: factory and hash of the creation code of the venue's rule.
    address private immutable safeFactory;
    bytes32 private immutable safeInitCodeHash;

    mapping(bytes32 orderHash => Status) private statuses;

    event OrderCancelled(bytes32 indexed orderHash);

    error BadSignature(bytes32 orderHash);
    error BadAmounts(bytes32 orderHash);
    error Cancelled(bytes32 orderHash);
    error Overfilled(bytes32 orderHash);
    error NotMaker();

    constructor(address safeFactory_, bytes32 safeInitCodeHash_) {
        safeFactory = safeFactory_;
        safeInitCodeHash = safeInitCodeHash_;
    }

    /// The venue's order id: the EIP-712 digest.
    function hashOrder(Order calldata order) public view returns (bytes32) {
        return _hashTypedDataV4(keccak256(abi.encode(ORDER_TYPE, order)));
    }

    function domainSeparator() external view returns (bytes32) {
        return _domainSeparatorV4();
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
        if (order.makerAmount == 0 || order.takerAmount == 0 || part.fill == 0) revert BadAmounts(orderHash);
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

    function isSigned(Order calldata order, bytes32 orderHash, bytes calldata signature) private view returns (bool) {
        if (order.signatureType == WALLET) return order.signer == order.maker && isSignedByWallet(order.maker, orderHash, signature);
        (address signer, ECDSA.RecoverError failure,) = ECDSA.tryRecoverCalldata(orderHash, signature);
        if (failure != ECDSA.RecoverError.NoError || signer != order.signer) return false;
        if (order.signatureType == EOA) return order.signer == order.maker;
        return order.signatureType == SAFE && order.maker == safeOf(order.signer) && isSoleOwner(order.maker, order.signer);
    }

    /// The Safe the venue's rule gives to an owner.
    function safeOf(address owner) public view returns (address) {
        return Create2.computeAddress(keccak256(abi.encode(owner)), safeInitCodeHash, safeFactory);
    }

    /// A Safe that changed hands, or wants more than one signature, is not its first owner's to trade with alone.
    function isSoleOwner(address safe, address owner) private view returns (bool) {
        return safe.code.length > 0 && ISafe(safe).getThreshold() == 1 && ISafe(safe).isOwner(owner);
    }

    function isSignedByWallet(address wallet, bytes32 orderHash, bytes calldata signature) private view returns (bool) {
        return wallet.code.length > 0 && IERC1271(wallet).isValidSignature(orderHash, signature) == IERC1271.isValidSignature.selector;
    }
}

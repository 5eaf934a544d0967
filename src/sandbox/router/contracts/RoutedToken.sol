// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// A token of a local chain with decimals of its own, minted by the sandbox's own account.
/// Name and symbol live in immutables, not in storage, so that the code can be put at another address as it is.
contract RoutedToken is ERC20 {
    error NotMinter();

    address public immutable minter;
    uint8 private immutable places;
    bytes32 private immutable packedName;
    bytes32 private immutable packedSymbol;

    constructor(bytes32 tokenName, bytes32 tokenSymbol, uint8 decimals_, address minter_) ERC20("", "") {
        packedName = tokenName;
        packedSymbol = tokenSymbol;
        places = decimals_;
        minter = minter_;
    }

    function mint(address to, uint256 amount) external {
        if (msg.sender != minter) revert NotMinter();
        _mint(to, amount);
    }

    function name() public view override returns (string memory) {
        return string(unpack(packedName));
    }

    function symbol() public view override returns (string memory) {
        return string(unpack(packedSymbol));
    }

    function decimals() public view override returns (uint8) {
        return places;
    }

    /// Text of up to 32 bytes, ended by the first zero byte.
    function unpack(bytes32 packed) private pure returns (bytes memory text) {
        uint256 length = 0;
        while (length < 32 && packed[length] != 0) length++;
        text = new bytes(length);
        for (uint256 index = 0; index < length; index++) text[index] = packed[index];
    }
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {SandboxCollateral} from "./SandboxCollateral.sol";

/// Turns plain dollars into the venue's collateral. The caller approves the asset to this contract first.
contract CollateralOnramp {
    using SafeERC20 for IERC20;

    SandboxCollateral public immutable collateral;

    constructor(SandboxCollateral collateral_) {
        collateral = collateral_;
    }

    function wrap(IERC20 asset, address to, uint256 amount) external {
        asset.safeTransferFrom(msg.sender, address(collateral), amount);
        collateral.wrap(msg.sender, asset, to, amount);
    }
}

/// Turns the venue's collateral back into plain dollars. The caller approves the collateral to this contract first.
contract CollateralOfframp {
    SandboxCollateral public immutable collateral;

    constructor(SandboxCollateral collateral_) {
        collateral = collateral_;
    }

    function unwrap(IERC20 asset, address to, uint256 amount) external {
        collateral.unwrap(msg.sender, asset, to, amount);
    }
}

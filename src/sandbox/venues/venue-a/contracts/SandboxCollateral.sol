// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {SandboxToken} from "../../../chains/evm/contracts/SandboxToken.sol";

/// The venue's collateral on a local chain: a dollar wrapped one for one, backed by what it holds of the two dollars it takes.
/// The minter, the sandbox's faucet, makes some against the dollars that were laid up here when the chain was set up: never more than there are.
contract SandboxCollateral is SandboxToken {
    using SafeERC20 for IERC20;

    error NotAsset();
    error NotRamp();
    error NotBacked();

    IERC20 public immutable usdc;
    IERC20 public immutable bridgedUsdc;
    address public immutable onramp;
    address public immutable offramp;

    constructor(address minter_, IERC20 usdc_, IERC20 bridgedUsdc_, address onramp_, address offramp_)
        SandboxToken("Polymarket USD", "pUSD", minter_)
    {
        usdc = usdc_;
        bridgedUsdc = bridgedUsdc_;
        onramp = onramp_;
        offramp = offramp_;
    }

    /// Takes `amount` of an asset, which `payer` has approved to this contract's ramp, and makes as much collateral.
    function wrap(address payer, IERC20 asset, address to, uint256 amount) external {
        if (msg.sender != onramp) revert NotRamp();
        requireAsset(asset);
        _mint(to, amount);
        emit Wrapped(payer, address(asset), to, amount);
    }

    /// Burns `amount` of the payer's collateral and pays as much of an asset out.
    function unwrap(address payer, IERC20 asset, address to, uint256 amount) external {
        if (msg.sender != offramp) revert NotRamp();
        requireAsset(asset);
        _spendAllowance(payer, msg.sender, amount);
        _burn(payer, amount);
        emit Unwrapped(payer, address(asset), to, amount);
        asset.safeTransfer(to, amount);
    }

    /// Whatever is made must be held here in dollars by then, so that all of it can be turned back.
    function _update(address from, address to, uint256 value) internal override {
        super._update(from, to, value);
        if (from == address(0) && totalSupply() > usdc.balanceOf(address(this)) + bridgedUsdc.balanceOf(address(this))) revert NotBacked();
    }

    event Wrapped(address indexed payer, address indexed asset, address indexed to, uint256 amount);
    event Unwrapped(address indexed payer, address indexed asset, address indexed to, uint256 amount);

    function requireAsset(IERC20 asset) private view {
        if (address(asset) != address(usdc) && address(asset) != address(bridgedUsdc)) revert NotAsset();
    }
}

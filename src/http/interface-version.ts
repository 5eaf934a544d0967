/**
 * The version of the interface: the day of the newest entry in the changelog of `README.md`, which
 * says what changed for whoever builds on it. A test holds the two together.
 */
export const INTERFACE_VERSION = '2026-11-30';

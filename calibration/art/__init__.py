"""The scripts that draw the bundled decks, `rox_proxy`, `conex_proxy` and `cactus_proxy`, and what they draw with."""
